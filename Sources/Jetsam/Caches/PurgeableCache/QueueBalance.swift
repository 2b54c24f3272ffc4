/// How large a share of the cache the queue of new entries is given.
///
/// Entries come into a small queue and, once asked for, on into the main one, as in S3-FIFO (Yang, Zhang, Qiu, Yue and
/// Vinayak, SOSP 2023), so that what is asked for once passes by. A fixed share either forgets too slowly what was popular, or
/// keeps too little of what is; so the share follows what was evicted too early, as in ARC (Megiddo and Modha, FAST 2003).
/// The figures were chosen by simulation: Zipf 0.99, the same with its popular keys changed, mixed with scans, and eight
/// other traces at three sizes each.
struct QueueBalance {
    static let range = 0.05...0.9
    /// How far one early eviction moves the share, in entries; but never by more than ``greatestStep``, which would only swing
    /// where a shard holds few.
    static let step = 32.0
    static let greatestStep = 0.03
    /// How much more one from the main queue weighs: that happens in a good balance too.
    static let mainWeight = 2.0

    /// For how many evictions from the main queue one of them counts as early, at least, as a share of the entries.
    static let leastMainMemory = 0.35

    /// The small queue's share of what the shard holds.
    private(set) var share = 0.1

    /// Whether what was evicted so long ago was evicted too early, which moves the share.
    ///
    /// - Parameters:
    ///   - age: How many evictions from the same queue ago.
    ///   - entries: How many entries the shard holds.
    mutating func wasEarly(_ origin: GhostTable.Origin, age: Int, entries: Int) -> Bool {
        let entries = Double(max(1, entries))
        let step = min(Self.step / entries, Self.greatestStep)
        switch origin {
        case .small:
            guard Double(age) <= entries * (1 - share) else { return false }
            share = min(Self.range.upperBound, share + step)
        case .main:
            guard Double(age) <= entries * max(share, Self.leastMainMemory) else { return false }
            share = max(Self.range.lowerBound, share - Self.mainWeight * step)
        }
        return true
    }
}
