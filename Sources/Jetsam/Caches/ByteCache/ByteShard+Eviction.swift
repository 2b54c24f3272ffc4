internal import Synchronization

extension ByteShard {
    /// New entries have this share of the segments: what is not used again while it is there goes.
    private static let youngShare = 10
    /// Segments that are gone through for one spare one before no entry is kept any more.
    private static let patience = 12

    /// Evicts segments until one is spare; false where all of them are being read.
    mutating func makeSpare() -> Bool {
        var attempt = 0
        while segments.spare.isEmpty, attempt < 4 * Self.patience {
            guard let id = victim() else { break }
            evict(id, keepsUsed: attempt < Self.patience)
            attempt += 1
        }
        if !segments.spare.isEmpty { return true }
        for id in [fillingKept, fillingYoung] where id != SegmentRecord.none {
            guard !segments.isPinned(id) else { continue }
            evictions += unsafe Int(segments.record(id).pointee.liveCount)
            recycle(id)
            return true
        }
        return false
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

    /// Takes a segment that nobody reads out of the cache; entries that were used often enough move to another first.
    private mutating func evict(_ id: UInt32, keepsUsed: Bool) {
        segments.dequeue(id)
        let record = unsafe segments.record(id)
        // Nobody finds it in a queue while entries move, and another that is begun does not take it.
        unsafe record.pointee.state = .filling
        if keepsUsed, unsafe record.pointee.hits.load(ordering: .relaxed) > 0 || record.pointee.kind == .kept {
            moveUsed(from: id)
        }
        evictions += unsafe Int(record.pointee.liveCount)
        recycle(id)
    }

    private mutating func moveUsed(from id: UInt32) {
        let record = unsafe segments.record(id)
        let end = unsafe Int(record.pointee.used)
        let isYoung = unsafe record.pointee.kind == .young
        let threshold = isYoung ? 1 : self.threshold
        let most = end / 4 * 3
        var moved = 0
        var offset = 0
        while offset < end, unsafe record.pointee.liveCount > 0 {
            let entry = unsafe ByteEntry(at: record.pointee.base + offset)
            defer { offset += entry.byteCount }
            guard let place = unsafe place(of: entry, in: id, at: offset) else { continue }
            let slot = unsafe ByteSlot(word: place.pointee)
            guard slot.frequency >= threshold, moved + entry.byteCount <= most else { continue }
            guard let target = segmentWithoutEviction(for: .kept, entry.byteCount) else { break }
            unsafe move(entry, place, slot, from: id, to: target, frequency: isYoung ? 0 : slot.frequency - threshold)
            moved += entry.byteCount
        }
        guard !isYoung else { return }
        if moved > end / 8 * 5 {
            self.threshold = min(self.threshold + 1, 4)
        } else if moved < end / 4 {
            self.threshold = max(self.threshold - 1, 1)
        }
    }

    /// Moves an entry to a segment that has room for it.
    mutating func move(
        _ entry: ByteEntry, _ place: UnsafeMutablePointer<UInt64>, _ slot: ByteSlot, from id: UInt32, to target: UInt32,
        frequency: UInt8
    ) {
        let record = unsafe segments.record(target)
        let offset = unsafe Int(record.pointee.used)
        let bytes = entry.byteCount
        segments.use(target, upTo: offset + bytes)
        unsafe (record.pointee.base + offset).copyMemory(from: entry.start, byteCount: bytes)
        unsafe place.pointee =
            slot.moved(
                to: segments.location(target, offset: offset), generation: record.pointee.generation,
                frequency: frequency
            ).word
        unsafe record.pointee.liveCount += 1
        unsafe record.pointee.liveBytes += UInt32(bytes)
        unsafe segments.record(id).pointee.liveCount -= 1
        unsafe segments.record(id).pointee.liveBytes -= UInt32(bytes)
        if memory.isSensitive { overwrite(entry, in: id) }
    }

    /// A segment with room for an entry that stays.
    mutating func segmentWithoutEviction(for kind: SegmentRecord.Kind, _ bytes: Int) -> UInt32? {
        let filling = kind == .young ? fillingYoung : fillingKept
        if filling != SegmentRecord.none, hasRoom(filling, bytes) { return filling }
        if segments.spare.isEmpty {
            guard mayGrow(for: kind), !segments.free.isEmpty || segments.grow() else { return nil }
        }
        guard let id = beginSegment(for: kind), hasRoom(id, bytes) else { return nil }
        return id
    }

    /// The slot that speaks of what stands there in a segment; nil where it is no entry of the cache any more.
    func place(of entry: ByteEntry, in id: UInt32, at offset: Int) -> UnsafeMutablePointer<UInt64>? {
        let key = unsafe UnsafeRawBufferPointer(start: entry.key, count: entry.keyCount)
        let hash = unsafe ByteHash(key, seeds).index
        return unsafe place(of: hash, segments.location(id, offset: offset), segments.record(id).pointee.generation)
    }

    /// The slot that points to exactly that place.
    func place(of hash: UInt64, _ location: UInt64, _ generation: UInt8) -> UnsafeMutablePointer<UInt64>? {
        let wanted = ByteSlot(hash: hash, frequency: 0, generation: generation, location: location)
        guard let finder = index.finder(segments.view) else { return nil }
        let (first, second) = unsafe finder.buckets(hash)
        for place in 0..<ByteIndex.bucketSlots {
            if unsafe ByteSlot(word: first[place]).isOf(wanted) { return unsafe first + place }
            if unsafe ByteSlot(word: second[place]).isOf(wanted) { return unsafe second + place }
        }
        return nil
    }
}
