internal import Logging
internal import MemoryPressure

/// What time brings: the sampler's turns, the time in the background, and the local time.
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

    /// Begins the time in the background anew, or ends it: the state, the modes, or both are others now.
    func renewBackgroundTime() {
        guard let limit = configuration.backgroundTimeLimit else { return }
        let due = backgroundTime.renew(limit) { state.current.spendsBackgroundTime && modes.isEmpty ? now : nil }
        if let due { dependencies.tasks.expect(due) }
    }

    /// The time that the process may still stay where it is: see ``ResourceManager/backgroundTimeRemaining``.
    var backgroundTimeRemaining: Duration? {
        if let clock = state.current.ending?.clock { return max(.zero, now.duration(to: clock.taskDeadline)) }
        return backgroundTime.remaining(at: now)
    }

    func beginBackgroundMode(_ name: String) -> BackgroundMode {
        let id = modes.begin(name)
        renewBackgroundTime()
        return BackgroundMode { [weak self] in
            guard let self, modes.end(id) else { return }
            renewBackgroundTime()
        }
    }

    /// Looks whether a day has begun or the zone is another one, tells it, and says when to look again. Reads files, and allocates:
    /// not for the sampler.
    func lookAtTime() {
        let look = localTime.look()
        watch.lookAtTime(after: now.advanced(by: look.pause))
        for change in look.changes {
            if change == .timeZone {
                dependencies.logger.notice(
                    "The offset of local time from UTC has changed",
                    metadata: ["secondsFromUTC": "\(look.secondsFromUTC)"])
            }
            note(.significantTimeChange) { await $0.significantTimeChange(change) }
        }
    }

    /// The wall clock was set.
    func noteWallClockChange(by change: Duration) {
        note(.wallClockChanged) { observer in
            await observer.wallClockChanged(by: change)
            await observer.significantTimeChange(.wallClock)
        }
        // The date may be another one.
        lookAtTime()
    }
}
