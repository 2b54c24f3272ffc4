package import MemoryPressure

/// The one level of the process: it rises at once with the highest vote and falls a step at a time after a delay.
package struct LevelMachine {
    /// The change of the level that one vote caused.
    package enum Outcome: Equatable {
        /// Nothing to tell.
        case unchanged
        /// The level rose or fell, for this reason.
        case changed(from: PressureLevel, reason: LevelReason)
        /// The level stuck above normal for the repeat interval.
        case repeated(reason: LevelReason)
    }

    private var timing: ManagerConfiguration.LevelTiming
    package private(set) var level = PressureLevel.normal
    /// The reason for the present level; nil while it has always been normal.
    package private(set) var reason: LevelReason?
    /// The time since which every vote has been below the level.
    private var belowSince: MonotonicInstant?
    private var announcedAt: MonotonicInstant?

    package init(timing: ManagerConfiguration.LevelTiming) {
        self.timing = timing
    }

    package mutating func reconfigure(_ timing: ManagerConfiguration.LevelTiming) {
        self.timing = timing
    }

    package mutating func handle(_ vote: Vote, cause: LevelCause, at now: MonotonicInstant) -> Outcome {
        if vote.level > level {
            belowSince = nil
            return change(to: vote.level, reason: vote.reason(cause), at: now)
        }
        if vote.level == level {
            belowSince = nil
            return repeatIfDue(vote, cause, now)
        }
        let since = belowSince ?? now
        belowSince = since
        if since.duration(to: now) >= fallDelay {
            let lower: PressureLevel = level == .critical ? .warning : .normal
            // The next step down waits for its own delay, from here.
            belowSince = vote.level < lower ? now : nil
            return change(to: lower, reason: vote.reason(cause), at: now)
        }
        return repeatIfDue(vote, cause, now)
    }

    /// The time when the level may fall next if every vote stays below it; nil where none is.
    var fallsAt: MonotonicInstant? {
        belowSince?.advanced(by: fallDelay)
    }

    private var fallDelay: Duration {
        level == .critical ? timing.criticalFallDelay : timing.warningFallDelay
    }

    private mutating func change(to new: PressureLevel, reason: LevelReason, at now: MonotonicInstant) -> Outcome {
        let old = level
        level = new
        self.reason = reason
        announcedAt = now
        return .changed(from: old, reason: reason)
    }

    private mutating func repeatIfDue(_ vote: Vote, _ cause: LevelCause, _ now: MonotonicInstant) -> Outcome {
        guard level > .normal, vote.level == level, let announcedAt,
            announcedAt.duration(to: now) >= timing.repeatInterval
        else { return .unchanged }
        self.announcedAt = now
        let reason = vote.reason(cause)
        self.reason = reason
        return .repeated(reason: reason)
    }
}
