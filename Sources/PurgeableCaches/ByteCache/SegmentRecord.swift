internal import Synchronization

/// The facts that are known of one segment: a cache line. All but the atomics belong to the thread that holds the locks of all of
/// its shard's stripes. Others see them while they hold one lock.
@safe struct SegmentRecord: ~Copyable {
    enum State: UInt8 {
        /// Address space without memory.
        case free
        /// Memory without entries.
        case spare
        /// Without entries, and with or without memory; but slots of the index may still name all of its generations. It is free or
        /// spare once they were swept out.
        case unswept
        /// Entries are appended to it.
        case filling
        /// Full: only read.
        case sealed
        /// Gone from the cache, and given back as soon as nobody reads it.
        case deferred
        /// Gone from the cache and in the hands of a release, which gives it back. A reader that was held up since the segment was
        /// deferred the last time must leave it alone.
        case leaving
    }

    /// The kind of entries that it takes.
    enum Kind: UInt8 {
        /// New ones.
        case young
        /// Those that were used again.
        case kept
    }

    static let none = UInt32.max

    let base: UnsafeMutableRawPointer
    /// In the index's slots: an entry of another generation is not there any more. 2…63; 0 while it is
    /// unswept, or on its way there.
    var generation = ByteSlot.firstGeneration
    var state = State.free
    var kind = Kind.young
    let hasHugePages: Bool
    /// The number of its shard.
    let shard: UInt32
    /// The place where the next entry goes, in bytes.
    var used: UInt32 = 0
    /// Bytes from its start that may be resident: what a release of it gives back.
    var resident: UInt32 = 0
    var liveBytes: UInt32 = 0
    var liveCount: UInt32 = 0
    /// About how many hits there were since `stamp`, halved now and then.
    let hits = Atomic<UInt32>(0)
    /// The shard's count of lookups from which `hits` count.
    var stamp: UInt32 = 0
    /// Neighbours in its queue.
    var next = none
    var previous = none
    /// Bodies that read it, or write to it, and stand in no stripe.
    let bodies = Atomic<UInt32>(0)
    /// Tells the last reader that it is to be given back, or to be rid of remains. Leases know that it stands at 52.
    let isDeferred = Atomic<Bool>(false)
    /// Indicates whether values that are gone from the cache wait to be overwritten until nobody reads the segment.
    var hasRemains = false
    /// The pass through the index in which it lost its generation: the next one sweeps its slots out.
    var pass: UInt32 = 0
    /// The place up to which what is left of them was overwritten, in bytes.
    var remainsOffset: UInt32 = 0

    init(base: UnsafeMutableRawPointer, hasHugePages: Bool, shard: UInt32) {
        unsafe self.base = unsafe base
        self.hasHugePages = hasHugePages
        self.shard = shard
    }

    /// Puts all of its entries out of the cache without touching them. Where generations would begin again, it has none until
    /// slots of the last round were swept out of the index.
    ///
    /// - Parameter pass: The pass through the index that is under way, or was the last.
    mutating func unlink(_ pass: UInt32) {
        liveBytes = 0
        liveCount = 0
        hasRemains = false
        hits.store(0, ordering: .relaxed)
        used = 0
        guard generation != 0 else { return }
        if generation == ByteSlot.mostGeneration {
            generation = 0
            self.pass = pass
        } else {
            generation += 1
        }
    }
}
