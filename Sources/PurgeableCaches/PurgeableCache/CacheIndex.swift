internal import CLinuxShims

/// A shard's index: a table of slots that leads from hash values to entries, by open addressing.
///
/// It is behind the shard's locks. It grows and shrinks a few slots at a time, by moving them to another table; until the last has
/// moved, an entry has its slot in one of the two. Where a call changes which tables there are, it returns true, and the shard
/// tells the stripes.
@safe @usableFromInline
struct CacheIndex {
    /// The bits of a slot that hold an entry's number + 1.
    @usableFromInline static var numberMask: UInt32 { 1 << 25 - 1 }
    /// In a slot of the table that the others are moving out of: it is there no more, but those behind it may be.
    @usableFromInline static var movedSlot: UInt32 { numberMask }

    private static let fewestSlots: UInt32 = 16
    /// Slots that one insertion moves at least, which takes some microseconds. An index of a few hundred entries moves with one or two
    /// insertions: while it moves, a lookup may have to search both tables.
    private static let slotsOfInsertion = 256
    /// Slots that are moved in one hold of the lock where nothing else is done.
    private static let slotsOfHold = 1024

    /// A table.
    @safe struct Slots {
        let base: UnsafeMutablePointer<UInt32>
        let count: UInt32

        /// An empty table.
        init(_ count: UInt32, _ memory: CacheMemory) {
            self.count = count
            unsafe base = memory.allocateTable(Int(count) + CacheStripe.mirrored)
            unsafe base.initialize(repeating: 0, count: Int(count) + CacheStripe.mirrored)
        }

        func deallocate(_ memory: CacheMemory) {
            unsafe memory.deallocate(table: base, Int(count) + CacheStripe.mirrored)
        }

        @inline(__always)
        func home(_ hash: UInt32) -> Int { Int((UInt64(hash) * UInt64(count)) >> 32) }

        @inline(__always)
        func after(_ position: Int) -> Int { position + 1 == Int(count) ? 0 : position + 1 }

        /// Stores a slot, and repeats the first slots behind the last. So a search needs no second look from the beginning.
        @inline(__always)
        func store(_ slot: UInt32, at position: Int) {
            unsafe base[position] = slot
            if position < CacheStripe.mirrored { unsafe base[Int(count) + position] = slot }
        }

        @inline(__always)
        func put(_ entry: UInt32, hash: UInt32) {
            var position = home(hash)
            while unsafe base[position] != 0 { position = after(position) }
            store(CacheIndex.tag(hash) | (entry + 1), at: position)
        }
    }

    private let memory: CacheMemory
    private(set) var slots: Slots
    /// The table that slots are moving out of, as long as they do, and how many of its slots have.
    private(set) var old: Slots?
    private var moved = 0

    /// Indicates whether slots are on their way to another table.
    var isMoving: Bool { old != nil }

    /// - Parameter entries: The number of entries that it has room for from the first on.
    init(_ memory: CacheMemory, entries: Int = 0) {
        self.memory = memory
        slots = Slots(max(Self.fewestSlots, UInt32(entries * 2)), memory)
    }

    func deallocate() {
        slots.deallocate(memory)
        old?.deallocate(memory)
    }

    /// The bits of a slot above the number: seven of the hash value that neither choose the shard nor, mostly, the place in the
    /// index.
    @inlinable
    @inline(__always)
    static func tag(_ hash: UInt32) -> UInt32 { (hash << 19) & ~numberMask }

    // MARK: - Entries

    /// Adds an entry to an index of so many; true where the stripes must be told.
    mutating func add(_ entry: UInt32, hash: UInt32, count: Int, _ entries: CacheEntries) -> Bool {
        var hasChanged = false
        if let old {
            // So many that all have moved before there is no room for more.
            let room = max(1, Int(slots.count) / 4 * 3 - count)
            hasChanged = move(max(Self.slotsOfInsertion, (Int(old.count) - moved) / room + 1), entries)
        }
        let next = nextSlotCount(count: count)
        if next > 0 {
            beginMove(to: Slots(next, memory))
            hasChanged = true
        }
        slots.put(entry, hash: hash)
        return hasChanged
    }

