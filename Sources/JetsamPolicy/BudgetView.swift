internal import MemoryPressure

/// A footprint budget seen as a limit of the process's own: what is left of it is its headroom.
///
/// Pace and regrowth go by the limit that is nearer. By the container's alone, which may not exist, the sampler would sleep
/// past the budget, and limits would rise until the footprint is over it again.
struct BudgetView {
    var reading: MemoryReading
    var thresholds: HeadroomThresholds

    init(_ reading: MemoryReading, _ rule: ManagerConfiguration.FootprintRule) {
        self.reading = reading
        self.reading.limitBytes = rule.budgetBytes
        self.reading.headroomBytes = max(0, rule.budgetBytes - reading.footprintBytes)
        thresholds = HeadroomThresholds(rule)
    }

    /// Returns whether a smaller share of it is left than of the limit in `other`.
    func isNearer(than other: MemoryReading) -> Bool {
        Double(reading.headroomBytes) / Double(max(1, reading.limitBytes))
            < Double(other.headroomBytes) / Double(max(1, other.limitBytes))
    }
}

extension HeadroomThresholds {
    /// The footprint rule's thresholds, as bytes that are left of its budget.
    package init(_ rule: ManagerConfiguration.FootprintRule) {
        func left(_ percent: Int) -> Int {
            rule.budgetBytes - (rule.budgetBytes / 100 * percent + rule.budgetBytes % 100 * percent / 100)
        }
        self.init(limitBytes: rule.budgetBytes)
        warningEntry = left(rule.warningPercent)
        warningExit = left(rule.warningPercent - rule.exitPoints)
        criticalEntry = left(rule.criticalPercent)
        criticalExit = left(rule.criticalPercent - rule.exitPoints)
    }
}
