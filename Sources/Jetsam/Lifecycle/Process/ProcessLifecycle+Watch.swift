internal import MemoryPressure

extension ProcessLifecycle {
    /// One turn of the sampler; gives how long it may sleep.
    func tick(_ interval: Duration) -> Duration {
        let (isDue, sleep) = watch.look(
            at: now, idleDelay: idleNanoseconds, tasks: dependencies.tasks, backgroundTime: backgroundTime)
        if isDue { dependencies.ring() }
        return sleep == .max ? interval : min(interval, .nanoseconds(sleep))
    }

    /// Does what the sampler found due. Runs on the notification queue.
    ///
    /// - Parameter pulse: Called where the supervisor's watchdog is to be told that the sampler answers.
    func performDueWork(pulse: () -> Void) {
        let work = watch.collectDueWork()
        if work.contains(.pulse) { pulse() }
        if work.contains(.lookAtTime) { lookAtTime() }
        if work.contains(.suspend) { Task { await suspendIfIdle() } }
        if work.contains(.timeIsOver) { Task { await suspendAfterTime() } }
        if work.contains(.resume) { Task { try? await resume() } }
    }

    private func suspendIfIdle() async {
        await turn.acquire()
        defer { turn.release() }
        guard processState == .background, !isShuttingDown, dependencies.tasks.heldCount == 0,
            backgroundModes.isEmpty
        else { return }
        try? await suspendOrLeave(cause: .idle)
    }

    /// From suspended to the background: there is work again.
    func resume() async throws(LifecycleRefusal) {
        if isInsideCallback { throw .insideCallback }
        await turn.acquire()
        defer { turn.release() }
        guard processState == .suspended else { return }
        try await move(to: .background, cause: .resume)
    }
}
