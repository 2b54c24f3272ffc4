internal import MemoryPressure

/// Votes by this process's footprint against a budget of its own; silent without one.
struct Footprint: Rule {
    private var held = Hysteresis()

    static func knowsRoom(_ isUsed: (MemorySignalSource) -> Bool, _ configuration: ManagerConfiguration) -> Bool {
        isUsed(.footprint) && configuration.footprint != nil
    }

    static func missingBytes(_ reading: MemoryReading, _ configuration: ManagerConfiguration) -> Int {
        guard let rule = configuration.footprint else { return 0 }
        return reading.footprintBytes - rule.budgetBytes / 100 * (rule.warningPercent - rule.exitPoints)
    }

    mutating func vote(_ context: RuleContext, _ configuration: ManagerConfiguration) -> Vote? {
        guard let rule = configuration.footprint else {
            budgetWasRemoved()
            return nil
        }
        func share(_ percent: Int) -> Int { rule.budgetBytes / 100 * percent + rule.budgetBytes % 100 * percent / 100 }
        let level = held.judge(
            context.reading.footprintBytes,
            warning: (share(rule.warningPercent), share(rule.warningPercent - rule.exitPoints)),
            critical: (share(rule.criticalPercent), share(rule.criticalPercent - rule.exitPoints)), isWorse: >)
        return Vote(
            rule: .footprint, level: level, observed: context.reading.footprintBytes,
            threshold: share(level == .critical ? rule.criticalPercent : rule.warningPercent), unit: .bytes)
    }

    /// With another budget, later, the vote begins anew.
    mutating func budgetWasRemoved() { held.reset() }
}

extension ManagerConfiguration {
    /// Votes by this process's footprint against a budget of its own.
    public struct FootprintRule: Sendable, Equatable {
        /// The budget in bytes; positive.
        public var budgetBytes: Int
        /// Percent of the budget above which the vote is `warning`. Default 80.
        public var warningPercent = 80
        /// Percent of the budget above which the vote is `critical`. Default 92.
        public var criticalPercent = 92
        /// The distance below its entry at which a vote ends, in points of percent of the budget. Default 5.
        public var exitPoints = 5

        /// A budget of that many bytes, with the documented percentages.
        public init(budgetBytes: Int) {
            self.budgetBytes = budgetBytes
        }
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
