internal import Synchronization

/// What is known of one segment. All but the two atomics belong to whoever holds the shard's lock.
@safe struct SegmentRecord: ~Copyable {
    enum State: UInt8 {
        /// Address space without memory.
        case free
        /// Memory without entries.
        case spare
        /// Entries are appended to it.
        case filling
        /// Full: only read.
        case sealed
        /// Gone from the cache, and given back as soon as nobody reads it.
        case deferred
    }

    /// Which entries it takes.
    enum Kind: UInt8 {
        /// New ones.
        case young
        /// Those that were used again.
        case kept
    }

    static let none = UInt32.max

    let base: UnsafeMutableRawPointer
    /// In the index's slots: an entry of another generation is not there any more. 1…63; 0 while it changes.
    var generation: UInt8 = 1
    var state = State.free
    var kind = Kind.young
    let hasHugePages: Bool
    /// Where the next entry goes, in bytes.
    var used: UInt32 = 0
    /// Bytes from its start that may be resident: what a release of it gives back.
    var resident: UInt32 = 0
    var liveBytes: UInt32 = 0
    var liveCount: UInt32 = 0
    /// Hits since `stamp`, halved now and then.
    var hits: UInt32 = 0
    /// The shard's count of lookups from which `hits` count.
    var stamp: UInt32 = 0
    /// Neighbours in its queue.
    var next = none
    var previous = none
    /// Bodies that began to read it; those that ended have counted in `unpinned`.
    var pinned: UInt32 = 0
    let unpinned = Atomic<UInt32>(0)
    /// Tells the last reader that it is to be given back.
    let isDeferred = Atomic<Bool>(false)

    init(base: UnsafeMutableRawPointer, hasHugePages: Bool) {
        unsafe self.base = unsafe base
        self.hasHugePages = hasHugePages
    }

    /// Whether a body reads it now.
    @inline(__always)
    var isPinned: Bool { pinned != unpinned.load(ordering: .sequentiallyConsistent) }

    /// Puts all of its entries out of the cache without touching them; true where a generation begins again at 1, and slots of
    /// the last round have to be swept out of the index first.
    mutating func unlink() -> Bool {
        liveBytes = 0
        liveCount = 0
        hits = 0
        used = 0
        if generation == ByteSlot.mostGeneration {
            generation = 0
            return true
        }
        generation += 1
        return false
    }
}
