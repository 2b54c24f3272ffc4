internal import MemoryPressure

extension PressureRule {
    /// The process's own budget.
    ///
    /// - Means: the process is near its own budget
    /// - Reads: `footprint`, and a budget
    /// - Look at: `footprint.budgetBytes`
    public static let footprint = PressureRule(5, "footprint")
}

/// Votes by this process's footprint against a budget of its own; silent without one.
struct Footprint: Rule {
    static let rule = PressureRule.footprint
    static let settings: [any RuleSettings.Type] = [ManagerConfiguration.FootprintRule?.self]
    private var held = Hysteresis()

    static func knowsRoom(_ isUsed: (MemorySignalSource) -> Bool, _ configuration: ManagerConfiguration) -> Bool {
        isUsed(.footprint) && configuration.footprint != nil
    }

    static func missingBytes(_ reading: MemoryReading, _ configuration: ManagerConfiguration) -> Int {
        guard let rule = configuration.footprint else { return 0 }
        return reading.footprintBytes - rule.share(rule.warningPercent - rule.exitPoints)
    }

    static func isPassed(_ reading: MemoryReading, _ configuration: ManagerConfiguration) -> Bool {
        configuration.footprint.map { reading.footprintBytes > $0.warningBytes } ?? false
    }

    mutating func vote(_ context: RuleContext, _ configuration: ManagerConfiguration) -> Vote? {
        guard let rule = configuration.footprint else {
            held.reset()
            return nil
        }
        let level = held.judge(
            context.reading.footprintBytes,
            warning: (rule.warningBytes, rule.share(rule.warningPercent - rule.exitPoints)),
            critical: (rule.criticalBytes, rule.share(rule.criticalPercent - rule.exitPoints)), isWorse: >)
        return Vote(
            rule: .footprint, level: level, observed: context.reading.footprintBytes,
            threshold: level == .critical ? rule.criticalBytes : rule.warningBytes, unit: .bytes)
    }

    mutating func hear(_ notice: RuleNotice) {
        // With another budget the vote begins anew. The next reading may see that one already.
        if case .reconfigured(let configuration) = notice, configuration.footprint == nil { held.reset() }
    }
}

extension ManagerConfiguration {
    /// A budget of this process's own; nil, the default, for none.
    ///
    /// Why: Only the application knows how large its footprint should be.
    public var footprint: FootprintRule? {
        get { ruleSettings[FootprintRule?.self] }
        set { ruleSettings[FootprintRule?.self] = newValue }
    }

    /// Votes by this process's footprint against a budget of its own.
    public struct FootprintRule: Sendable, Equatable {
        /// The budget in bytes; positive.
        public var budgetBytes: Int
        /// Percent of the budget above which the vote is `warning`. Default 80.
        ///
        /// Why: Of the budget: a fifth is left, as for headroom.
        public var warningPercent = 80
        /// Percent of the budget above which the vote is `critical`. Default 92.
        ///
        /// Why: Of the budget. A process above its budget is not killed, so this may be nearer than headroom's.
        public var criticalPercent = 92
        /// The distance below its entry at which a vote ends, in points of percent of the budget. Default 5.
        ///
        /// Why: As for headroom: 75 % and 87 %.
        public var exitPoints = 5

        /// A budget of that many bytes, with the documented percentages.
        public init(budgetBytes: Int) {
            self.budgetBytes = budgetBytes
        }

        /// The footprint above which the vote is `warning`, in bytes.
        package var warningBytes: Int { share(warningPercent) }
        /// The footprint above which the vote is `critical`, in bytes.
        package var criticalBytes: Int { share(criticalPercent) }

        /// So many percent of the budget, in bytes.
        func share(_ percent: Int) -> Int { budgetBytes / 100 * percent + budgetBytes % 100 * percent / 100 }
    }
}

extension ManagerConfiguration.FootprintRule: ConfigurationPart {
    static let settings: [ManagerSetting] = [
        .budget("footprint.budgetBytes"),
        .integer("footprint.warningPercent", \.budget.warningPercent, 1...99).besideBudget,
        .integer("footprint.criticalPercent", \.budget.criticalPercent, 2...100).besideBudget,
        .integer("footprint.exitPoints", \.budget.exitPoints, 0...98).besideBudget,
    ]

    func checkOrder(_ findings: inout ConfigurationFindings) {
        findings.below("footprint.warningPercent", warningPercent, "footprint.criticalPercent", criticalPercent)
        findings.below("footprint.exitPoints", exitPoints, "footprint.warningPercent", warningPercent)
    }
}

extension ManagerConfiguration {
    /// The footprint rule as it is or, where it is off, without a budget; with that it is refused.
    package var budget: FootprintRule {
        get { footprint ?? FootprintRule(budgetBytes: 0) }
        set { footprint = newValue }
    }
}
