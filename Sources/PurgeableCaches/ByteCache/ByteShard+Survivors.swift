internal import JetsamSystem
internal import Synchronization

/// The entries of a segment that is being evicted and that stay: those that were used often enough.
///
/// They move to a segment of kept ones. Where none has room, and there is no memory for another, they move together at the beginning of
/// their own segment, which then takes more of them: so none is lost for want of memory to move it to.
extension ByteShard {
    /// Goes through the segment that is being evicted; false where there is more to look at than may be.
    mutating func moveUsed(_ work: inout EvictionWork) -> Bool {
        guard !eviction.isDone else { return true }
        let id = eviction.segment
        let record = unsafe segments.record(id)
        let end = unsafe Int(record.pointee.used)
        let isYoung = unsafe record.pointee.kind == .young
        let threshold = isYoung ? 1 : self.threshold
        let most = end / 4 * 3
        // Whoever began to read it meanwhile must find everything in its place.
        var mayGoOn = eviction.keptEnd == nil || isUnread(id)
        while mayGoOn, eviction.offset < end, unsafe record.pointee.liveCount > 0 {
            let offset = eviction.offset
            let entry = unsafe ByteEntry(at: record.pointee.base + offset)
            let bytes = entry.byteCount
            guard work.spend(bytes) else {
                closeGap(of: id)
                return false
            }
            eviction.offset = offset + bytes
            guard let place = unsafe place(of: entry, in: id, at: offset) else { continue }
            let slot = unsafe ByteSlot(word: place.pointee)
            let stays = slot.frequency >= threshold && eviction.moved + bytes <= most
            let frequency = isYoung ? 0 : slot.frequency - min(slot.frequency, threshold)
            if let keptEnd = eviction.keptEnd {
                if stays {
                    unsafe moveTogether(entry, place, slot, in: id, to: keptEnd, frequency: frequency)
                    eviction.keptEnd = keptEnd + bytes
                    eviction.moved += bytes
                } else {
                    unsafe drop(entry, place, slot, from: id)
                }
            } else if stays {
                if let target = segmentWithoutEviction(for: .kept, bytes) {
                    unsafe move(entry, place, slot, from: id, to: target, frequency: frequency)
                    eviction.moved += bytes
                } else {
                    mayGoOn = beginMovingTogether(id)
                }
            }
        }
        if !isYoung { adaptThreshold(moved: eviction.moved, of: end) }
        eviction.isDone = true
        if mayGoOn, let keptEnd = eviction.keptEnd, keptEnd > 0 { keep(id, upTo: keptEnd) }
        return true
    }

    private mutating func adaptThreshold(moved: Int, of end: Int) {
        if moved > end / 8 * 5 {
            threshold = min(threshold + 1, 4)
        } else if moved < end / 4 {
            threshold = max(threshold - 1, 1)
        }
    }

    /// Returns whether nobody reads a segment, and nothing in it waits for that.
    private func isUnread(_ id: UInt32) -> Bool { unsafe !record(id).pointee.hasRemains && !segments.isPinned(id) }

    private func record(_ id: UInt32) -> UnsafeMutablePointer<SegmentRecord> { unsafe segments.record(id) }

    /// Goes through a segment once more, from its beginning; false where somebody reads it.
    private mutating func beginMovingTogether(_ id: UInt32) -> Bool {
        guard isUnread(id) else { return false }
        if compaction.segment == id { compaction.segment = SegmentRecord.none }
        eviction.offset = 0
        eviction.keptEnd = 0
        return true
    }

    /// Moves an entry towards the beginning of its segment, over others that are gone.
    private func moveTogether(
        _ entry: ByteEntry, _ place: UnsafeMutablePointer<UInt64>, _ slot: ByteSlot, in id: UInt32, to offset: Int,
        frequency: UInt8
    ) {
        let target = unsafe record(id).pointee.base + offset
        if unsafe target != entry.start { unsafe target.copyMemory(from: entry.start, byteCount: entry.byteCount) }
        unsafe place.pointee =
            slot.moved(
                to: segments.location(id, offset: offset), generation: slot.generation, frequency: frequency
            ).word
    }

    /// Takes an entry out of the cache. Its slot tells, until it is needed, that the key was here.
    private mutating func drop(
        _ entry: ByteEntry, _ place: UnsafeMutablePointer<UInt64>, _ slot: ByteSlot, from id: UInt32
    ) {
        let bytes = entry.byteCount
        unsafe place.pointee = slot.gone.word
        contents.remove(bytes: bytes)
        unsafe record(id).pointee.liveCount -= 1
        unsafe record(id).pointee.liveBytes -= UInt32(truncatingIfNeeded: bytes)
        tally.evictions += 1
    }

    /// Lets nobody stumble over what lies between the entries that were moved together and those that were not looked at yet.
    private func closeGap(of id: UInt32) {
        guard let keptEnd = eviction.keptEnd else { return }
        let start = unsafe record(id).pointee.base + keptEnd
        unsafe ByteEntry.writeGap(at: start, byteCount: eviction.offset - keptEnd, overwrites: memory.isSensitive)
    }

    /// Fills a segment from there on with entries that stay. The one that was filled so far has no room.
    private mutating func keep(_ id: UInt32, upTo used: Int) {
        let record = unsafe record(id)
        if memory.isSensitive {
            let rest = unsafe Int(record.pointee.used) - used
            unsafe (record.pointee.base + used).initializeMemory(as: UInt8.self, repeating: 0, count: rest)
        }
        eviction = Eviction()
        segments.dequeue(id)
        unsafe record.pointee.used = UInt32(truncatingIfNeeded: used)
        unsafe record.pointee.kind = .kept
        unsafe record.pointee.hits.store(0, ordering: .relaxed)
        unsafe record.pointee.stamp = lookups
        segments.enqueue(id, as: .filling)
        seal(.kept)
        fillingKept = id
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
            guard mayGrow(for: kind, bytes), !segments.free.isEmpty || segments.grow() else { return nil }
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
        return unsafe finder.slot(hash) { $0.isOf(wanted) }
    }
}
