/// A vote that is entered at one threshold and left at another, once for `warning` and once for `critical`.
package struct Hysteresis: Equatable, Sendable {
    package private(set) var level = PressureLevel.normal

    package init() {}

    /// Judges one observation; `isWorse(value, threshold)` says which way is worse.
    package mutating func judge(
        _ value: Int, warning: (entry: Int, exit: Int), critical: (entry: Int, exit: Int)?,
        isWorse: (Int, Int) -> Bool
    ) -> PressureLevel {
        let entered: PressureLevel =
            if let critical, isWorse(value, critical.entry) { .critical } else if isWorse(value, warning.entry) {
                .warning
            } else { .normal }
        // A vote is held while the value has not passed the exit of that vote.
        let held: PressureLevel =
            if level == .critical, let critical, isWorse(value, critical.exit) {
                .critical
            } else if level >= .warning, isWorse(value, warning.exit) {
                .warning
            } else {
                .normal
            }
        level = max(entered, held)
        return level
    }

    package mutating func reset() {
        level = .normal
    }
}

extension Hysteresis {
    /// Judges headroom by the thresholds of its limit.
    package mutating func judge(headroomBytes: Int, _ thresholds: HeadroomThresholds) -> PressureLevel {
        judge(
            headroomBytes, warning: (thresholds.warningEntry, thresholds.warningExit),
            critical: (thresholds.criticalEntry, thresholds.criticalExit), isWorse: <)
    }
}
