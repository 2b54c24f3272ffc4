internal import Logging
internal import MemoryPressure

extension ProcessLifecycle {
    /// The zone is looked at this often: nothing tells that it has changed.
    private static let zoneInterval = Duration.seconds(60)

    /// Looks whether a day has begun or the zone is another one, tells it, and says when to look again. Reads files, and allocates:
    /// not for the sampler.
    func lookAtTime() {
        let wallClock = dependencies.wallClock()
        let seconds = dependencies.secondsFromUTC(wallClock)
        let (changes, untilMidnight) = days.withLock { days in
            let changes = days.observe(wallClock: wallClock, secondsFromUTC: seconds)
            return (changes, days.untilMidnight(wallClock: wallClock))
        }
        watch.lookAtTime(after: now.advanced(by: min(Self.zoneInterval, .nanoseconds(untilMidnight))))
        for change in changes {
            if change == .timeZone {
                dependencies.logger.notice(
                    "The offset of local time from UTC has changed",
                    metadata: ["secondsFromUTC": "\(seconds)"])
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
