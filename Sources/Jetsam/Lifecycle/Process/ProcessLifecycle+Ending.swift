internal import Logging
internal import MemoryPressure
internal import ServiceLifecycle

extension ProcessLifecycle {
    /// Shutdown begins: readiness is false, nothing leads to the foreground any more, the clock runs. Does nothing the second
    /// time.
    ///
    /// - Returns: The end that has begun, by this call or by an earlier one.
    @discardableResult
    func beginShutdown(_ manner: Ending.Manner = .shutdown) -> Ending {
        let clock = TerminationClock(
            began: now, gracePeriod: configuration.terminationGracePeriod,
            backgroundDeadline: configuration.backgroundDeadline, exitRoom: configuration.exitRoom,
            taskGrace: dependencies.tasks.overdueGrace)
        let ending = Ending(
            clock: clock, manner: manner,
            workEnd: min(
                clock.backgroundEnd(from: clock.began, deadline: configuration.backgroundDeadline),
                clock.backgroundStart))
        let earlier = state.withLock { state -> Ending? in
            state.machine.beginShutdown()
            if let earlier = state.ending { return earlier }
            state.ending = ending
            return nil
        }
        dependencies.gauges.noteLeaving()
        setReady(false)
        renewBackgroundTime()
        if let earlier { return earlier }
        servingWait.resolve(.abandoned)
        // Servers that do not stop hold up nothing that has to be saved.
        let timer = waits.deadlines.add(clock.backgroundStart) { [endWait] in endWait.resolve(.expired) }
        state.withLock { $0.ending?.backgroundTimer = timer }
        if !endWait.isOpen { waits.deadlines.cancel(timer) }
        waits.hurry(to: ending.workEnd)
        dependencies.tasks.beginDraining(deadline: clock.taskDeadline, waitEnd: clock.waitEnd)
        notifier?.stopping(within: configuration.terminationGracePeriod)
        dependencies.memory?.follow(processState, isDraining: true)
        logWhatHolds()
        return ending
    }

    /// So many of the tasks that are waited for are named.
    private static let mostNamed = 8

    private func logWhatHolds() {
        let count = dependencies.tasks.heldCount
        guard count > 0 else { return dependencies.logger.info("Draining: no background task is held") }
        let names = dependencies.tasks.describeHolding(limit: Self.mostNamed).listed(of: count)
        dependencies.logger.notice(
            "Draining: waits for \(count) background \(count == 1 ? "task" : "tasks"): \(names)",
            metadata: ["held": "\(count)"])
    }

    /// Does the gate's part: no more work is taken before the servers are told.
    func closeGate() async {
        let ending = beginShutdown()
        await turn.acquire()
        if processState == .active {
            try? await move(to: .inactive, cause: ending.cause, by: ending.clock.waitEnd)
        }
        turn.release()
        let end = ending.clock.began.advanced(by: configuration.drainDelay)
        if end > now { _ = await waits.run(TimedWait(), until: { end }, movesWithPauses: false) }
    }

    /// Waits for the manager's turn in its group, which comes when the servers have ended. Ends when the task is cancelled.
    func awaitTurn() async {
        try? await gracefulShutdown()
        serversWait.resolve(.done)
        turnWait.resolve(.done)
        endWait.resolve(.done)
    }

    /// Returns when the manager has something to do about its end: its turn in the group has come, or only the time is left
    /// that it takes itself; the task is cancelled; or the process ends instead of suspending.
    func waitForEnd() async {
        _ = await endWait.outcome()
        if let timer = state.withLock({ $0.ending?.backgroundTimer }) { waits.deadlines.cancel(timer) }
    }

    /// Into the background, wait for what is held and for the servers, and end; never later than the grace period.
    func drain() async {
        let ending = beginShutdown()
        let clock = ending.clock
        let expired = dependencies.tasks.expiredCount
        await turn.acquire()
        if !ending.skipsBackground, processState == .active || processState == .inactive {
            let end = clock.backgroundEnd(from: now, deadline: configuration.backgroundDeadline)
            try? await move(to: .background, cause: ending.cause, by: end)
        }
        turn.release()
        var areReleased = await waitForTasks(until: clock.waitEnd)
        // They may begin tasks for what they finish.
        if !ending.isByItself {
            await waitForServers(until: clock.waitEnd)
            if areReleased { areReleased = await waitForTasks(until: clock.waitEnd) }
        }
        dependencies.tasks.shut()
        // Those that began between the end of the last one and now were let in, and are waited for as well.
        if areReleased { await waitForTasks(until: clock.waitEnd) }
        tellWhoExpired(since: expired)
        tellWhatIsLeft()
        await turn.acquire()
        try? await move(to: .notRunning, cause: ending.cause, by: clock.terminateEnd)
        turn.release()
        // A service that returns before its turn has the whole group cancelled; the group does so in time by itself.
        if !ending.isByItself { _ = await turnWait.outcome() }
    }

    private func waitForServers(until end: MonotonicInstant) async {
        let outcome = await waits.run(serversWait, until: { end }, movesWithPauses: false)
        guard outcome == .expired else { return }
        dependencies.logger.warning(
            "The termination grace period is nearly over, and servers have not stopped; they are cancelled soon")
    }

    /// - Returns: True where none was held any more.
    @discardableResult
    private func waitForTasks(until end: MonotonicInstant) async -> Bool {
        let tasks = dependencies.tasks
        guard tasks.heldCount > 0 else { return true }
        let wait = TimedWait()
        let release = Task {
            await tasks.waitUntilReleased()
            wait.resolve(.done)
        }
        let outcome = await waits.run(wait, until: { end }, movesWithPauses: false)
        release.cancel()
        return outcome == .done
    }

    /// Says how many tasks were told that their time is over since the process began to drain. Their names stand in the line that
    /// draining begins with.
    private func tellWhoExpired(since before: Int) {
        let count = dependencies.tasks.expiredCount - before
        guard count > 0 else { return }
        dependencies.logger.notice(
            "\(count) background \(count == 1 ? "task" : "tasks") expired while the process drained",
            metadata: ["count": "\(count)"])
    }

    /// Says which tasks the process ends without: overdue ones, and those for which there was no time. Once.
    private func tellWhatIsLeft() {
        guard
            state.withLock({ state in
                defer { state.hasToldWhatIsLeft = true }
                return !state.hasToldWhatIsLeft
            })
        else { return }
        let (count, names) = dependencies.tasks.unended(limit: Self.mostNamed)
        guard count > 0 else { return }
        dependencies.logger.warning(
            "\(count) background \(count == 1 ? "task has not ended and is" : "tasks have not ended and are") waited for no longer: \(names.listed(of: count))",
            metadata: ["count": "\(count)"])
    }

    /// Ends promptly, because the manager's task was cancelled or its start failed: observers are told, nobody is waited for.
    func abandon(cause: LifecycleCause) async {
        waits.abandon()
        setReady(false)
        state.withLock { $0.machine.beginShutdown() }
        dependencies.tasks.shut()
        tellWhatIsLeft()
        await turn.acquire()
        defer { turn.release() }
        guard processState != .notRunning else { return }
        let skipsBackground = state.withLock { $0.ending?.skipsBackground ?? false }
        if cause != .launch, !skipsBackground, processState == .active || processState == .inactive {
            try? await move(to: .background, cause: cause, by: now)
        }
        try? await move(to: .notRunning, cause: cause, by: now)
    }
}
