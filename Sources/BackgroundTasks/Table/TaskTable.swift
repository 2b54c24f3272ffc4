internal import CLinuxShims
internal import JetsamSystem
internal import Synchronization

/// Every background task of a registry: begin, end, and what is due. Calls nobody.
@safe final class TaskTable: Sendable {
    typealias Identifier = UInt64

    /// 32 bits of generation, 4 of shard, 28 of index. Never 0: no generation is.
    private static let indexBits: UInt64 = 28
    private static let shardBits: UInt64 = 4

    nonisolated(unsafe) let shards: UnsafeMutablePointer<TaskShardReference>
    let shardCount: Int
    /// The registry. Each shard with entries keeps it alive, by one reference.
    nonisolated(unsafe) private(set) var keeper: Unmanaged<AnyObject>?
    let origins = OriginTable()
    let scenes = SceneNumbers()
    private let waiters = ReleaseWaiters()
    let pauses: PauseWatch
    let overdueHolds: Bool
    let graceNanoseconds: Int64
    let leadMicroseconds: Int64
    private let clock: any MonotonicClock
    private let isSystemClock: Bool
    /// The earliest time when a background task could have begun; `began` counts from it.
    let start: Int64
    let admissionWord = Atomic<UInt32>(0)
    /// The process's deadline: see ``ProcessDeadline``.
    let deadlineWord = Atomic<Int64>(ProcessDeadline.none.word)
    /// The lead before that deadline, in nanoseconds.
    let deadlineLead = Atomic<Int64>(0)
    /// The time from which a process that drains waits for nobody, in monotonic nanoseconds; `.max` while it does not drain.
    let waitEnd = Atomic<Int64>(.max)
    let refused = Atomic<Int>(0)
    /// The number of tasks that were reported because they have been held for long.
    let longHeld = Atomic<Int>(0)

    init(configuration: BackgroundTaskConfiguration, clock: any MonotonicClock, pauses: PauseWatch) {
        let configuration = configuration.bounded
        self.clock = clock
        self.pauses = pauses
        isSystemClock = clock is SystemMonotonicClock
        start = clock.now.nanoseconds
        overdueHolds = configuration.overdueTasksHold
        graceNanoseconds = configuration.grace.nanoseconds
        leadMicroseconds = configuration.lead.nanoseconds / 1000
        var count = 1
        while count < min(Int(jetsam_processor_count()), 1 << Int(Self.shardBits)) { count *= 2 }
        shardCount = count
        unsafe shards = .allocate(capacity: count)
        for shard in 0..<count { unsafe (shards + shard).initialize(to: TaskShardReference(now: start)) }
    }

    deinit {
        for shard in 0..<shardCount { unsafe shards[shard].destroy() }
        unsafe shards.deallocate()
    }

    @inline(__always)
    var admission: Admission { Admission(word: admissionWord.load(ordering: .acquiring)) }

    /// Changes which tasks may begin.
    func changeAdmission(_ change: (inout Admission) -> Void) {
        var old = admissionWord.load(ordering: .acquiring)
        while true {
            var admission = Admission(word: old)
            change(&admission)
            let (isDone, original) = admissionWord.compareExchange(
                expected: old, desired: admission.word, ordering: .acquiringAndReleasing)
            if isDone { return }
            old = original
        }
    }

    /// Set once, before anything begins.
    func setKeeper(_ registry: AnyObject) {
        unsafe keeper = Unmanaged.passUnretained(registry)
    }

    /// Monotonic nanoseconds.
    @inline(__always)
    var now: Int64 { isSystemClock ? jetsam_monotonic_ns() : clock.now.nanoseconds }

    /// Returns the running time at that monotonic time.
    @inline(__always)
    func running(_ now: Int64) -> Int64 { now - pauses.pausedNanoseconds }

    /// Returns the present time for something that begins now, monotonic and running.
    @inline(__always)
    private func bothTimes() -> (now: Int64, running: Int64) {
        while true {
            let paused = pauses.pausedNanoseconds
            let now = now
            // Otherwise the pause, once found, would move this deadline too.
            if pauses.isLate(now) { pauses.check(MonotonicInstant(nanoseconds: now)) }
            // One that was found since the clock was read is in the one time and not in the other.
            if pauses.pausedNanoseconds == paused { return (now, now - paused) }
        }
    }

    struct Begun {
        var identifier: Identifier
        /// The time when something is due for it, in running time; `.max` for never.
        var due: Int64
    }

