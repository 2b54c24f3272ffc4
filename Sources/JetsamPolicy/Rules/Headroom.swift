package import MemoryPressure

extension PressureRule {
    /// Bytes until the tightest hard limit.
    ///
    /// - Means: the limit is near
    /// - Reads: `cgroup usage` and `cgroup limits`, or `meminfo`
    /// - Look at: `footprintBytes` beside the bytes that caches report: what grew?
    public static let headroom = PressureRule(0, "headroom")
}

/// Votes by headroom: the nearer the tightest hard limit, the higher.
struct Headroom: Rule {
    static let rule = PressureRule.headroom
    static let settings: [any RuleSettings.Type] = [ManagerConfiguration.HeadroomRule.self]
    static let isShared = true

    private var held = Hysteresis()

    static func knowsRoom(_ isUsed: (MemorySignalSource) -> Bool, _ configuration: ManagerConfiguration) -> Bool {
        isUsed(.memoryInfo) || (isUsed(.usage) && isUsed(.limits))
    }

    /// The reason of a level where no rule calls for a higher one.
    static func calm(_ context: RuleContext) -> Vote {
        Vote(
            rule: .headroom, level: .normal, observed: context.reading.headroomBytes,
            threshold: context.thresholds.warningEntry, unit: .bytes)
    }

    mutating func vote(_ context: RuleContext, _ configuration: ManagerConfiguration) -> Vote? {
        let thresholds = context.thresholds
        let level = held.judge(headroomBytes: context.reading.headroomBytes, thresholds)
        var vote = Self.calm(context)
        vote.level = level
        if level == .critical { vote.threshold = thresholds.criticalEntry }
        return vote.eased(context)
    }
}

extension ManagerConfiguration {
    /// The distance to the hard limit.
    public var headroom: HeadroomRule {
        get { ruleSettings[HeadroomRule.self] }
        set { ruleSettings[HeadroomRule.self] = newValue }
    }

    /// Votes by headroom: bytes until the tightest hard limit is reached.
    public struct HeadroomRule: Sendable, Equatable {
        /// Percent of the limit below which the vote is `warning`. 2…99, default 20.
        ///
        /// Why: A fifth stays free for other memory, and caches may fill the rest.
        public var warningPercent = HeadroomThresholds.Entry.warning.percent
        /// The most bytes that `warningPercent` may come to. Default 2 GiB.
        ///
        /// Why: On large machines a fifth would be idle memory that nobody needs.
        public var warningMaximumBytes = HeadroomThresholds.Entry.warning.maximum
        /// The fewest bytes that `warningPercent` may come to, for limits of 128 MiB and more. Default 48 MiB.
        ///
        /// Why: Enough for a release of some tens of milliseconds while memory grows by 1 GiB/s. Limits under 128 MiB
        /// use only the percentage.
        public var warningMinimumBytes = HeadroomThresholds.Entry.warning.minimum
        /// Percent of the limit below which the vote is `critical`; less than `warningPercent`. 1…98, default 10.
        ///
        /// Why: Half of warning.
        public var criticalPercent = HeadroomThresholds.Entry.critical.percent
        /// The most bytes that `criticalPercent` may come to. Default 1 GiB.
        ///
        /// Why: Half of warning's.
        public var criticalMaximumBytes = HeadroomThresholds.Entry.critical.maximum
        /// The fewest bytes that `criticalPercent` may come to, for limits of 128 MiB and more. Default 24 MiB.
        ///
        /// Why: Half of warning's.
        public var criticalMinimumBytes = HeadroomThresholds.Entry.critical.minimum
        /// The distance above its entry at which a vote ends, in points of percent of the limit. Where a minimum or maximum sets
        /// the entry, the distance is scaled with it. 1…50, default 5.
        ///
        /// Why: A vote ends this many points above its entry (25 % and 15 %), so that one release does not follow
        /// another.
        public var exitPoints = HeadroomThresholds.exitPoints

        package init() {}
    }
}

extension ManagerConfiguration.HeadroomRule: RuleSettings, ConfigurationPart {
    static let standard = Self()
    static let settings: [ManagerSetting] = [
        .integer("headroom.warningPercent", \.headroom.warningPercent, 2...99),
        .bytes(
            "headroom.warningMaximumBytes", \.headroom.warningMaximumBytes, "more than criticalMaximumBytes"),
        .bytes(
            "headroom.warningMinimumBytes", \.headroom.warningMinimumBytes, "more than criticalMinimumBytes"),
        .integer("headroom.criticalPercent", \.headroom.criticalPercent, 1...98),
        .bytes(
            "headroom.criticalMaximumBytes", \.headroom.criticalMaximumBytes, "at least criticalMinimumBytes"),
        .bytes("headroom.criticalMinimumBytes", \.headroom.criticalMinimumBytes, from: 0),
        .integer("headroom.exitPoints", \.headroom.exitPoints, 1...50),
    ]

    func checkOrder(_ findings: inout ConfigurationFindings) {
        findings.below("headroom.criticalPercent", criticalPercent, "headroom.warningPercent", warningPercent)
        findings.below(
            "headroom.criticalMinimumBytes", criticalMinimumBytes, "headroom.warningMinimumBytes", warningMinimumBytes)
        findings.below(
            "headroom.criticalMaximumBytes", criticalMaximumBytes, "headroom.warningMaximumBytes", warningMaximumBytes)
        findings.atLeast(
            "headroom.warningMaximumBytes", warningMaximumBytes, "headroom.warningMinimumBytes", warningMinimumBytes)
        findings.atLeast(
            "headroom.criticalMaximumBytes", criticalMaximumBytes, "headroom.criticalMinimumBytes", criticalMinimumBytes
        )
    }
}

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
