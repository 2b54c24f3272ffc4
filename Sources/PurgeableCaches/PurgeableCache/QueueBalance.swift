internal import Synchronization

/// The share of the cache that the queue of new entries is given; the same for all shards.
///
/// Entries come into a small queue. Once asked for, they go on into the main one, as in S3-FIFO (Yang, Zhang, Qiu, Yue and
/// Vinayak, SOSP 2023), so that an entry that is asked for only once passes by. A fixed share forgets too slowly what was
/// popular, so the share follows what was evicted too early, as in ARC (Megiddo and Modha, FAST 2003). But it is drawn back to
/// where it began, because scans and loops ask again for much that no share could have kept. The figures were chosen by
/// simulation: with Zipf 0.99, the same with its popular keys changed and mixed with scans, and with recorded traces of a
/// key-value store, a virtual disk and a program that goes through files, at three sizes each. Two results are worth knowing: to
/// let the main queue's early evictions back into it directly costs 15 points in loops, and a share for each shard half a point.
///
/// Its maker deallocates it: a class would have its references counted in the middle of every eviction.
@safe struct QueueBalance: @unchecked Sendable {
    static let range = 0.05...0.9
    static let beginning = 0.1
    /// The distance by which one early eviction moves the share, in entries. It is never more than ``greatestStep``, because the
    /// share would only swing where the cache holds few.
    static let step = 64.0
    static let greatestStep = 0.002
    /// The distance by which one eviction from the small queue draws the share back: so much of the way where the cache holds one
    /// entry.
    static let drawback = 0.02

    /// The number of evictions from the small queue, as a share of the entries, within which an entry that comes back would have
    /// done better in the main one.
    static let smallMemory = 0.9
    /// And it would have stayed in a small queue that is larger, for so much of what the main queue holds.
    static let smallReach = 0.4
    /// The number of evictions from the main queue, as a share of the entries, within which one of them counts as early.
    static let mainMemory = 0.5

    /// The number of evictions that are counted together where that makes no difference.
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

    /// Returns whether an entry that comes again so long after it was evicted belongs to the main queue. Moves the share if the
    /// entry went too early.
    ///
    /// - Parameters:
    ///   - age: The number of evictions since, from the same queue of its shard.
    ///   - entries: The number of entries that its shard holds.
    ///   - shards: The number of shards.
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
