internal import CLinuxShims
internal import JetsamSystem
internal import Synchronization

/// One part of the table, with a lock of its own, so that threads on different processors do not meet.
@safe struct TaskShard: ~Copyable {
    var slab = TaskSlab()
    var wheel: TimingWheel
    var origins = OriginCache()
    var firstUntimed = TaskEntry.noIndex
    /// Begins anywhere, so that the identifiers of one table are not those of another.
    var nextGeneration = UInt32.random(in: 1...UInt32.max)
    /// The expiry that was converted last: dividing 128 bits costs as much as all the rest.
    var converted = (duration: Duration.zero, nanoseconds: Int64(0), lead: UInt32(0))
    var begun = 0
    var ended = 0
    var expired = 0
    var overdue = 0
    /// Overdue ones that were not ended yet.
    var overdueNow = 0
    /// Those that hold up suspension and the end.
    var holding = 0
    /// The sum of the times when those began, in units of 2^`beginShift` ns.
    var began = 0
    /// The progress of the walk that expires everything at the process's deadline; nil while none is under way.
    var walk: Int?
    /// The walk has begun: what begins from here on is due at once, and its deadline is the process's.
    var isPastDeadline = false

    init(now: Int64) {
        wheel = TimingWheel(now: now)
    }

    mutating func link(_ index: UInt32) {
        let entry = unsafe slab.entry(index)
        guard unsafe entry.pointee.due == .max else { return wheel.insert(index, slab) }
        unsafe entry.pointee.place = TaskEntry.Place.untimed
        unsafe entry.pointee.previous = TaskEntry.noIndex
        unsafe entry.pointee.next = firstUntimed
        if firstUntimed != TaskEntry.noIndex { unsafe slab.entry(firstUntimed).pointee.previous = index }
        firstUntimed = index
    }

    @inline(__always)
    mutating func unlink(_ index: UInt32) {
        let entry = unsafe slab.entry(index)
        switch unsafe entry.pointee.place {
        case TaskEntry.Place.none: return
        case TaskEntry.Place.untimed:
            let next = unsafe entry.pointee.next
            let previous = unsafe entry.pointee.previous
            if next != TaskEntry.noIndex { unsafe slab.entry(next).pointee.previous = previous }
            if previous != TaskEntry.noIndex {
                unsafe slab.entry(previous).pointee.next = next
            } else {
                firstUntimed = next
            }
            unsafe entry.pointee.place = TaskEntry.Place.none
        default: wheel.remove(index, slab)
        }
    }

    /// Takes the entry out of the table and gives its handler, which is to be let go of outside the lock.
    @inline(__always)
    mutating func remove(_ index: UInt32, overdueHolds: Bool) -> ExpirationHandler? {
        prefetchNeighbours(index)
        unlink(index)
        let entry = unsafe slab.entry(index).move()
        count(endOf: entry.phase, entry.begunAt, overdueHolds: overdueHolds)
        slab.remove(index)
        return entry.handler
    }

    /// Asks for all that an end touches at once. With many held they are in no near cache, and waiting for one after the
    /// other takes longer than all the rest.
    @inline(__always)
    private func prefetchNeighbours(_ index: UInt32) {
        let entry = unsafe slab.entry(index)
        unsafe jetsam_prefetch(entry.pointee.handlerContext)
        // An entry on no list still names the neighbours of its last list, which may be gone with their chunks.
        guard unsafe entry.pointee.place != TaskEntry.Place.none else { return }
        let next = unsafe entry.pointee.next
        let previous = unsafe entry.pointee.previous
        if next != TaskEntry.noIndex { unsafe jetsam_prefetch(slab.entry(next)) }
        if previous != TaskEntry.noIndex { unsafe jetsam_prefetch(slab.entry(previous)) }
    }

