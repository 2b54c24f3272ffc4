extension ResourceManager.Configuration {
    /// Checks every value, and the values against each other.
    ///
    /// - Throws: ``ConfigurationError`` for the first setting that is out of range or contradicts another.
    public func validate() throws(ConfigurationError) {
        try validateHeadroom()
        try validateTimes()
        try validateShares()
        try validateLadder()
        try scenes.validate()
        try validateLifecycle()
        try validateRecording()
        if let footprint {
            try require("footprint.budgetBytes", footprint.budgetBytes, footprint.budgetBytes > 0, "more than 0")
            try percent("footprint.criticalPercent", footprint.criticalPercent, 2...100)
            try percent("footprint.warningPercent", footprint.warningPercent, 1...(footprint.criticalPercent - 1))
            try percent("footprint.exitPoints", footprint.exitPoints, 0...(footprint.warningPercent - 1))
        }
    }

    private func validateHeadroom() throws(ConfigurationError) {
        try percent("headroom.warningPercent", headroom.warningPercent, 2...99)
        try percent("headroom.criticalPercent", headroom.criticalPercent, 1...(headroom.warningPercent - 1))
        try percent("headroom.exitPoints", headroom.exitPoints, 1...50)
        try require(
            "headroom.warningMinimumBytes", headroom.warningMinimumBytes,
            headroom.warningMinimumBytes > headroom.criticalMinimumBytes, "more than headroom.criticalMinimumBytes")
        try require(
            "headroom.criticalMinimumBytes", headroom.criticalMinimumBytes, headroom.criticalMinimumBytes >= 0,
            "at least 0")
        try require(
            "headroom.warningMaximumBytes", headroom.warningMaximumBytes,
            headroom.warningMaximumBytes > headroom.criticalMaximumBytes
                && headroom.warningMaximumBytes >= headroom.warningMinimumBytes,
            "more than headroom.criticalMaximumBytes and no less than headroom.warningMinimumBytes")
        try require(
            "headroom.criticalMaximumBytes", headroom.criticalMaximumBytes,
            headroom.criticalMaximumBytes >= headroom.criticalMinimumBytes,
            "no less than headroom.criticalMinimumBytes")
    }

    private func validateTimes() throws(ConfigurationError) {
        try time("timeToLimit.critical", timeToLimit.critical, atLeast: .milliseconds(1))
        try time("timeToLimit.criticalExit", timeToLimit.criticalExit, atLeast: timeToLimit.critical)
        try time("timeToLimit.warning", timeToLimit.warning, atLeast: timeToLimit.critical)
        try time("timeToLimit.warningExit", timeToLimit.warningExit, atLeast: timeToLimit.warning)
        try time("timeToLimit.warningExit", timeToLimit.warningExit, atLeast: timeToLimit.criticalExit)
        try time("timeToLimit.window", timeToLimit.window, atLeast: .milliseconds(10))
        try time("events.hold", events.hold, atLeast: .zero)
        try time("level.criticalFallDelay", level.criticalFallDelay, atLeast: .zero)
        try time("level.warningFallDelay", level.warningFallDelay, atLeast: .zero)
        try time("level.repeatInterval", level.repeatInterval, atLeast: .seconds(1))
        try time("sampling.minimumInterval", sampling.minimumInterval, atLeast: .milliseconds(1))
        try time("sampling.maximumInterval", sampling.maximumInterval, atLeast: sampling.minimumInterval)
        try time("sampling.fullReadingInterval", sampling.fullReadingInterval, atLeast: .milliseconds(5))
        try time("sampling.limitsInterval", sampling.limitsInterval, atLeast: .milliseconds(10))
        try time("sampling.pathsInterval", sampling.pathsInterval, atLeast: .milliseconds(100))
        try time("reclaim.warningSpacing", reclaim.warningSpacing, atLeast: .milliseconds(1))
        try time("reclaim.warningDeadline", reclaim.warningDeadline, atLeast: .milliseconds(1))
        try time("reclaim.criticalDeadline", reclaim.criticalDeadline, atLeast: .milliseconds(1))
        try time("trim.urgentTimeToLimit", trim.urgentTimeToLimit, atLeast: .zero)
        try time("lastResort.degradedLimit", lastResort.degradedLimit, atLeast: .zero)
    }

    private func validateShares() throws(ConfigurationError) {
        try percent("timeToLimit.headroomPercent", timeToLimit.headroomPercent, 1...100)
        try percent("stall.criticalPercent", stall.criticalPercent, 2...100)
        try percent("stall.warningPercent", stall.warningPercent, 1...(stall.criticalPercent - 1))
        try percent("stall.warningExitPercent", stall.warningExitPercent, 0...stall.warningPercent)
        try percent("stall.criticalExitPercent", stall.criticalExitPercent, 0...stall.criticalPercent)
        try percent("stall.headroomPercent", stall.headroomPercent, 1...100)
        try percent("events.headroomPercent", events.headroomPercent, 0...100)
        try percent("events.reclaimablePercent", events.reclaimablePercent, 0...100)
        try percent("distanceToHigh.warningPercent", distanceToHigh.warningPercent, 0...99)
        try percent(
            "distanceToHigh.warningExitPercent", distanceToHigh.warningExitPercent, distanceToHigh.warningPercent...100)
        try percent("reclaim.warningSharePercent", reclaim.warningSharePercent, 1...100)
        try percent("reclaim.regrowthPercent", reclaim.regrowthPercent, 0...100)
        try percent("reclaim.regrowthFloorPercent", reclaim.regrowthFloorPercent, 0...100)
        try percent("trim.minimumFreedPercent", trim.minimumFreedPercent, 0...100)
        try require("trim.minimumFreedBytes", trim.minimumFreedBytes, trim.minimumFreedBytes >= 0, "at least 0")
        try require(
            "trim.durationFactor", trim.durationFactor, (0...10_000).contains(trim.durationFactor), "in 0…10000")
        try require(
            "sampling.maximumGrowthRate", sampling.maximumGrowthRate, sampling.maximumGrowthRate >= 1 << 20,
            "at least 1048576 bytes a second")
    }

    func percent(_ setting: String, _ value: Int, _ range: ClosedRange<Int>) throws(ConfigurationError) {
        try require(setting, value, range.contains(value), "in \(range.lowerBound)…\(range.upperBound)")
    }

    func time(_ setting: String, _ value: Duration, atLeast least: Duration) throws(ConfigurationError) {
        // An hour is more than any of these can mean, and keeps the arithmetic in nanoseconds far from its edge.
        try require(setting, value, value >= least && value <= .seconds(3600), "between \(least) and 3600.0 seconds")
    }

    func require(
        _ setting: String, _ value: some CustomStringConvertible, _ holds: Bool, _ allowed: String
    ) throws(ConfigurationError) {
        guard holds else {
            throw ConfigurationError(setting: setting, value: value.description, allowed: allowed)
        }
    }
}
