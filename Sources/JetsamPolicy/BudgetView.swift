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

/// The limit that caches grow towards: the container's, or the budget where that is nearer.
struct RoomToGrow {
    var reading: MemoryReading
    var thresholds: HeadroomThresholds
    /// Sustained growth of unmanaged memory under it, in bytes a second; nil while too little has been seen.
    var growthRate: Int?
    /// The bytes by which that memory rose within ten seconds at most.
    var rise: Int
    /// Bytes of headroom that its growth needs now.
    var required: Int

    /// Nothing of the container's is asked of the budget: critical's entry of a large machine alone may be more than all of it.
    init(
        _ context: RuleContext, _ outlook: GrowthOutlook, leadTime: LeadTime, configuration: ManagerConfiguration
    ) {
        if let budget = configuration.footprint.map({ BudgetView(context.reading, $0) }),
            budget.isNearer(than: context.reading)
        {
            (reading, thresholds) = (budget.reading, budget.thresholds)
            growthRate = outlook.ownGrowth.bytesPerSecond
            rise = outlook.ownGrowth.rise.largest
            required =
                RequiredHeadroom(
                    headroomBytes: budget.reading.headroomBytes, thresholds: budget.thresholds,
                    growth: outlook.ownGrowth, leadTime: leadTime, configuration: configuration
                ).byGrowth
        } else {
            (reading, thresholds) = (context.reading, context.thresholds)
            growthRate = outlook.growth.bytesPerSecond
            rise = outlook.growth.rise.largest
            required = outlook.required.byGrowth
        }
    }
}

extension HeadroomThresholds {
    /// The footprint rule's thresholds, as bytes that are left of its budget.
    package init(_ rule: ManagerConfiguration.FootprintRule) {
        func left(_ percent: Int) -> Int { rule.budgetBytes - rule.share(percent) }
        self.init(limitBytes: rule.budgetBytes)
        warningEntry = left(rule.warningPercent)
        warningExit = left(rule.warningPercent - rule.exitPoints)
        criticalEntry = left(rule.criticalPercent)
        criticalExit = left(rule.criticalPercent - rule.exitPoints)
    }
}
