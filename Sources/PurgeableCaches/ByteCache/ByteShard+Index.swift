internal import JetsamSystem

extension ByteShard {
    /// The progress of sweeping the index of slots whose entries are gone.
    struct Sweep {
        /// Counts the passes through the index, those that move it included.
        var pass: UInt32 = 0
        /// The next slot to look at; nil where no pass is under way.
        var offset: Int?
    }

    /// Slots that one insertion moves to the next table: with an eighth more of them in it, all have moved long before that one is
    /// full.
    static let slotsOfInsertion = 32
    /// Slots that one insertion sweeps.
    static let sweptOfInsertion = 256
    /// Slots that are moved or swept in one hold of the locks where nothing else is done.
    static let slotsOfHold = 4096

    /// A free slot of the index, which grows for it. Nil where there is no memory for that.
    mutating func place(for hash: UInt64) -> UnsafeMutablePointer<UInt64>? {
        growIndex()
        if let place = unsafe index.place(for: hash, segments.view) { return unsafe place }
        if !index.isMoving, !index.isLargest {
            if mayHold(index.tableBytes(for: largerCount)) {
                guard beginIndexMove(for: largerCount) else { return nil }
                return unsafe index.place(for: hash, segments.view)
            }
        } else if !index.isMoving {
            return nil
        }
        return unsafe evictedPlace(for: hash)
    }

    /// So many entries that a table for them is larger than the present one.
    private var largerCount: Int { max(contents.entries, index.capacity * 7 / 8) }

    private func mayHold(_ bytes: Int) -> Bool { limit == .max || heldBytes + bytes <= limit }

    /// Begins to grow the index where it is full, or notes how much it lacks for that.
    private mutating func growIndex() {
        guard index.isFull(contents.entries), !index.isMoving, !index.isLargest else {
            indexLack = 0
            return
        }
        let bytes = index.tableBytes(for: contents.entries)
        if mayHold(bytes) {
            indexLack = 0
            _ = beginIndexMove(for: contents.entries)
        } else {
            indexLack = index.isCrowded(contents.entries) && bytes <= limit / 2 ? bytes : 0
        }
    }

    /// The place of another entry, which is lost: where there is no free one, and the index cannot grow now.
    private mutating func evictedPlace(for hash: UInt64) -> UnsafeMutablePointer<UInt64>? {
        guard let finder = index.finder(segments.view) else { return nil }
        let (first, _) = unsafe finder.buckets(hash)
        var least = 0
        for place in 1..<ByteIndex.bucketSlots
        where unsafe ByteSlot(word: first[place]).frequency < ByteSlot(word: first[least]).frequency { least = place }
        let slot = unsafe ByteSlot(word: first[least])
        unsafe first[least] = 0
        tally.evictions += 1
        forget(slot)
        return unsafe first + least
    }

    /// Begins to make the index right for so many entries; false where there is no memory for it.
    mutating func beginIndexMove(for count: Int) -> Bool {
        guard index.beginMove(for: count) else { return false }
        // Entries of segments without a generation go with it.
        sweep.pass &+= 1
        sweep.offset = nil
        return true
    }

    /// Moves some of the index.
    mutating func moveIndex(_ slots: Int) {
        var lost = (count: 0, bytes: 0)
        var gone: [(entry: ByteEntry, id: UInt32)] = []
        let view = segments.view
        let isSensitive = memory.isSensitive
        let isDone = index.move(slots, view) { slot in
            let bytes = unsafe ByteEntry(at: view.address(of: slot)).byteCount
            let record = unsafe view.segment(of: slot)
            unsafe record.pointee.liveCount -= 1
            unsafe record.pointee.liveBytes -= UInt32(truncatingIfNeeded: bytes)
            if isSensitive { gone.append((view.entry(of: slot), view.id(of: slot))) }
            lost.count += 1
            lost.bytes += bytes
        }
        contents.remove(entries: lost.count, bytes: lost.bytes)
        tally.evictions += lost.count
        for (entry, id) in gone { overwrite(entry, in: id) }
        if isDone { segments.endPass(sweep.pass) }
    }

    /// Sweeps some of the index, so that segments which have been through all generations can be used again.
    mutating func sweepSome(_ slots: Int) {
        guard !index.isMoving else { return moveIndex(slots) }
        if sweep.offset == nil {
            sweep.pass &+= 1
            sweep.offset = 0
        }
        sweep.offset = index.sweep(from: sweep.offset ?? 0, slots, segments.view)
        if sweep.offset == nil { segments.endPass(sweep.pass) }
    }

    /// Takes the index out where it has no entries. Release the returned memory when no lock is held any more.
    mutating func detachEmptyIndex() -> ByteIndex.Remains? {
        guard contents.entries == 0, unsafe index.slots != nil else { return nil }
        sweep.pass &+= 1
        sweep.offset = nil
        indexLack = 0
        let remains = index.detachAll()
        segments.endPass(sweep.pass)
        return remains
    }

    /// Makes the index smaller where few entries are left, some of it; true where there is more to do. Not where there is no memory
    /// for a smaller one.
    mutating func shrinkIndexSome() -> Bool {
        if index.isMoving {
            moveIndex(Self.slotsOfHold)
            return true
        }
        guard contents.entries > 0, contents.entries < index.capacity / 3, index.residentBytes > memory.pageBytes else {
            return false
        }
        return index.tableBytes(for: contents.entries) < index.residentBytes && beginIndexMove(for: contents.entries)
    }
}
