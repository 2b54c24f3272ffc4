internal import Logging
internal import MemoryPressure
internal import ServiceLifecycle

extension ProcessLifecycle {
    /// Shutdown begins: readiness is false, nothing leads to the foreground any more, the clock runs. Does nothing the second
    /// time.
    ///
    /// - Returns: The end that has begun, by this call or by an earlier one.
    @discardableResult
    func beginShutdown(_ manner: ProcessEnding.Manner = .shutdown) -> ProcessEnding {
        let clock = TerminationClock(
            began: now, gracePeriod: configuration.terminationGracePeriod,
            backgroundDeadline: configuration.backgroundDeadline, exitRoom: configuration.exitRoom,
            taskGrace: dependencies.tasks.overdueGrace)
        let ending = ProcessEnding(manner, clock: clock, backgroundDeadline: configuration.backgroundDeadline)
        let earlier = state.begin(ending)
        dependencies.gauges.noteLeaving()
        renewBackgroundTime()
        if let earlier { return earlier }
        servingWait.resolve(.abandoned)
        endWait.expire(at: clock.backgroundStart)
        waits.hurry(to: ending.workEnd)
        dependencies.tasks.beginDraining(deadline: clock.taskDeadline, waitEnd: clock.waitEnd)
        notifier?.stopping(within: configuration.terminationGracePeriod)
        dependencies.memory?.follow(processState, isDraining: true)
        tasks.tellWhatHolds()
        return ending
    }

    /// Returns when the gate is to close: the group shuts down, or the process leaves.
    ///
    /// - Returns: False where the task was cancelled.
    func waitToClose() async -> Bool {
        await withTaskGroup(of: Void.self) { group -> Bool in
            group.addTask { [gateWait] in
                do {
                    try await gracefulShutdown()
                    gateWait.resolve(.done)
                } catch {
                    gateWait.resolve(.abandoned)
                }
            }
            let outcome = await gateWait.outcome()
            group.cancelAll()
            return outcome == .done
        }
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
        endWait.resolve()
    }

    /// Returns when the manager has something to do about its end: its turn in the group has come, or only the time is left
    /// that it takes itself; the task is cancelled; or the process ends instead of suspending.
    func waitForEnd() async {
        await endWait.end()
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
        await tasks.wait(until: clock.admissionEnd)
        // They may begin tasks for what they finish.
        if !ending.isByItself {
            await waitForServers(until: clock.admissionEnd)
            await tasks.wait(until: clock.admissionEnd)
        }
        dependencies.tasks.shut()
        // Those that began until now were let in: they are told and waited for as well.
        await tasks.wait(until: clock.waitEnd)
        tasks.tellWhoExpired(since: expired)
        tasks.tellWhatIsLeft()
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

    /// Ends promptly, because the manager's task was cancelled or its start failed: observers are told, nobody is waited for.
    func abandon(cause: LifecycleCause) async {
        waits.abandon()
        state.beginShutdown()
        dependencies.tasks.shut()
        tasks.tellWhatIsLeft()
        await turn.acquire()
        defer { turn.release() }
        guard processState != .notRunning else { return }
        let skipsBackground = state.current.ending?.skipsBackground ?? false
        if cause != .launch, !skipsBackground, processState == .active || processState == .inactive {
            try? await move(to: .background, cause: cause, by: now)
        }
        try? await move(to: .notRunning, cause: cause, by: now)
    }
}
