/// The grade of stall: of the share of time in which tasks waited for memory.
package struct StallGrade: Sendable {
    /// The shares at which the grade begins and ends.
    package struct Thresholds: Sendable, Equatable {
        /// Percent of ``StallWindow/length``, as are the next three.
        package var warningPercent: Int
        package var warningExitPercent: Int
        package var criticalPercent: Int
        package var criticalExitPercent: Int
        /// Stall counts only below this percent of headroom: with more of it, tasks wait for something else.
        package var headroomPercent: Int

        package init(
            warningPercent: Int = 7, warningExitPercent: Int = 4, criticalPercent: Int = 30,
            criticalExitPercent: Int = 15, headroomPercent: Int = 50
        ) {
            self.warningPercent = warningPercent
            self.warningExitPercent = warningExitPercent
            self.criticalPercent = criticalPercent
            self.criticalExitPercent = criticalExitPercent
            self.headroomPercent = headroomPercent
        }

        /// The share at which a grade above normal begins.
        package func percent(of grade: PressureLevel) -> Int {
            grade == .critical ? criticalPercent : warningPercent
        }
    }

    private var window = StallWindow()
    private var held = Hysteresis()
    /// Percent of the two seconds before the last reading in which some task waited for memory.
    package private(set) var percent = 0

    package init() {}

    /// The grade of the last reading.
    package var level: PressureLevel { held.level }

    /// Returns the same for another moment, by what was read until then.
    package func percent(at now: MonotonicInstant) -> Int { window.percent(at: now) }

    /// Takes over the total that was read, where it was, and the grade of the PSI trigger that fired.
    package mutating func observe(
        totalMicroseconds: UInt64?, trigger: PressureLevel, at now: MonotonicInstant, _ thresholds: Thresholds
    ) {
        if trigger > .normal { window.noteTrigger(percent: thresholds.percent(of: trigger) + 1, at: now) }
        if let totalMicroseconds { window.append(totalMicroseconds: totalMicroseconds, at: now) }
    }

    /// Judges what was observed; where it does not count, as memory is not what tasks wait for, the grade begins anew.
    package mutating func judge(at now: MonotonicInstant, counts: Bool, _ thresholds: Thresholds) {
        percent = window.percent(at: now)
        guard counts else { return held.reset() }
        _ = held.judge(
            percent, warning: (thresholds.warningPercent, thresholds.warningExitPercent),
            critical: (thresholds.criticalPercent, thresholds.criticalExitPercent), isWorse: >)
    }

    /// Forgets what was read, after a time in which the process did not run.
    package mutating func forget() { window.reset() }
}
