internal import MemoryPressure

/// A footprint budget seen as a limit of the process's own: what is left of it is its headroom.
///
/// By the container's limit alone, which may not exist, the sampler would sleep past the budget, and limits would rise until the
/// footprint is over it again.
struct BudgetView {
    var reading: MemoryReading
    var thresholds: HeadroomThresholds

    init(_ reading: MemoryReading, _ rule: ManagerConfiguration.FootprintRule) {
        self.reading = reading
        self.reading.limitBytes = rule.budgetBytes
        self.reading.headroomBytes = max(0, rule.budgetBytes - reading.footprintBytes)
        thresholds = HeadroomThresholds(rule)
    }
}

/// The limit that caches grow towards: the container's or the process's own budget, whichever leaves them less room.
struct RoomToGrow {
    var reading: MemoryReading
    var thresholds: HeadroomThresholds
    /// Sustained growth of unmanaged memory under it, in bytes a second; nil while too little has been seen.
    var growthRate: Int?
    /// The bytes by which that memory rose within ten seconds at most.
    var rise: Int
    /// Bytes of headroom that its growth needs now.
    var required: Int

    /// Bytes of headroom that nothing else is known to need; less than 0 where some are missing.
    var bytes: Int {
        reading.headroomBytes.subtractingSaturating(max(StepScheduler.wantedHeadroom(thresholds), required))
    }

    init(
        _ context: RuleContext, _ outlook: GrowthOutlook, leadTime: LeadTime, configuration: ManagerConfiguration
    ) {
        reading = context.reading
        thresholds = context.thresholds
        growthRate = outlook.growth.bytesPerSecond
        rise = outlook.growth.rise.largest
        required = outlook.required.byGrowth
        guard let rule = configuration.footprint else { return }
        let budget = BudgetView(context.reading, rule)
        let own = outlook.ownGrowth
        // Nothing of the container's is asked of the budget: critical's entry of a large machine alone may be more than all of it.
        let ownRequired = RequiredHeadroom(
            headroomBytes: budget.reading.headroomBytes, thresholds: budget.thresholds, growth: own,
            leadTime: leadTime, configuration: configuration)
        var ofBudget = self
        (ofBudget.reading, ofBudget.thresholds) = (budget.reading, budget.thresholds)
        (ofBudget.growthRate, ofBudget.rise) = (own.bytesPerSecond, own.rise.largest)
        ofBudget.required = ownRequired.byGrowth
        let isOnlyLimit = context.reading.limitBytes == 0
        if isOnlyLimit || ofBudget.bytes.subtractingSaturating(ofBudget.rise) < bytes.subtractingSaturating(rise) {
            self = ofBudget
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
