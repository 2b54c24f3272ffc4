internal import MemoryPressure

extension PressureRule {
    /// The distance to `memory.high`.
    ///
    /// - Means: `memory.high` is near
    /// - Reads: `cgroup usage`, `memory.high`
    /// - Look at: the program that set `memory.high`
    public static let distanceToHigh = PressureRule(4, "distanceToHigh")
}

/// Votes near or above `memory.high`.
struct DistanceToHigh: Rule {
    static let rule = PressureRule.distanceToHigh
    static let settings: [any RuleSettings.Type] = [ManagerConfiguration.DistanceToHighRule.self]
    static let isShared = true

    private var held = Hysteresis()

    static func missingBytes(_ reading: MemoryReading, _ configuration: ManagerConfiguration) -> Int {
        guard let high = reading.highBytes, let distance = reading.distanceToHighBytes else { return 0 }
        return configuration.distanceToHigh.exit(high).subtractingSaturating(distance)
    }

    static func isPassed(_ reading: MemoryReading, _ configuration: ManagerConfiguration) -> Bool {
        guard let high = reading.highBytes, let distance = reading.distanceToHighBytes else { return false }
        return distance < configuration.distanceToHigh.entry(high)
    }

    mutating func vote(_ context: RuleContext, _ configuration: ManagerConfiguration) -> Vote? {
        let rule = configuration.distanceToHigh
        guard let high = context.reading.highBytes, let distance = context.reading.distanceToHighBytes else {
            held.reset()
            return nil
        }
        let entry = rule.entry(high)
        let level = held.judge(distance, warning: (entry, rule.exit(high)), critical: nil, isWorse: <)
        return Vote(rule: .distanceToHigh, level: level, observed: distance, threshold: entry, unit: .bytes)
    }
}

extension ManagerConfiguration {
    /// The distance to `memory.high`.
    public var distanceToHigh: DistanceToHighRule {
        get { ruleSettings[DistanceToHighRule.self] }
        set { ruleSettings[DistanceToHighRule.self] = newValue }
    }

    /// Votes `warning` near or above `memory.high`; never `critical`, because going over it throttles and does not kill.
    public struct DistanceToHighRule: Sendable, Equatable {
        /// Below this percent of `memory.high` left the vote is `warning`. Default 5.
        ///
        /// Why: Of `memory.high`: beyond it the kernel throttles.
        public var warningPercent = 5
        /// Above this percent left the vote ends. Default 10.
        ///
        /// Why: Twice the entry.
        public var warningExitPercent = 10

        package init() {}

        /// The bytes below which the vote is `warning`, and above which it ends, for such a `memory.high`.
        func entry(_ highBytes: Int) -> Int { highBytes / 100 * warningPercent }
        func exit(_ highBytes: Int) -> Int { highBytes / 100 * warningExitPercent }
    }
}

extension ManagerConfiguration.DistanceToHighRule: RuleSettings, ConfigurationPart {
    static let standard = Self()
    static let settings: [ManagerSetting] = [
        .integer("distanceToHigh.warningPercent", \.distanceToHigh.warningPercent, 0...99),
        .integer("distanceToHigh.warningExitPercent", \.distanceToHigh.warningExitPercent, 0...100),
    ]

    func checkOrder(_ findings: inout ConfigurationFindings) {
        findings.atLeast(
            "distanceToHigh.warningExitPercent", warningExitPercent, "distanceToHigh.warningPercent", warningPercent)
    }
}
