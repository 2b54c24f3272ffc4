internal import JetsamSystem

extension ByteShard {
    /// An entry that stands in its segment and is not in the index yet.
    @safe struct Reservation {
        let entry: ByteEntry
        let id: UInt32
        let location: UInt64
        let generation: UInt8
    }

    /// Makes room for an entry and writes its header and key. Nil where there is none to be had; then nothing was lost but what
    /// had to make room.
    ///
    /// - Parameter work: The work that may be done for it in this hold of the locks; where that was not enough, it says so.
    mutating func reserve(
        _ hash: UInt64, _ key: UnsafeRawBufferPointer, valueCount: Int, expiry: UInt32?, _ work: inout EvictionWork
    ) -> Reservation? {
        let count = ByteEntry.byteCount(keyCount: key.count, valueCount: valueCount, hasExpiry: expiry != nil)
        guard let count, count <= segments.segmentBytes else { return nil }
        let kind: SegmentRecord.Kind = wasHere(hash) ? .kept : .young
        if index.isMoving { moveIndex(max(Self.slotsOfInsertion, index.unmoved / index.room(contents.entries) + 1)) }
        if !segments.unswept.isEmpty { sweepSome(Self.sweptOfInsertion) }
        evictAhead(for: kind, count)
        guard let id = segment(for: kind, count, &work) else { return nil }
        let reservation = append(
            to: id, keyCount: key.count, valueCount: valueCount, byteCount: count, expiry: expiry)
        if let bytes = key.baseAddress { unsafe reservation.entry.key.copyMemory(from: bytes, byteCount: key.count) }
        return reservation
    }

    @inline(__always)
    private mutating func append(
        to id: UInt32, keyCount: Int, valueCount: Int, byteCount: Int, expiry: UInt32?
    ) -> Reservation {
        let record = unsafe segments.record(id)
        let offset = unsafe Int(record.pointee.used)
        segments.use(id, upTo: offset + byteCount)
        let entry = unsafe ByteEntry(
            writingAt: record.pointee.base + offset, keyCount: keyCount, valueCount: valueCount, expiry: expiry)
        return unsafe Reservation(
            entry: entry, id: id, location: segments.location(id, offset: offset),
            generation: record.pointee.generation)
    }

    /// Returns whether a slot tells that a key of this hash was evicted not long ago.
    private func wasHere(_ hash: UInt64) -> Bool {
        guard let finder = index.finder(segments.view) else { return false }
        let view = segments.view
        return unsafe finder.slot(hash) { !$0.isEmpty && $0.hash == hash && !view.isLive($0) } != nil
    }

    /// Enters a written entry into the index, in the place of an older one of its key. False where it went meanwhile, or the
    /// index has no memory to grow; then the older one is still there.
    mutating func commit(_ reservation: Reservation, _ hash: UInt64, _ key: UnsafeRawBufferPointer) -> Bool {
        let record = unsafe segments.record(reservation.id)
        guard unsafe record.pointee.generation == reservation.generation else { return false }
        let slot = ByteSlot(
            hash: hash, frequency: 0, generation: reservation.generation, location: reservation.location)
        if let old = unsafe find(hash, key) {
            let frequency = old.slot.frequency
            unsafe old.place.pointee =
                slot.moved(
                    to: slot.location, generation: slot.generation, frequency: frequency
                ).word
            count(reservation)
            forget(old.slot)
            compact()
            return true
        }
        guard let place = unsafe place(for: hash) else {
            abandon(reservation)
            return false
        }
        unsafe place.pointee = slot.word
        count(reservation)
        return true
    }

    /// Leaves nothing of an entry that does not come to be, where it is nobody else's business.
    func abandon(_ reservation: Reservation) {
        guard memory.isSensitive,
            unsafe segments.record(reservation.id).pointee.generation == reservation.generation
        else { return }
        overwrite(reservation.entry, in: reservation.id)
    }

    private mutating func count(_ reservation: Reservation) {
        let bytes = reservation.entry.byteCount
        let record = unsafe segments.record(reservation.id)
        unsafe record.pointee.liveCount += 1
        unsafe record.pointee.liveBytes += UInt32(truncatingIfNeeded: bytes)
        contents.add(bytes: bytes)
        tally.insertions += 1
    }

