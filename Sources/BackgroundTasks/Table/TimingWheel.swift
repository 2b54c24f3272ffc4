/// A hierarchical timing wheel that does no I/O and knows no clock: seven levels of 64 slots with one word of occupancy each,
/// after Varghese and Lauck, "Hashed and Hierarchical Timing Wheels" (SOSP 1987).
///
/// It links entries of a slab by their indices. Inserting, removing and finding the next slot take constant time; what is
/// due comes out in slots, never early, and at most one tick late.
@safe struct TimingWheel: ~Copyable {
    /// 2^20 ns, a little more than a millisecond.
    static let tickShift: Int64 = 20
    private static let levels = 7
    private static let slotBits = 6
    private static let slots = 64
    /// Beyond the last level's reach, some 140 years, entries wait in its last slot and are put where they belong from there.
    private static let reach = UInt64(1) << UInt64(levels * slotBits)

    private let heads: UnsafeMutablePointer<UInt32>
    private let occupied: UnsafeMutablePointer<UInt64>
    /// The tick up to which everything was taken out.
    private(set) var elapsed: UInt64

    init(now: Int64) {
        unsafe heads = .allocate(capacity: Self.levels * Self.slots)
        unsafe heads.initialize(repeating: TaskEntry.noIndex, count: Self.levels * Self.slots)
        unsafe occupied = .allocate(capacity: Self.levels)
        unsafe occupied.initialize(repeating: 0, count: Self.levels)
        elapsed = Self.tick(notAfter: now)
    }

    deinit {
        unsafe heads.deallocate()
        unsafe occupied.deallocate()
    }

    /// The tick that has begun at `time`.
    @inline(__always)
    static func tick(notAfter time: Int64) -> UInt64 { UInt64(max(0, time)) >> UInt64(tickShift) }

    /// The first tick that begins at `time` or later: nothing comes early.
    @inline(__always)
    static func tick(notBefore time: Int64) -> UInt64 {
        let (sum, overflow) = UInt64(max(0, time)).addingReportingOverflow((1 << UInt64(tickShift)) - 1)
        return (overflow ? .max : sum) >> UInt64(tickShift)
    }

    @inline(__always)
    static func start(ofTick tick: UInt64) -> Int64 {
        tick >= UInt64(Int64.max >> tickShift) ? .max : Int64(tick << UInt64(tickShift))
    }

    /// Links the entry in at its `due`. Entries that are already due come out with the next ``popNext(dueBy:_:budget:)``.
    @inline(__always)
    mutating func insert(_ index: UInt32, _ slab: borrowing TaskSlab) {
        let entry = unsafe slab.entry(index)
        // One slot short of a whole turn: what came round to the present slot would seem due now.
        let furthest = elapsed + (Self.reach - Self.reach / UInt64(Self.slots))
        let tick = unsafe min(max(Self.tick(notBefore: entry.pointee.due), elapsed), furthest)
        // The highest bit in which now and then differ says how far apart they are.
        let distance = (elapsed ^ tick) | UInt64(Self.slots - 1)
        let level = min(Self.levels - 1, (63 - distance.leadingZeroBitCount) / Self.slotBits)
        let slot = Int(truncatingIfNeeded: tick >> UInt64(level * Self.slotBits)) & (Self.slots - 1)
        let place = level * Self.slots + slot
        let head = unsafe heads[place]
        unsafe entry.pointee.place = UInt16(truncatingIfNeeded: place)
        unsafe entry.pointee.previous = TaskEntry.noIndex
        unsafe entry.pointee.next = head
        if head != TaskEntry.noIndex {
            unsafe slab.entry(head).pointee.previous = index
        } else {
            unsafe occupied[level] |= 1 << UInt64(slot)
        }
        unsafe heads[place] = index
    }

    /// Unlinks an entry that is linked in here.
    @inline(__always)
    mutating func remove(_ index: UInt32, _ slab: borrowing TaskSlab) {
        let entry = unsafe slab.entry(index)
        let place = unsafe Int(entry.pointee.place)
        let next = unsafe entry.pointee.next
        let previous = unsafe entry.pointee.previous
        if next != TaskEntry.noIndex { unsafe slab.entry(next).pointee.previous = previous }
        if previous != TaskEntry.noIndex {
            unsafe slab.entry(previous).pointee.next = next
        } else {
            unsafe heads[place] = next
            if next == TaskEntry.noIndex {
                unsafe occupied[place / Self.slots] &= ~(1 << UInt64(place % Self.slots))
            }
        }
        unsafe entry.pointee.place = TaskEntry.Place.none
    }

    /// The tick at which something has to be looked at next; an entry's own tick is never before it. Nil where it is empty.
    var nextTick: UInt64? { nextSlot()?.tick }

    /// Unlinks the next entry that is due by `tick`; nil where there is none any more. Entries of higher levels are put
    /// nearer on the way, at most `budget` of them with one call, and the budget is then 0.
    mutating func popNext(dueBy tick: UInt64, _ slab: borrowing TaskSlab, budget: inout Int) -> UInt32? {
        while budget > 0 {
            if let index = popPresent(dueBy: tick, slab) {
                budget -= 1
                return index
            }
            guard let next = nextSlot(), next.tick <= tick else {
                elapsed = max(elapsed, tick)
                return nil
            }
            elapsed = max(elapsed, next.tick)
            let index = unsafe heads[next.level * Self.slots + next.slot]
            remove(index, slab)
            budget -= 1
            if next.level == 0 { return index }
            insert(index, slab)
        }
        return nil
    }

    /// Unlinks an entry of the present tick: with many due at once, nearly all come out here. None can be due before it.
    @inline(__always)
    private mutating func popPresent(dueBy tick: UInt64, _ slab: borrowing TaskSlab) -> UInt32? {
        let index = unsafe heads[Int(truncatingIfNeeded: elapsed) & (Self.slots - 1)]
        guard index != TaskEntry.noIndex, elapsed <= tick else { return nil }
        remove(index, slab)
        return index
    }

    private func nextSlot() -> (tick: UInt64, level: Int, slot: Int)? {
        var result: (tick: UInt64, level: Int, slot: Int)?
        for level in 0..<Self.levels {
            let word = unsafe occupied[level]
            guard word != 0 else { continue }
            let shift = UInt64(level * Self.slotBits)
            let here = Int(truncatingIfNeeded: elapsed >> shift) & (Self.slots - 1)
            let rotated = here == 0 ? word : word >> UInt64(here) | word << UInt64(Self.slots - here)
            let slot = (rotated.trailingZeroBitCount + here) & (Self.slots - 1)
            let turn = shift + UInt64(Self.slotBits)
            let round = (elapsed >> turn) << turn
            var tick = round + (UInt64(slot) << shift)
            if slot < here { tick += 1 << turn }
            if result.map({ tick < $0.tick }) ?? true { result = (tick, level, slot) }
        }
        return result
    }
}
