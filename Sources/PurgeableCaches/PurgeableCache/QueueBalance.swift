internal import Synchronization

/// How large a share of the cache the queue of new entries is given; the same for all shards.
///
/// Entries come into a small queue and, once asked for, on into the main one, as in S3-FIFO (Yang, Zhang, Qiu, Yue and
/// Vinayak, SOSP 2023), so that what is asked for once passes by. A fixed share forgets too slowly what was popular, so it
/// follows what was evicted too early, as in ARC (Megiddo and Modha, FAST 2003); but it is drawn back to where it began, as
/// scans and loops ask again for much that no share could have kept.
/// The figures were chosen by simulation, with Zipf 0.99, the same with its popular keys changed and mixed with scans, and with
/// recorded traces of a key-value store, a virtual disk and a program that goes through files, at three sizes each. What is worth
/// knowing of them: to let the main queue's early evictions back into it directly costs 15 points in loops, and a share for each
/// shard half a point.
///
/// Whoever makes one deallocates it: a class would have its references counted in the middle of every eviction.
@safe struct QueueBalance: @unchecked Sendable {
    static let range = 0.05...0.9
    static let beginning = 0.1
    /// How far one early eviction moves the share, in entries; but never by more than ``greatestStep``, which would only swing
    /// where the cache holds few.
    static let step = 64.0
    static let greatestStep = 0.002
    /// How far one eviction from the small queue draws the share back: so much of the way where the cache holds one entry.
    static let drawback = 0.02

    /// What comes back after fewer evictions from the small queue than this share of the entries would have done better in the
    /// main one.
    static let smallMemory = 0.9
    /// And it would have stayed in a small queue that is larger, for so much of what the main queue holds.
    static let smallReach = 0.4
    /// For how many evictions from the main queue one of them counts as early, as a share of the entries.
    static let mainMemory = 0.5

    /// How many evictions are counted together where that is all the same.
    static let batch = 32

    private let bits: UnsafeMutablePointer<Atomic<UInt64>>

    init() {
        unsafe bits = .allocate(capacity: 1)
        unsafe bits.initialize(to: Atomic(Self.beginning.bitPattern))
    }

    func deallocate() {
        unsafe bits.deinitialize(count: 1)
        unsafe bits.deallocate()
    }

    /// The small queue's share of what the cache holds.
    var share: Double { Double(bitPattern: unsafe bits.pointee.load(ordering: .relaxed)) }

    private func changeShare(_ change: (Double) -> Double) {
        var old = unsafe bits.pointee.load(ordering: .relaxed)
        while true {
            let new = change(Double(bitPattern: old))
            let bounded = min(Self.range.upperBound, max(Self.range.lowerBound, new))
            let (exchanged, found) = unsafe bits.pointee.weakCompareExchange(
                expected: old, desired: bounded.bitPattern, ordering: .relaxed)
            if exchanged { return }
            old = found
        }
    }

    /// Whether what comes again so long after it was evicted belongs to the main queue; moves the share if it went too early.
    ///
    /// - Parameters:
    ///   - age: How many evictions from the same queue of its shard ago.
    ///   - entries: How many entries its shard holds.
    ///   - shards: How many shards there are.
    func belongsToMain(_ origin: GhostTable.Origin, age: Int, entries: Int, shards: Int) -> Bool {
        let entries = Double(max(1, entries))
        let age = Double(age)
        let step = min(Self.step / (entries * Double(shards)), Self.greatestStep)
        switch origin {
        case .small:
            if age <= entries * (1 - share) * Self.smallReach { changeShare { $0 + step } }
            return age <= entries * Self.smallMemory
        case .main:
            if age <= entries * max(share, Self.mainMemory) { changeShare { $0 - step } }
            return false
        }
    }

    /// ``batch`` entries were evicted from the small queues; one of the shards holds so many.
    func drawBack(entries: Int, shards: Int) {
        let part = Double(Self.batch) * Self.drawback / Double(max(1, entries) * shards)
        changeShare { $0 + (Self.beginning - $0) * part }
    }
}