    /// A segment with room for so many bytes.
    @inline(__always)
    private mutating func segment(
        for kind: SegmentRecord.Kind, _ bytes: Int, _ work: inout EvictionWork
    ) -> UInt32? {
        let filling = kind == .young ? fillingYoung : fillingKept
        if filling != SegmentRecord.none, hasRoom(filling, bytes) { return filling }
        return nextSegment(for: kind, bytes, &work)
    }

    @inline(__always)
    func hasRoom(_ id: UInt32, _ bytes: Int) -> Bool {
        let end = unsafe Int(segments.record(id).pointee.used) + bytes
        if unsafe end <= Int(segments.record(id).pointee.resident) { return true }
        return end <= segments.segmentBytes && (limit == .max || mayTouch(id, end))
    }

    /// Returns whether a segment may become resident up to there. A limit that came later than the segment holds for it too.
    private func mayTouch(_ id: UInt32, _ end: Int) -> Bool {
        let resident = unsafe Int(segments.record(id).pointee.resident)
        let wanted = unsafe segments.record(id).pointee.hasHugePages ? segments.segmentBytes : memory.roundedUp(end)
        return heldBytes - resident + wanted <= limit
    }

    private mutating func nextSegment(
        for kind: SegmentRecord.Kind, _ bytes: Int, _ work: inout EvictionWork
    ) -> UInt32? {
        // Spare ones of a cache that was limited while it was small may have less memory than is needed.
        for _ in 0..<4 {
            discardLacking(bytes)
            if segments.spare.isEmpty {
                if mayGrow(for: kind, bytes) {
                    guard !segments.free.isEmpty || segments.grow() else { return nil }
                } else if !makeSpare(&work) {
                    return nil
                }
            }
            // Making a spare one may have begun one of this kind.
            let filling = kind == .young ? fillingYoung : fillingKept
            if filling != SegmentRecord.none, hasRoom(filling, bytes) { return filling }
            guard let id = beginSegment(for: kind) else { return nil }
            if hasRoom(id, bytes) { return id }
        }
        return nil
    }

    /// Gives memory of spare segments back that have less of it than is needed, and may not have more: others have a use for it.
    private mutating func discardLacking(_ bytes: Int) {
        for _ in 0..<4 {
            let id = segments.spare.first
            guard id != SegmentRecord.none, !hasRoom(id, bytes), discardSpare() else { return }
        }
    }

    /// Seals what was filled and begins to fill a segment that is spare or free; nil where there is none.
    mutating func beginSegment(for kind: SegmentRecord.Kind) -> UInt32? {
        let id = segments.spare.isEmpty ? segments.free.first : segments.spare.first
        guard id != SegmentRecord.none else { return nil }
        segments.dequeue(id)
        let record = unsafe segments.record(id)
        unsafe record.pointee.kind = kind
        unsafe record.pointee.stamp = lookups
        segments.enqueue(id, as: .filling)
        seal(kind)
        if kind == .young { fillingYoung = id } else { fillingKept = id }
        return id
    }

    /// Closes the segment that is being filled.
    mutating func seal(_ kind: SegmentRecord.Kind) {
        let id = kind == .young ? fillingYoung : fillingKept
        guard id != SegmentRecord.none else { return }
        if kind == .young { fillingYoung = SegmentRecord.none } else { fillingKept = SegmentRecord.none }
        let record = unsafe segments.record(id)
        segments.enqueue(id, as: .sealed)
        if unsafe record.pointee.liveCount == 0, !segments.isPinned(id) { recycle(id) }
    }

    /// Returns whether one more segment stays within the limit, also when the other one that is being filled is full.
    func mayGrow(for kind: SegmentRecord.Kind, _ bytes: Int) -> Bool {
        let size = segments.segmentBytes
        // Where the limit is few segments large, the last of them may be a part of one.
        var wanted = heldBytes + (limit / 8 >= size ? size : max(size / 4, memory.roundedUp(bytes)))
        if fillingYoung != SegmentRecord.none, kind == .kept {
            wanted += unsafe size - Int(segments.record(fillingYoung).pointee.resident)
        }
        if fillingKept != SegmentRecord.none, kind == .young {
            wanted += unsafe size - Int(segments.record(fillingKept).pointee.resident)
        }
        return wanted <= limit
    }
}
