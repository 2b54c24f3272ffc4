internal import MemoryPressure

extension HeadroomThresholds {
    package init(limitBytes: Int, rule: ManagerConfiguration.HeadroomRule) {
        self.init(
            limitBytes: limitBytes,
            warning: Entry(
                percent: rule.warningPercent, minimum: rule.warningMinimumBytes, maximum: rule.warningMaximumBytes),
            critical: Entry(
                percent: rule.criticalPercent, minimum: rule.criticalMinimumBytes, maximum: rule.criticalMaximumBytes),
            exitPoints: rule.exitPoints)
    }

    /// Returns the headroom at which regrowth stops: a part of the way from warning's entry to its exit, so that it does not
    /// raise the level again.
    func regrowthFloor(percent: Int) -> Int {
        warningEntry + (warningExit - warningEntry) / 100 * percent
    }
}
