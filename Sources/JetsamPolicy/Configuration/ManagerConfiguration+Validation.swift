extension ManagerConfiguration {
    /// Checks every value, and the values against each other.
    ///
    /// - Throws: ``ConfigurationError`` for the first setting that is out of range or contradicts another.
    package func validate() throws(ConfigurationError) {
        if let first = problems.first { throw first }
    }

    /// Every setting that is out of range or contradicts another, in the order in which they are checked; empty where
    /// the configuration can be used.
    public var problems: [ConfigurationError] {
        var findings = ConfigurationFindings()
        checkHeadroom(&findings)
        checkTimes(&findings)
        checkShares(&findings)
        checkLadder(&findings)
        scenes.check(&findings)
        checkLifecycle(&findings)
        checkRecording(&findings)
        checkFootprint(&findings)
        return findings.problems
    }

    private func checkFootprint(_ findings: inout ConfigurationFindings) {
        guard let footprint else { return }
        findings.require("footprint.budgetBytes", footprint.budgetBytes, footprint.budgetBytes > 0, "more than 0")
        findings.range("footprint.criticalPercent", footprint.criticalPercent, 2...100)
        findings.range("footprint.warningPercent", footprint.warningPercent, 1...99)
        findings.below(
            "footprint.warningPercent", footprint.warningPercent, "footprint.criticalPercent", footprint.criticalPercent
        )
        findings.range("footprint.exitPoints", footprint.exitPoints, 0...98)
        findings.below(
            "footprint.exitPoints", footprint.exitPoints, "footprint.warningPercent", footprint.warningPercent)
    }

    private func checkHeadroom(_ findings: inout ConfigurationFindings) {
        findings.range("headroom.warningPercent", headroom.warningPercent, 2...99)
        findings.range("headroom.criticalPercent", headroom.criticalPercent, 1...98)
        findings.below(
            "headroom.criticalPercent", headroom.criticalPercent, "headroom.warningPercent", headroom.warningPercent)
        findings.range("headroom.exitPoints", headroom.exitPoints, 1...50)
        findings.require(
            "headroom.criticalMinimumBytes", headroom.criticalMinimumBytes, headroom.criticalMinimumBytes >= 0,
            "at least 0")
        findings.below(
            "headroom.criticalMinimumBytes", headroom.criticalMinimumBytes,
            "headroom.warningMinimumBytes", headroom.warningMinimumBytes)
        findings.below(
            "headroom.criticalMaximumBytes", headroom.criticalMaximumBytes,
            "headroom.warningMaximumBytes", headroom.warningMaximumBytes)
        findings.atLeast(
            "headroom.warningMaximumBytes", headroom.warningMaximumBytes,
            "headroom.warningMinimumBytes", headroom.warningMinimumBytes)
        findings.atLeast(
            "headroom.criticalMaximumBytes", headroom.criticalMaximumBytes,
            "headroom.criticalMinimumBytes", headroom.criticalMinimumBytes)
    }

    private func checkTimes(_ findings: inout ConfigurationFindings) {
        findings.time("timeToLimit.warning", timeToLimit.warning, .milliseconds(1))
        findings.time("timeToLimit.warningExit", timeToLimit.warningExit, .milliseconds(1))
        findings.atLeast(
            "timeToLimit.warningExit", timeToLimit.warningExit, "timeToLimit.warning", timeToLimit.warning)
        findings.time("leadTime.minimum", leadTime.minimum, .milliseconds(1))
        findings.time("leadTime.maximum", leadTime.maximum, .milliseconds(1))
        findings.atLeast("leadTime.maximum", leadTime.maximum, "leadTime.minimum", leadTime.minimum)
        findings.time("timeToLimit.window", timeToLimit.window, .milliseconds(10))
        findings.time("events.hold", events.hold, .zero)
        findings.time("level.criticalFallDelay", level.criticalFallDelay, .zero)
        findings.time("level.warningFallDelay", level.warningFallDelay, .zero)
        findings.time("level.repeatInterval", level.repeatInterval, .seconds(1))
        findings.time("sampling.minimumInterval", sampling.minimumInterval, .milliseconds(1))
        findings.time("sampling.maximumInterval", sampling.maximumInterval, .milliseconds(1))
        findings.atLeast(
            "sampling.maximumInterval", sampling.maximumInterval, "sampling.minimumInterval", sampling.minimumInterval)
        findings.time("sampling.fullReadingInterval", sampling.fullReadingInterval, .milliseconds(5))
        findings.time("sampling.limitsInterval", sampling.limitsInterval, .milliseconds(10))
        findings.time("sampling.pathsInterval", sampling.pathsInterval, .milliseconds(100))
        findings.time("reclaim.warningSpacing", reclaim.warningSpacing, .milliseconds(1))
        findings.time("reclaim.warningDeadline", reclaim.warningDeadline, .milliseconds(1))
        findings.time("reclaim.criticalDeadline", reclaim.criticalDeadline, .milliseconds(1))
        findings.time("trim.urgentTimeToLimit", trim.urgentTimeToLimit, .zero)
        findings.time("lastResort.degradedLimit", lastResort.degradedLimit, .zero)
    }

    private func checkShares(_ findings: inout ConfigurationFindings) {
        findings.range("timeToLimit.headroomPercent", timeToLimit.headroomPercent, 1...100)
        findings.range("stall.criticalPercent", stall.criticalPercent, 2...100)
        findings.range("stall.warningPercent", stall.warningPercent, 1...99)
        findings.below("stall.warningPercent", stall.warningPercent, "stall.criticalPercent", stall.criticalPercent)
        findings.range("stall.warningExitPercent", stall.warningExitPercent, 0...99)
        findings.atMost(
            "stall.warningExitPercent", stall.warningExitPercent, "stall.warningPercent", stall.warningPercent)
        findings.range("stall.criticalExitPercent", stall.criticalExitPercent, 0...100)
        findings.atMost(
            "stall.criticalExitPercent", stall.criticalExitPercent, "stall.criticalPercent", stall.criticalPercent)
        findings.range("stall.headroomPercent", stall.headroomPercent, 1...100)
        findings.range("events.headroomPercent", events.headroomPercent, 0...100)
        findings.range("events.reclaimablePercent", events.reclaimablePercent, 0...100)
        findings.range("distanceToHigh.warningPercent", distanceToHigh.warningPercent, 0...99)
        findings.range("distanceToHigh.warningExitPercent", distanceToHigh.warningExitPercent, 0...100)
        findings.atLeast(
            "distanceToHigh.warningExitPercent", distanceToHigh.warningExitPercent,
            "distanceToHigh.warningPercent", distanceToHigh.warningPercent)
        findings.range("leadTime.safetyPercent", leadTime.safetyPercent, 100...1000)
        findings.range("reclaim.sharePercent", reclaim.sharePercent, 1...100)
        findings.range("reclaim.regrowthPercent", reclaim.regrowthPercent, 0...100)
        findings.range("reclaim.regrowthFloorPercent", reclaim.regrowthFloorPercent, 0...100)
        findings.range("trim.minimumFreedPercent", trim.minimumFreedPercent, 0...100)
        findings.require("trim.minimumFreedBytes", trim.minimumFreedBytes, trim.minimumFreedBytes >= 0, "at least 0")
        findings.range("trim.durationFactor", trim.durationFactor, 0...10_000)
        findings.require(
            "sampling.maximumGrowthRate", sampling.maximumGrowthRate, sampling.maximumGrowthRate >= 1 << 20,
            "at least 1048576 bytes a second")
    }
}
