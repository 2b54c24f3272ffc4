package import MemoryPressure

/// One rule's opinion on one reading.
package struct Vote: Equatable {
    package var rule: PressureRule
    package var level: PressureLevel
    package var observed: Int
    package var threshold: Int
    package var unit: LevelReason.Unit

    /// Becomes `other` where that votes for a higher level.
    package mutating func yield(to other: Vote?) {
        if let other, other.level > level { self = other }
    }

    /// The vote of a rule that goes by nearness to the limit, where the kernel can still page out.
    func eased(_ context: RuleContext) -> Vote {
        var vote = self
        vote.level = context.thresholds.eased(level, context.reading, isStalled: context.stall.level > .normal)
        return vote
    }

    package func reason(_ cause: LevelCause) -> LevelReason {
        LevelReason(rule: rule, observed: observed, threshold: threshold, unit: unit, cause: cause)
    }
}
