internal import CLinuxShims

extension CacheShard {
    /// The bits of a slot that hold an entry's number + 1.
    @usableFromInline static var numberMask: UInt32 { 1 << 25 - 1 }

    /// The bits of a slot above them: seven of the hash value that neither choose the shard nor, mostly, the place in the index.
    @inlinable
    @inline(__always)
    static func tag(_ hash: UInt32) -> UInt32 { (hash << 19) & ~numberMask }

    @inline(__always)
    private func home(_ hash: UInt32) -> Int {
        Int((UInt64(hash) * UInt64(slotCount)) >> 32)
    }

    @inline(__always)
    private func after(_ position: Int) -> Int {
        position + 1 == Int(slotCount) ? 0 : position + 1
    }

    /// In a slot of the table that the others are moving out of: it is there no more, but those behind it may be.
    @usableFromInline static var movedSlot: UInt32 { numberMask }
    /// Slots that one insertion moves at least.
    private static let slotsOfInsertion = 16
    /// Slots that are moved in one hold of the lock where nothing else is done.
    static let slotsOfHold = 4096

    mutating func addToIndex(_ entry: UInt32, hash: UInt32) {
        if isMovingIndex {
            // So many that all have moved before there is no room for more.
            let room = max(1, Int(slotCount) / 4 * 3 - count)
            moveIndex(max(Self.slotsOfInsertion, (Int(oldCount) - moved) / room + 1))
        }
        // It grows by half, so that it is never less than half full.
        if !isMovingIndex, (count + 1) * 4 > Int(slotCount) * 3 { beginIndexMove(to: slotCount + slotCount / 2) }
        put(entry, hash: hash)
    }

    /// Indicates whether slots are on their way to another table. Until the last has moved, an entry has its slot in one of the
    /// two.
    var isMovingIndex: Bool { unsafe old != nil }

    private func put(_ entry: UInt32, hash: UInt32) {
        var position = home(hash)
        while unsafe slots[position] != 0 { position = after(position) }
        store(Self.tag(hash) | (entry + 1), at: position)
    }

    /// Stores a slot, and repeats the first slots behind the last. So a search needs no second look from the beginning.
    @inline(__always)
    private func store(_ slot: UInt32, at position: Int) {
        unsafe slots[position] = slot
        if position < CacheStripe.mirrored { unsafe slots[Int(slotCount) + position] = slot }
    }

    /// An empty index.
    static func makeSlots(_ count: UInt32, _ memory: CacheMemory) -> UnsafeMutablePointer<UInt32> {
        let slots = unsafe memory.allocateTable(Int(count) + CacheStripe.mirrored)
        unsafe slots.initialize(repeating: 0, count: Int(count) + CacheStripe.mirrored)
        return unsafe slots
    }

    static func deallocate(_ slots: UnsafeMutablePointer<UInt32>, _ count: UInt32, _ memory: CacheMemory) {
        unsafe memory.deallocate(table: slots, Int(count) + CacheStripe.mirrored)
    }

    /// Begins to move the index to a table of so many slots.
    private mutating func beginIndexMove(to count: UInt32) {
        unsafe beginIndexMove(to: count, Self.makeSlots(count, memory))
    }

    /// Begins to move the index to an empty table.
    mutating func beginIndexMove(to count: UInt32, _ slots: UnsafeMutablePointer<UInt32>) {
        unsafe old = self.slots
        oldCount = slotCount
        moved = 0
        slotCount = count
        unsafe self.slots = unsafe slots
        publish()
    }

    /// Moves so many slots more.
    private mutating func moveIndex(_ number: Int) {
        guard let old = unsafe old else { return }
        let end = min(moved + number, Int(oldCount))
        for position in moved..<end {
            let number = unsafe old[position] & Self.numberMask
            guard number != 0, number != Self.movedSlot else { continue }
            unsafe jetsam_prefetch_to_read(header(number - 1))
        }
        for position in moved..<end {
            let number = unsafe old[position] & Self.numberMask
            guard number != 0, number != Self.movedSlot else { continue }
            unsafe old[position] = Self.movedSlot
            put(number - 1, hash: unsafe header(number - 1).pointee.hash)
        }
        moved = end
        guard end == Int(oldCount) else { return }
        unsafe Self.deallocate(old, oldCount, memory)
        unsafe self.old = nil
        oldCount = 0
        publish()
    }

    /// Makes an index smaller that has far more slots than entries, some of it; true where there is more to do.
    mutating func shrinkIndexSome() -> Bool {
        if isMovingIndex {
            moveIndex(Self.slotsOfHold)
            return true
        }
        let wanted = max(Self.fewestSlots, UInt32(count * 2))
        guard slotCount / 2 > wanted else { return false }
        beginIndexMove(to: wanted)
        return true
    }

    /// The slot of an entry in the table that slots are moving out of. The entry has none in the other one.
    private func oldSlot(of entry: UInt32, hash: UInt32) -> UnsafeMutablePointer<UInt32> {
        guard let old = unsafe old else { fatalError("an entry is in no index") }
        var position = Int((UInt64(hash) * UInt64(oldCount)) >> 32)
        while unsafe old[position] & Self.numberMask != entry + 1 {
            position = position + 1 == Int(oldCount) ? 0 : position + 1
        }
        return unsafe old + position
    }

    /// The number of the slot of an entry; nil where it has not moved yet.
    private func slot(of entry: UInt32, hash: UInt32) -> Int? {
        var position = home(hash)
        while unsafe slots[position] & Self.numberMask != entry + 1 {
            if unsafe slots[position] == 0 { return nil }
            position = after(position)
        }
        return position
    }

    /// Has the slot of an entry speak of another one, which has the same hash.
    mutating func renumber(_ entry: UInt32, to other: UInt32) {
        let hash = unsafe header(entry).pointee.hash
        if let position = slot(of: entry, hash: hash) {
            store(Self.tag(hash) | (other + 1), at: position)
        } else {
            unsafe oldSlot(of: entry, hash: hash).pointee = Self.tag(hash) | (other + 1)
        }
    }

    /// Takes the entry out and moves those behind it up, so that no lookup ends before what it looks for.
    mutating func removeFromIndex(_ entry: UInt32) {
        let hash = unsafe header(entry).pointee.hash
        guard var hole = slot(of: entry, hash: hash) else {
            unsafe oldSlot(of: entry, hash: hash).pointee = Self.movedSlot
            return
        }
        var position = hole
        while true {
            position = after(position)
            let slot = unsafe slots[position]
            guard slot != 0 else { break }
            let home = home(unsafe header((slot & Self.numberMask) - 1).pointee.hash)
            // It may stay where its home lies cyclically in hole+1...position.
            let stays = hole <= position ? home > hole && home <= position : home > hole || home <= position
            if stays { continue }
            store(slot, at: hole)
            hole = position
        }
        store(0, at: hole)
    }
}
