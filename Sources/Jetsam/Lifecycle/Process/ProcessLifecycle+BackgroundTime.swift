internal import Logging
internal import MemoryPressure

extension ProcessLifecycle {
    /// Begins the time in the background anew, or ends it: the state, the modes, or both are others now.
    func renewBackgroundTime() {
        guard let limit = configuration.backgroundTimeLimit else { return }
        // The last to come here sees all that has changed.
        let due = backgroundTimeTurn.withLock { _ -> MonotonicInstant? in
            let isCounting = state.withLock { state in
                state.launch.isDone && state.machine.state == .background && !state.machine.isShuttingDown
            }
            if isCounting, backgroundModes.isEmpty { return backgroundTime.begin(limit, at: now) }
            backgroundTime.cancel()
            return nil
        }
        if let due { dependencies.tasks.expect(due) }
    }

    /// The time that the process may still stay where it is: see ``ResourceManager/backgroundTimeRemaining``.
    var backgroundTimeRemaining: Duration? {
        if let clock = state.withLock({ $0.ending?.clock }) {
            return max(.zero, now.duration(to: clock.taskDeadline))
        }
        return backgroundTime.remaining(at: now)
    }

    /// The time in the background is over.
    func suspendAfterTime() async {
        await turn.acquire()
        defer { turn.release() }
        guard processState == .background, !isShuttingDown, backgroundModes.isEmpty, backgroundTime.isOver(at: now)
        else { return }
        if let limit = configuration.backgroundTimeLimit {
            let verb = configuration.exitsOnSuspend ? "ends" : "is suspended"
            dependencies.logger.notice(
                "The time in the background is over, after \(limit): the process \(verb)",
                metadata: ["held": "\(dependencies.tasks.heldCount)"])
        }
        try? await suspendOrLeave(cause: .expiration)
    }
}
