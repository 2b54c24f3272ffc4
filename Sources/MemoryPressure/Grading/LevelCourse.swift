/// The course of a level: it rises at once with the highest vote, falls a step at a time after a delay, and is repeated where it
/// sticks.
package struct LevelCourse: Sendable {
    /// The delays, and the time until a repetition.
    package struct Timing: Sendable, Equatable {
        package var criticalFallDelay: Duration
        package var warningFallDelay: Duration
        package var repeatInterval: Duration

        package init(
            criticalFallDelay: Duration = .seconds(2), warningFallDelay: Duration = .seconds(5),
            repeatInterval: Duration = .seconds(30)
        ) {
            self.criticalFallDelay = criticalFallDelay
            self.warningFallDelay = warningFallDelay
            self.repeatInterval = repeatInterval
        }
    }

    /// The change that one vote caused.
    package enum Step: Equatable {
        /// Nothing to tell.
        case unchanged
        /// The level rose or fell.
        case changed(from: PressureLevel)
        /// The level stuck above normal for the repeat interval.
        case repeated
    }

    package var timing: Timing
    package private(set) var level = PressureLevel.normal
    /// The time since which every vote has been below the level.
    private var belowSince: MonotonicInstant?
    private var announcedAt: MonotonicInstant?

    package init(timing: Timing = Timing()) {
        self.timing = timing
    }

    package mutating func handle(_ vote: PressureLevel, at now: MonotonicInstant) -> Step {
        if vote > level {
            belowSince = nil
            return change(to: vote, at: now)
        }
        if vote == level {
            belowSince = nil
            return repeatIfDue(vote, now)
        }
        let since = belowSince ?? now
        belowSince = since
        if since.duration(to: now) >= fallDelay {
            let lower: PressureLevel = level == .critical ? .warning : .normal
            // The next step down waits for its own delay, from here.
            belowSince = vote < lower ? now : nil
            return change(to: lower, at: now)
        }
        return repeatIfDue(vote, now)
    }

    /// The time when the level may fall next if every vote stays below it; nil where none is.
    package var fallsAt: MonotonicInstant? {
        belowSince?.advanced(by: fallDelay)
    }

    private var fallDelay: Duration {
        level == .critical ? timing.criticalFallDelay : timing.warningFallDelay
    }

    private mutating func change(to new: PressureLevel, at now: MonotonicInstant) -> Step {
        let old = level
        level = new
        announcedAt = now
        return .changed(from: old)
    }

    private mutating func repeatIfDue(_ vote: PressureLevel, _ now: MonotonicInstant) -> Step {
        guard level > .normal, vote == level, let announcedAt, announcedAt.duration(to: now) >= timing.repeatInterval
        else { return .unchanged }
        self.announcedAt = now
        return .repeated
    }
}