    /// Ends the entry for a handle that still has it.
    mutating func endKeepingSlot(_ index: UInt32, overdueHolds: Bool) -> ExpirationHandler? {
        let entry = unsafe slab.entry(index)
        unlink(index)
        unsafe count(endOf: entry.pointee.phase, entry.pointee.begunAt, overdueHolds: overdueHolds)
        let handler = unsafe entry.pointee.handler
        unsafe entry.pointee.handler = nil
        unsafe entry.pointee.phase = .ended
        unsafe entry.pointee.due = .max
        return handler
    }

    @inline(__always)
    private mutating func count(endOf phase: TaskEntry.Phase, _ began: UInt32, overdueHolds: Bool) {
        if phase == .ended { return }
        if phase == .overdue {
            overdueNow -= 1
            if overdueHolds { holdsNoMore(began) }
        } else {
            holdsNoMore(began)
        }
        ended += 1
    }

    /// One that began then holds nothing up any more.
    @inline(__always)
    mutating func holdsNoMore(_ began: UInt32) {
        holding -= 1
        self.began &-= Int(began)
    }

    /// Moves the entry on to being told: puts it where its grace will end. Its handler stays until it is called.
    ///
    /// - Parameter latest: The process's deadline in running time; `.max` where there is none.
    mutating func expire(_ index: UInt32, at running: Int64, latest: Int64, grace: Int64) {
        let entry = unsafe slab.entry(index)
        let own = unsafe entry.pointee.due == .max ? .max : entry.pointee.due + entry.pointee.lead
        unsafe entry.pointee.phase = .expiring
        // One that is told late has its whole grace all the same.
        let (end, overflow) = max(min(own, latest), running).addingReportingOverflow(grace)
        unsafe entry.pointee.due = overflow ? .max - 1 : end
        wheel.insert(index, slab)
    }
}

/// The place of a shard and of its lock. Both are on cache lines of their own.
@safe struct TaskShardReference {
    private let word: UnsafeMutablePointer<jetsam_lock_word>
    private let shard: UnsafeMutablePointer<TaskShard>
    /// The number of tasks that hold up the end: `holding`, for callers that do not want the lock.
    private let gauge: UnsafeMutablePointer<Atomic<Int>>
    /// The sum of the times when those began.
    private let beganGauge: UnsafeMutablePointer<Atomic<Int>>
    private static let lineBytes = 128

    init(now: Int64) {
        let bytes = Self.lineBytes + MemoryLayout<TaskShard>.stride
        let memory = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: Self.lineBytes)
        unsafe word = memory.bindMemory(to: jetsam_lock_word.self, capacity: 1)
        unsafe word.initialize(to: jetsam_lock_word())
        unsafe gauge = (memory + Self.lineBytes / 2).bindMemory(to: Atomic<Int>.self, capacity: 1)
        unsafe gauge.initialize(to: Atomic(0))
        let beside = Self.lineBytes / 2 + MemoryLayout<Atomic<Int>>.stride
        unsafe beganGauge = (memory + beside).bindMemory(to: Atomic<Int>.self, capacity: 1)
        unsafe beganGauge.initialize(to: Atomic(0))
        unsafe shard = (memory + Self.lineBytes).bindMemory(to: TaskShard.self, capacity: 1)
        unsafe shard.initialize(to: TaskShard(now: now))
    }

    func destroy() {
        unsafe shard.deinitialize(count: 1)
        unsafe UnsafeMutableRawPointer(word).deallocate()
    }

    var holding: Int { unsafe gauge.pointee.load(ordering: .relaxed) }

    var began: Int { unsafe beganGauge.pointee.load(ordering: .relaxed) }

    func lock() { unsafe jetsam_lock(word) }
    func unlock() { unsafe jetsam_unlock(word) }

    @inline(__always)
    func withLock<Result: ~Copyable>(_ body: (inout TaskShard) -> Result) -> Result {
        unsafe jetsam_lock(word)
        let result = unsafe body(&shard.pointee)
        // Only whoever holds the lock writes it: no read-modify-write is needed.
        unsafe gauge.pointee.store(shard.pointee.holding, ordering: .relaxed)
        unsafe beganGauge.pointee.store(shard.pointee.began, ordering: .relaxed)
        unsafe jetsam_unlock(word)
        return result
    }
}