    /// Takes the entry out and moves those behind it up, so that no lookup ends before what it looks for.
    func remove(_ entry: UInt32, _ entries: CacheEntries) {
        let hash = unsafe entries.header(entry).pointee.hash
        guard var hole = slot(of: entry, hash: hash) else {
            unsafe oldSlot(of: entry, hash: hash).pointee = Self.movedSlot
            return
        }
        var position = hole
        while true {
            position = slots.after(position)
            let slot = unsafe slots.base[position]
            guard slot != 0 else { break }
            let home = slots.home(unsafe entries.header((slot & Self.numberMask) - 1).pointee.hash)
            // It may stay where its home lies cyclically in hole+1...position.
            let stays = hole <= position ? home > hole && home <= position : home > hole || home <= position
            if stays { continue }
            slots.store(slot, at: hole)
            hole = position
        }
        slots.store(0, at: hole)
    }

    /// Has the slot of an entry speak of another one, which has the same hash value.
    func renumber(_ entry: UInt32, to other: UInt32, hash: UInt32) {
        if let position = slot(of: entry, hash: hash) {
            slots.store(Self.tag(hash) | (other + 1), at: position)
        } else {
            unsafe oldSlot(of: entry, hash: hash).pointee = Self.tag(hash) | (other + 1)
        }
    }

    /// The number of the slot of an entry; nil where it has not moved yet.
    private func slot(of entry: UInt32, hash: UInt32) -> Int? {
        var position = slots.home(hash)
        while unsafe slots.base[position] & Self.numberMask != entry + 1 {
            if unsafe slots.base[position] == 0 { return nil }
            position = slots.after(position)
        }
        return position
    }

    /// The slot of an entry in the table that slots are moving out of. The entry has none in the other one.
    private func oldSlot(of entry: UInt32, hash: UInt32) -> UnsafeMutablePointer<UInt32> {
        guard let old else { fatalError("an entry is in no index") }
        var position = old.home(hash)
        while unsafe old.base[position] & Self.numberMask != entry + 1 { position = old.after(position) }
        return unsafe old.base + position
    }

    // MARK: - Size

    /// The number of slots of the table that begins with the next entry; 0 where none does. It grows by half, so that it is never
    /// less than half full.
    func nextSlotCount(count: Int) -> UInt32 {
        !isMoving && (count + 1) * 4 > Int(slots.count) * 3 ? slots.count + slots.count / 2 : 0
    }

    /// Begins to move to an empty table. The stripes must be told.
    mutating func beginMove(to slots: Slots) {
        old = self.slots
        moved = 0
        self.slots = slots
    }

    /// The number of slots of a smaller table that is right for so many entries; 0 where there are not far too many.
    func shrunkSlotCount(count: Int) -> UInt32 {
        let wanted = max(Self.fewestSlots, UInt32(count * 2))
        return !isMoving && slots.count / 2 > wanted ? wanted : 0
    }

    /// Moves as many slots as one hold of the lock should; true where none is left in the other table.
    mutating func moveSome(_ entries: CacheEntries) -> Bool { move(Self.slotsOfHold, entries) }

    /// Moves so many slots more; true where none is left in the other table.
    private mutating func move(_ number: Int, _ entries: CacheEntries) -> Bool {
        guard let old else { return false }
        let end = min(moved + number, Int(old.count))
        for position in moved..<end {
            let number = unsafe old.base[position] & Self.numberMask
            guard number != 0, number != Self.movedSlot else { continue }
            unsafe jetsam_prefetch_to_read(entries.header(number - 1))
        }
        for position in moved..<end {
            let number = unsafe old.base[position] & Self.numberMask
            guard number != 0, number != Self.movedSlot else { continue }
            unsafe old.base[position] = Self.movedSlot
            slots.put(number - 1, hash: unsafe entries.header(number - 1).pointee.hash)
        }
        moved = end
        guard end == Int(old.count) else { return false }
        old.deallocate(memory)
        self.old = nil
        return true
    }
}