    /// - Parameters:
    ///   - takesReason: True where the handler is an ``InformedHandler``.
    ///   - isLeavingWork: True where it begins at every level, up to the end.
    ///   - seen: The admission as it was seen under the lock.
    /// - Returns: Nil where the task may not begin any more, as `seen` then says, and where the shard is full.
    @inline(__always)
    func begin(
        _ name: BackgroundTaskName, _ priority: ResourcePriority, _ expiry: BackgroundTaskExpiry, _ owner: UInt32,
        _ file: StaticString, _ line: UInt, _ handler: consuming ExpirationHandler, hasHandle: Bool,
        takesReason: Bool, isLeavingWork: Bool, admission seen: inout Admission
    ) -> Begun? {
        let (now, running) = bothTimes()
        let number = Int(jetsam_processor()) & (shardCount - 1)
        let shard = unsafe shards[number]
        let nameAddress = Self.address(name)
        let fileAddress = file.hasPointerRepresentation ? unsafe UInt(bitPattern: file.utf8Start) : 0
        var origin: UInt32?
        // Moved into its entry, not copied: counting a reference up and down costs a tenth of the whole.
        var pending = Optional(handler)
        while true {
            let begun: Begun?? = shard.withLock { shard in
                // Once more: whoever shut the table and then took this lock has seen all that began.
                seen = admission
                guard seen.admits(priority) || (isLeavingWork && !seen.isShut) else { return .some(nil) }
                let known =
                    origin ?? (nameAddress == 0 ? nil : shard.origins.number(nameAddress, fileAddress, line))
                guard let known else { return .none }
                var due = Int64.max
                var lead: UInt32 = 0
                if let duration = expiry.duration {
                    if shard.converted.duration != duration {
                        shard.converted = (duration, duration.nanoseconds, self.lead(duration.nanoseconds))
                    }
                    lead = shard.converted.lead
                    let (sum, overflow) = running.addingReportingOverflow(max(0, shard.converted.nanoseconds))
                    due = overflow ? .max : sum - Int64(lead) * 1000
                }
                // Asked under the lock: the walk may have come by since the look at the clock.
                if shard.isPastDeadline {
                    due = running
                    lead = min(UInt32(clamping: (deadline - now) / 1000), TaskEntry.leadMask)
                    lead |= TaskEntry.mark(deadlineReason)
                }
                if takesReason { lead |= TaskEntry.takesReasonBit }
                let generation = shard.nextGeneration
                shard.nextGeneration = generation == .max ? 1 : generation + 1
                let entry = TaskEntry(
                    handler: pending.take(), due: due, leadAndMarks: lead,
                    began: UInt32(truncatingIfNeeded: (now - start) >> TaskEntry.beginShift)
                        & ~TaskEntry.handleBit | (hasHandle ? TaskEntry.handleBit : 0),
                    next: TaskEntry.noIndex, previous: TaskEntry.noIndex, generation: generation,
                    origin: known, owner: owner, place: TaskEntry.Place.none, priority: priority.rawValue,
                    phase: .held)
                let began = entry.begunAt
                guard let index = shard.slab.insert(entry) else { return .some(nil) }
                shard.link(index)
                shard.begun += 1
                shard.holding += 1
                shard.began &+= Int(began)
                if shard.slab.taken == 1 { _ = unsafe keeper?.retain() }
                let identifier =
                    UInt64(generation) << (Self.indexBits + Self.shardBits) | UInt64(number) << Self.indexBits
                    | UInt64(index)
                return .some(Begun(identifier: identifier, due: due))
            }
            if let begun { return begun }
            origin = register(name, nameAddress, file, fileAddress, line, shard)
        }
    }

    @inline(never)
    private func register(
        _ name: BackgroundTaskName, _ nameAddress: UInt, _ file: StaticString, _ fileAddress: UInt, _ line: UInt,
        _ shard: TaskShardReference
    ) -> UInt32 {
        let text =
            switch name.content {
            case .literal(let literal): literal.withUTF8Buffer { unsafe String(decoding: $0, as: UTF8.self) }
            case .text(let text): text
            }
        let number = origins.number(text, file, line)
        if nameAddress != 0 {
            shard.withLock { $0.origins.store(nameAddress, fileAddress, line, number) }
        }
        return number
    }

    @inline(__always)
    private static func address(_ name: BackgroundTaskName) -> UInt {
        if case .literal(let literal) = name.content { return unsafe UInt(bitPattern: literal.utf8Start) }
        return 0
    }

    /// The lead in microseconds: never more than a tenth of the expiry.
    private func lead(_ nanoseconds: Int64) -> UInt32 {
        UInt32(clamping: min(leadMicroseconds, max(0, nanoseconds) / 10_000))
    }

