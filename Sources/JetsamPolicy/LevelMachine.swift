package import MemoryPressure

/// The one level of the process, with its reason.
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

    private var course: LevelCourse
    /// The reason for the present level; nil while it has always been normal.
    package private(set) var reason: LevelReason?
    /// The rule that called for the higher level before; nil where the level rose last, or another vote holds it where it is.
    package private(set) var ended: PressureRule?

    package init(timing: ManagerConfiguration.LevelTiming) {
        course = LevelCourse(timing: LevelCourse.Timing(timing))
    }

    package var level: PressureLevel { course.level }

    package mutating func reconfigure(_ timing: ManagerConfiguration.LevelTiming) {
        course.timing = LevelCourse.Timing(timing)
    }

    package mutating func handle(_ vote: Vote, cause: LevelCause, at now: MonotonicInstant) -> Outcome {
        let reason = vote.reason(cause)
        switch course.handle(vote.level, at: now) {
        case .unchanged: return .unchanged
        case .changed(let old):
            replaceReason(with: reason, vote)
            return .changed(from: old, reason: reason)
        case .repeated:
            replaceReason(with: reason, vote)
            return .repeated(reason: reason)
        }
    }

    private mutating func replaceReason(with reason: LevelReason, _ vote: Vote) {
        let isHeld = level > .normal && vote.level >= level
        ended = isHeld ? nil : ended ?? self.reason?.rule
        self.reason = reason
    }

    /// The time when the level may fall next if every vote stays below it; nil where none is.
    var fallsAt: MonotonicInstant? { course.fallsAt }
}

extension LevelCourse.Timing {
    fileprivate init(_ timing: ManagerConfiguration.LevelTiming) {
        self.init(
            criticalFallDelay: timing.criticalFallDelay, warningFallDelay: timing.warningFallDelay,
            repeatInterval: timing.repeatInterval)
    }
}
