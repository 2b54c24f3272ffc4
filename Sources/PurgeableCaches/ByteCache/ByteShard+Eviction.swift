internal import JetsamSystem
internal import Synchronization

extension ByteShard {
    /// New entries have this share of the segments: what is not used again while it is there goes.
    private static let youngShare = 10
    /// Segments that are gone through for one spare one before no entry is kept any more.
    private static let patience = 12

    /// Entries of a victim that one insertion looks at ahead of need, at most, and bytes for each byte that it puts in.
    private static let entriesAhead = 256
    private static let bytesAhead = 8

    /// A segment that is to make room, and how far it was gone through for entries that stay. It is in its queue, and what is in it is
    /// found, until its memory is needed.
    struct Eviction {
        var segment = SegmentRecord.none
        var offset = 0
        /// Bytes that were moved.
        var moved = 0
        /// The end of the entries that stay in the segment itself, moved together at its beginning; nil where others have room for them.
        var keptEnd: Int?
        /// Indicates whether it was gone through.
        var isDone = false
    }

    /// The work of one insertion to make room, hold by hold of the locks.
    struct EvictionWork {
        private static let entriesOfHold = 1024
        private static let bytesOfHold = 256 << 10
        /// Holds after which no entry is kept any more: a segment may have more entries than anybody should wait for.
        private static let mostHolds = 16

        private var entries = entriesOfHold
        private var bytes = bytesOfHold
        private var holds = 0
        private var victims = 0
        /// Indicates whether the insertion is to be tried once more, after others had a chance to take the locks.
        private(set) var isInterrupted = false
        /// Indicates whether there was no room without evicting.
        var lackedRoom = false

        init() {}

        init(entries: Int, bytes: Int) {
            self.entries = entries
            self.bytes = bytes
        }

        /// The locks were taken again.
        mutating func beginHold() {
            holds += 1
            entries = Self.entriesOfHold
            bytes = Self.bytesOfHold
            isInterrupted = false
        }

        mutating func interrupt() { isInterrupted = true }

        /// Returns whether entries of one more victim may be kept.
        mutating func addVictim(_ patience: Int) -> Bool {
            victims += 1
            return victims <= patience && holds < Self.mostHolds
        }

        var keeps: Bool { holds < Self.mostHolds }

        /// Returns whether one more entry may be looked at.
        mutating func spend(_ byteCount: Int) -> Bool {
            guard entries > 0, bytes > 0 else { return false }
            entries -= 1
            bytes -= byteCount
            return true
        }
    }

    /// Evicts segments until one is spare; false where all of them are being read, or there is more to do than one hold may take.
    mutating func makeSpare(_ work: inout EvictionWork) -> Bool {
        var attempt = 0
        work.lackedRoom = true
        while segments.spare.isEmpty, attempt < 4 * Self.patience {
            if eviction.segment == SegmentRecord.none {
                guard let id = victim() else { break }
                begin(id, keepsUsed: work.addVictim(Self.patience))
            }
            if work.keeps, !moveUsed(&work) {
                work.interrupt()
                return false
            }
            finishEviction()
            attempt += 1
        }
        if !segments.spare.isEmpty { return true }
        if !segments.unswept.isEmpty {
            sweepSome(Self.slotsOfHold)
            if segments.spare.isEmpty, !segments.unswept.isEmpty {
                work.interrupt()
                return false
            }
        }
        if !segments.spare.isEmpty { return true }
        for id in [fillingKept, fillingYoung] where id != SegmentRecord.none {
            guard !segments.isPinned(id) else { continue }
            tally.evictions += unsafe Int(segments.record(id).pointee.liveCount)
            recycle(id)
            return true
        }
        return false
    }

    /// Goes through some of the segment that is to make room next, while the one that is being filled is nearly full: so that nobody
    /// has to wait for all of it at once.
    @inline(__always)
    mutating func evictAhead(for kind: SegmentRecord.Kind, _ bytes: Int) {
        guard limit != .max else { return }
        if indexLack > 0 { return evictForIndex(bytes) }
        guard segments.spare.isEmpty, !eviction.isDone else { return }
        let filling = kind == .young ? fillingYoung : fillingKept
        guard filling != SegmentRecord.none,
            unsafe Int(segments.record(filling).pointee.used) + bytes > segments.segmentBytes / 4 * 3
        else { return }
        evictSome(for: kind, bytes)
    }

    @inline(never)
    private mutating func evictSome(for kind: SegmentRecord.Kind, _ bytes: Int) {
        guard !mayGrow(for: kind, bytes) else { return }
        if eviction.segment == SegmentRecord.none {
            guard let id = victim() else { return }
            begin(id, keepsUsed: true)
        }
        var work = EvictionWork(entries: Self.entriesAhead, bytes: Self.bytesAhead * bytes)
        _ = moveUsed(&work)
    }

    /// Evicts for the index, which needs memory that segments have.
    @inline(never)
    private mutating func evictForIndex(_ bytes: Int) {
        if !segments.spare.isEmpty {
            _ = discardSpare()
        } else if eviction.isDone {
            finishEviction()
        } else {
            if eviction.segment == SegmentRecord.none {
                guard let id = victim() else { return }
                begin(id, keepsUsed: true)
            }
            var work = EvictionWork(entries: Self.entriesAhead, bytes: max(4096, Self.bytesAhead * bytes))
            _ = moveUsed(&work)
        }
    }

    /// The segment that is to make room: the oldest that nobody reads, among new entries where they have more than their share.
    private func victim() -> UInt32? {
        let total = segments.young.count + segments.kept.count
        let takesYoung = segments.young.count * 100 > total * Self.youngShare || segments.kept.isEmpty
        let first = oldest(takesYoung ? segments.young : segments.kept)
        return first ?? oldest(takesYoung ? segments.kept : segments.young)
    }

    private func oldest(_ queue: SegmentQueue) -> UInt32? {
        var id = queue.first
        while id != SegmentRecord.none, segments.isPinned(id) {
            id = unsafe segments.record(id).pointee.next
        }
        return id == SegmentRecord.none ? nil : id
    }

    /// Begins to evict a segment that nobody reads.
    private mutating func begin(_ id: UInt32, keepsUsed: Bool) {
        eviction = Eviction()
        eviction.segment = id
        let record = unsafe segments.record(id)
        let wasUsed = unsafe record.pointee.hits.load(ordering: .relaxed) > 0 || record.pointee.kind == .kept
        eviction.isDone = !keepsUsed || !wasUsed
    }

    /// Takes the segment that was gone through out of the cache, unless it is being read again: then another makes room.
    private mutating func finishEviction() {
        let id = eviction.segment
        eviction = Eviction()
        guard id != SegmentRecord.none, !segments.isPinned(id) else { return }
        tally.evictions += unsafe Int(segments.record(id).pointee.liveCount)
        recycle(id)
    }
}
