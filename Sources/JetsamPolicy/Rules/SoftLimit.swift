internal import MemoryPressure

/// A limit above which nothing is killed, seen as a hard one: what is left of it is its headroom.
///
/// By the hard limit alone, which may not exist, the sampler would sleep past it, and limits of caches would rise until it is passed
/// again.
struct SoftLimit {
    var reading: MemoryReading
    var thresholds: HeadroomThresholds

    private init(_ reading: MemoryReading, limitBytes: Int, leftBytes: Int, _ thresholds: HeadroomThresholds) {
        self.reading = reading
        self.reading.limitBytes = limitBytes
        self.reading.headroomBytes = max(0, leftBytes)
        self.thresholds = thresholds
    }

    /// Returns the process's own footprint budget; nil where it has none.
    static func budget(_ reading: MemoryReading, _ configuration: ManagerConfiguration) -> SoftLimit? {
        guard let rule = configuration.footprint else { return nil }
        return SoftLimit(
            reading, limitBytes: rule.budgetBytes,
            leftBytes: rule.budgetBytes.subtractingSaturating(reading.footprintBytes), HeadroomThresholds(rule))
    }

    /// Returns the nearest `memory.high`; nil where none is set.
    static func high(_ reading: MemoryReading, _ configuration: ManagerConfiguration) -> SoftLimit? {
        guard let high = reading.highBytes, let distance = reading.distanceToHighBytes else { return nil }
        var seen = reading
        seen.unreclaimableBytes = high.subtractingSaturating(distance)
        return SoftLimit(
            seen, limitBytes: high, leftBytes: distance,
            HeadroomThresholds(configuration.distanceToHigh, highBytes: high))
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

    /// The thresholds of the distance to `memory.high`, which is never critical.
    init(_ rule: ManagerConfiguration.DistanceToHighRule, highBytes: Int) {
        self.init(limitBytes: highBytes)
        warningEntry = rule.entry(highBytes)
        warningExit = rule.exit(highBytes)
        criticalEntry = 0
        criticalExit = 0
    }
}
