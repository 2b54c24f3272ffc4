internal import CLinuxShims
internal import JetsamSystem
internal import Synchronization

extension TaskShard {
    /// Moves what is due at `running` on, and puts what follows from it into the batch, as far as there is room.
    ///
    /// - Parameters:
    ///   - latest: The process's deadline in running time; `.max` where there is none.
    ///   - expiresAll: That is near: everything that is held is told, whatever its own deadline.
    /// - Returns: True where there may be more.
    mutating func collect(
        _ batch: inout ExpiryBatch, shard number: Int, running: Int64, latest: Int64, expiresAll: Bool,
        table: TaskTable
    ) -> Bool {
        let tick = TimingWheel.tick(notAfter: running)
        // Bounds how long the lock is held where many have to be put nearer.
        var budget = ExpiryBatch.capacity * 4
        while !batch.isFull, budget > 0 {
            guard let index = wheel.popNext(dueBy: tick, slab, budget: &budget) else { break }
            advance(index, number, running, latest, table, &batch)
        }
        if batch.isFull || budget <= 0 { return true }
        return expiresAll ? walkOn(&batch, number, running, latest, table) : false
    }

    private mutating func advance(
        _ index: UInt32, _ number: Int, _ running: Int64, _ latest: Int64, _ table: TaskTable,
        _ batch: inout ExpiryBatch
    ) {
        let entry = unsafe slab.entry(index)
        if unsafe entry.pointee.phase == .held {
            // It is called when the batch is full. Until then it can come from far.
            unsafe jetsam_prefetch(entry.pointee.handlerContext)
            expire(index, at: running, latest: latest, grace: table.graceNanoseconds)
            unsafe batch.append(table.identifier(shard: number, index: index, generation: entry.pointee.generation))
            return
        }
        unsafe entry.pointee.phase = .overdue
        overdue += 1
        overdueNow += 1
        if !table.overdueHolds { unsafe holdsNoMore(entry.pointee.begunAt) }
        let generation = unsafe entry.pointee.generation
        let identifier = table.identifier(shard: number, index: index, generation: generation)
        unsafe batch.append(
            OverdueTask(
                identifier: identifier, origin: entry.pointee.origin, began: entry.pointee.begunAt,
                progressed: slab.progress(index, generation: generation), since: entry.pointee.due,
                owner: entry.pointee.owner, priority: entry.pointee.priority))
    }

    /// Goes on through the chunks and expires what is held. A task that begins meanwhile is due at once, and need not be found.
    private mutating func walkOn(
        _ batch: inout ExpiryBatch, _ number: Int, _ running: Int64, _ latest: Int64, _ table: TaskTable
    ) -> Bool {
        guard var slot = walk else { return false }
        isPastDeadline = true
        let end = slab.chunkCount << TaskSlab.chunkShift
        let stop = min(end, slot + TaskSlab.chunkSize)
        while slot < stop, !batch.isFull {
            let index = UInt32(truncatingIfNeeded: slot)
            slot += 1
            guard slab.isTaken(index), unsafe slab.entry(index).pointee.phase == .held else { continue }
            unlink(index)
            unsafe slab.entry(index).pointee.reason = table.deadlineReason
            expire(index, at: running, latest: latest, grace: table.graceNanoseconds)
            let generation = unsafe slab.entry(index).pointee.generation
            batch.append(table.identifier(shard: number, index: index, generation: generation))
        }
        walk = slot < end ? slot : nil
        return walk != nil
    }
}

extension TaskTable {
    var deadlineLeadNow: Int64 { deadlineLead.load(ordering: .relaxed) }

    /// Returns whether everything that is held expires now, because the process's deadline is near.
    func isAtDeadline(_ now: Int64) -> Bool {
        now >= deadline &- deadlineLeadNow
    }

    /// Fills the batch with what is due now.
    /// - Returns: True where there may be more than there was room for.
    func collect(_ batch: inout ExpiryBatch) -> Bool {
        let now = now
        pauses.check(MonotonicInstant(nanoseconds: now))
        let running = running(now)
        let expiresAll = isAtDeadline(now)
        let deadline = deadline
        let latest = deadline == .max ? .max : self.running(deadline)
        var hasMore = false
        for number in 0..<shardCount {
            hasMore =
                unsafe shards[number].withLock {
                    $0.collect(
                        &batch, shard: number, running: running, latest: latest, expiresAll: expiresAll, table: self)
                } || hasMore
            if batch.isFull { return true }
        }
        return hasMore
    }