    /// The result of an `end`.
    struct Ended {
        var handler: ExpirationHandler?
        /// The scene that it belonged to; 0 for none, or where its slot stays.
        var owner: UInt32
        /// Indicates whether its shard holds nothing any more.
        var shardIsFree: Bool
        /// Indicates whether something is left to do in the registry. A reference to the registry then comes along: the one that
        /// the shard had while it had entries, or one of its own. Without it, another thread's end could be the end of the
        /// registry.
        var hasReference: Bool { shardIsFree || owner != 0 }
    }

    /// Under the shard's lock.
    @inline(__always)
    private func ended(_ handler: consuming ExpirationHandler?, _ owner: UInt32, _ shard: borrowing TaskShard)
        -> Ended
    {
        let ended = Ended(handler: handler, owner: owner, shardIsFree: shard.holding == 0)
        if ended.hasReference, shard.slab.taken > 0 { _ = unsafe keeper?.retain() }
        return ended
    }

    /// Nil where the identifier is of no background task that is there. What a handle has only the handle ends: an identifier of
    /// another registry could have the same number, and the slot would be gone from under it.
    @inline(__always)
    func end(_ identifier: Identifier, isHandle: Bool) -> Ended? {
        guard let (shard, index, generation) = locate(identifier) else { return nil }
        return shard.withLock { shard in
            guard let entry = unsafe shard.slab.entry(index, generation: generation),
                unsafe entry.pointee.hasHandle == isHandle
            else { return nil }
            let owner = unsafe entry.pointee.owner
            return ended(shard.remove(index, overdueHolds: overdueHolds), owner, shard)
        }
    }

    /// Ends a task from outside: where a handle has it, the slot stays until that lets go.
    func endFromOutside(_ identifier: Identifier) -> Ended? {
        guard let (shard, index, generation) = locate(identifier) else { return nil }
        return shard.withLock { shard in
            guard let entry = unsafe shard.slab.entry(index, generation: generation),
                unsafe entry.pointee.phase != .ended
            else { return nil }
            if unsafe entry.pointee.hasHandle {
                return ended(shard.endKeepingSlot(index, overdueHolds: overdueHolds), 0, shard)
            }
            let owner = unsafe entry.pointee.owner
            return ended(shard.remove(index, overdueHolds: overdueHolds), owner, shard)
        }
    }

    /// The handle is given up for an identifier. A slot that was only kept for the handle is free now.
    func giveUpHandle(_ identifier: Identifier) -> Ended? {
        guard let (shard, index, generation) = locate(identifier) else { return nil }
        return shard.withLock { shard in
            guard let entry = unsafe shard.slab.entry(index, generation: generation) else { return nil }
            unsafe entry.pointee.began &= ~TaskEntry.handleBit
            guard unsafe entry.pointee.phase == .ended else { return nil }
            let owner = unsafe entry.pointee.owner
            return ended(shard.remove(index, overdueHolds: overdueHolds), owner, shard)
        }
    }

    @inline(__always)
    func locate(_ identifier: Identifier) -> (TaskShardReference, UInt32, UInt32)? {
        let number = Int(truncatingIfNeeded: identifier >> Self.indexBits) & (1 << Int(Self.shardBits) - 1)
        guard identifier != 0, number < shardCount else { return nil }
        let index = UInt32(truncatingIfNeeded: identifier & (1 << Self.indexBits - 1))
        return unsafe (
            shards[number], index, UInt32(truncatingIfNeeded: identifier >> (Self.indexBits + Self.shardBits))
        )
    }

    func identifier(shard: Int, index: UInt32, generation: UInt32) -> Identifier {
        UInt64(generation) << (Self.indexBits + Self.shardBits) | UInt64(shard) << Self.indexBits | UInt64(index)
    }

    /// Returns once nothing holds up the end any more, or the task is cancelled.
    func waitUntilReleased() async {
        await waiters.wait { settledHolding == 0 }
    }

    /// Something that held is gone: lets those go that wait for the last.
    @inline(__always)
    func checkReleased() {
        if waiters.isAnyWaiting { waiters.letGo { settledHolding == 0 } }
    }

    /// Indicates whether somebody waits for the last task to end.
    var isAwaited: Bool { waiters.isAnyWaiting }

    /// The approximate number of tasks that hold up suspension and the end. Takes no lock.
    var holding: Int {
        var sum = 0
        for number in 0..<shardCount { sum += unsafe shards[number].holding }
        return sum
    }

    /// The same at one instant, under all locks: one that begins before another ends is never missed, wherever they are.
    var settledHolding: Int {
        var sum = 0
        for number in 0..<shardCount { unsafe shards[number].lock() }
        for number in 0..<shardCount { sum += unsafe shards[number].holding }
        for number in 0..<shardCount { unsafe shards[number].unlock() }
        return sum
    }
}
