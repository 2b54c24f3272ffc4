/// The headroom rule's thresholds for one limit, in bytes.
struct HeadroomThresholds: Equatable {
    var warningEntry: Int
    var warningExit: Int
    var criticalEntry: Int
    var criticalExit: Int

    /// Limits below this use the percentages alone: the minimums would take half of them.
    static let smallLimitBytes = 128 << 20

    init(limitBytes: Int, rule: ResourceManager.Configuration.HeadroomRule) {
        func entry(_ percent: Int, _ minimum: Int, _ maximum: Int) -> Int {
            let share = min(limitBytes / 100 * percent + limitBytes % 100 * percent / 100, maximum)
            return limitBytes < Self.smallLimitBytes ? share : max(share, minimum)
        }
        // Scaled with the entry, which is the plain sum of points wherever neither bound holds: five points of a
        // large machine would be more than the entry itself.
        func exit(_ entry: Int, _ percent: Int) -> Int {
            entry + entry / percent * rule.exitPoints
        }
        warningEntry = entry(rule.warningPercent, rule.warningMinimumBytes, rule.warningMaximumBytes)
        warningExit = exit(warningEntry, rule.warningPercent)
        criticalEntry = entry(rule.criticalPercent, rule.criticalMinimumBytes, rule.criticalMaximumBytes)
        criticalExit = exit(criticalEntry, rule.criticalPercent)
    }

    /// Where regrowth stops: a part of the way from warning's entry to its exit, so that it does not raise the level again.
    func regrowthFloor(percent: Int) -> Int {
        warningEntry + (warningExit - warningEntry) / 100 * percent
    }
}