    /// The handler of one that is due, for being called now; nil where it has ended.
    func claimHandler(of identifier: Identifier) -> DueHandler? {
        guard let (shard, index, generation) = locate(identifier) else { return nil }
        return shard.withLock { shard in
            guard let entry = unsafe shard.slab.entry(index, generation: generation),
                let handler = unsafe entry.pointee.handler
            else { return nil }
            unsafe entry.pointee.handler = nil
            shard.expired += 1
            guard unsafe entry.pointee.takesReason else { return DueHandler(handler: handler, told: nil) }
            return unsafe DueHandler(
                handler: handler, told: (entry.pointee.reason, timeLeft(untilOverdue: entry.pointee.due)))
        }
    }

    /// Returns the time until the process no longer waits for a task; zero where it does not any more, nil where nothing bounds it.
    ///
    /// - Parameter due: The end of the task's grace, in running time.
    private func timeLeft(untilOverdue due: Int64) -> Duration? {
        let (overdue, overflow) = due.addingReportingOverflow(pauses.pausedNanoseconds)
        let end = min(waitEnd.load(ordering: .relaxed), overdueHolds || overflow ? .max : overdue)
        return end == .max ? nil : .nanoseconds(max(0, end - now))
    }

    /// Returns the time when something is due next, in monotonic nanoseconds; `.max` where nothing is.
    func nextDue() -> Int64 {
        var earliest = Int64.max
        for number in 0..<shardCount {
            let tick = unsafe shards[number].withLock { $0.wheel.nextTick }
            if let tick { earliest = min(earliest, TimingWheel.start(ofTick: tick)) }
        }
        let (sum, overflow) = earliest.addingReportingOverflow(pauses.pausedNanoseconds)
        return min(overflow ? .max : sum, nextWalk())
    }

    /// Returns the time when everything that is held has to be told; `.max` where nothing is held, or it was done.
    private func nextWalk() -> Int64 {
        let deadline = deadline
        guard deadline != .max else { return .max }
        let isLeft = (0..<shardCount).contains { unsafe shards[$0].withLock { $0.walk != nil } }
        return isLeft ? deadline &- deadlineLeadNow : .max
    }

    /// The process's deadline in monotonic nanoseconds; `.max` where it has none.
    var deadline: Int64 {
        ProcessDeadline(word: deadlineWord.load(ordering: .acquiring)).instant(after: pauses.pausedNanoseconds)
    }

    /// The reason for what expires by that deadline.
    var deadlineReason: BackgroundTaskExpiry.Reason {
        ProcessDeadline(word: deadlineWord.load(ordering: .acquiring)).reason
    }

    /// The process's deadline is set, or taken back. Costs nothing per background task.
    func setDeadline(_ deadline: ProcessDeadline, lead: Int64) {
        for number in 0..<shardCount {
            unsafe shards[number].withLock { shard in
                shard.walk = deadline == .none ? nil : 0
                shard.isPastDeadline = false
            }
        }
        deadlineLead.store(lead, ordering: .relaxed)
        deadlineWord.store(deadline.word, ordering: .releasing)
    }
}

/// A handler that is called now, and what it is told where it takes that.
struct DueHandler {
    fileprivate let handler: ExpirationHandler
    fileprivate let told: (reason: BackgroundTaskExpiry.Reason, timeLeft: Duration?)?

    func call() {
        guard let told else { return handler.call() }
        InformedHandler(kept: handler).call(told.reason, told.timeLeft)
    }
}

/// The time when everything that is held expires, in one word, so that a reader never sees half of a change. Pure.
struct ProcessDeadline: Equatable {
    /// An instant that stands as it is; one that moves with pauses as its complement, which is negative; `.max` for none.
    let word: Int64

    static let none = ProcessDeadline(word: .max)

    init(word: Int64) {
        self.word = word
    }

    /// The end of the process: whoever set it does not wait longer because the process was stopped.
    init(fixed nanoseconds: Int64) {
        self.init(word: max(0, nanoseconds))
    }

    /// - Parameters:
    ///   - nanoseconds: The time when it would be if the process were not stopped any more, in monotonic nanoseconds.
    ///   - paused: All the nanoseconds in which the process did not run so far.
    init(movingWithPauses nanoseconds: Int64, paused: Int64) {
        self.init(word: ~max(0, nanoseconds - paused))
    }

    /// A deadline that stands is the end of the process. One that moves ends its time in the background.
    var reason: BackgroundTaskExpiry.Reason { word < 0 ? .backgroundTime : .draining }

    /// In monotonic nanoseconds; `.max` for none.
    func instant(after paused: Int64) -> Int64 {
        guard word < 0 else { return word }
        let (sum, overflow) = (~word).addingReportingOverflow(paused)
        return overflow ? .max : sum
    }
}
