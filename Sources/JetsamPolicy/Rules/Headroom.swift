package import MemoryPressure

/// Votes by headroom: the nearer the tightest hard limit, the higher.
struct Headroom: Rule {
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
        let level = held.judge(
            context.reading.headroomBytes, warning: (thresholds.warningEntry, thresholds.warningExit),
            critical: (thresholds.criticalEntry, thresholds.criticalExit), isWorse: <)
        var vote = Self.calm(context)
        vote.level = level
        if level == .critical { vote.threshold = thresholds.criticalEntry }
        return vote.eased(context)
    }
}

extension ManagerConfiguration {
    /// Votes by headroom: bytes until the tightest hard limit is reached.
    public struct HeadroomRule: Sendable, Equatable {
        /// Percent of the limit below which the vote is `warning`. 2…99, default 20.
        public var warningPercent = 20
        /// The most bytes that `warningPercent` may come to. Default 2 GiB.
        public var warningMaximumBytes = 2 << 30
        /// The fewest bytes that `warningPercent` may come to, for limits of 128 MiB and more. Default 48 MiB.
        public var warningMinimumBytes = 48 << 20
        /// Percent of the limit below which the vote is `critical`; less than `warningPercent`. 1…98, default 10.
        public var criticalPercent = 10
        /// The most bytes that `criticalPercent` may come to. Default 1 GiB.
        public var criticalMaximumBytes = 1 << 30
        /// The fewest bytes that `criticalPercent` may come to, for limits of 128 MiB and more. Default 24 MiB.
        public var criticalMinimumBytes = 24 << 20
        /// The distance above its entry at which a vote ends, in points of percent of the limit. Where a minimum or maximum sets
        /// the entry, the distance is scaled with it. 1…50, default 5.
        public var exitPoints = 5

        package init() {}
    }
}

extension ManagerConfiguration.HeadroomRule: ConfigurationPart {
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
