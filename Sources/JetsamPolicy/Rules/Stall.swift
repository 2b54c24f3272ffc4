internal import MemoryPressure

extension PressureRule {
    /// The share of time in which tasks waited for memory.
    ///
    /// - Means: tasks wait for memory
    /// - Reads: `PSI totals` or the `PSI trigger`; as evidence `cgroup usage` (pages of the working set that came back) or `memory.events`
    /// - Look at: whether the container's limit is too small for its page cache, or swap is in use
    public static let stall = PressureRule(2, "stall")
}

/// Votes by the share of time in which tasks waited for memory.
struct Stall: Rule {
    static let rule = PressureRule.stall
    static let settings: [any RuleSettings.Type] = [ManagerConfiguration.StallRule.self]
    static let namesNoBytes = true

    func vote(_ context: RuleContext, _ configuration: ManagerConfiguration) -> Vote? {
        let (level, percent) = context.stall
        guard level > .normal else { return nil }
        return Vote(
            rule: .stall, level: level, observed: percent,
            threshold: StallGrade.Thresholds(configuration.stall).percent(of: level), unit: .percent)
    }
}

extension ManagerConfiguration {
    /// The share of time in which tasks waited for memory.
    public var stall: StallRule {
        get { ruleSettings[StallRule.self] }
        set { ruleSettings[StallRule.self] = newValue }
    }

    /// Votes by PSI's `some` share over 2 s, where headroom is short and the kernel has been reclaiming what is needed: pages of the
    /// working set that it took came back, or `high` or `max` rose with little page cache left (``EventsRule/reclaimablePercent``).
    public struct StallRule: Sendable, Equatable {
        /// Percent of 2 s above which the vote is `warning`. Default 7.
        ///
        /// Why: Of two seconds. A healthy process hardly waits for memory at all.
        public var warningPercent = StallGrade.Thresholds().warningPercent
        /// Percent below which a `warning` vote ends. Default 4.
        ///
        /// Why: About half of the entry.
        public var warningExitPercent = StallGrade.Thresholds().warningExitPercent
        /// Percent above which the vote is `critical`. Default 30.
        ///
        /// Why: Of two seconds: work crawls.
        public var criticalPercent = StallGrade.Thresholds().criticalPercent
        /// Percent below which a `critical` vote ends. Default 15.
        ///
        /// Why: Half of the entry.
        public var criticalExitPercent = StallGrade.Thresholds().criticalExitPercent
        /// The rule is silent while headroom is at least this percent of the limit. Default 50.
        ///
        /// Why: If memory is free, other programs cause the stall, and releases would not help. Tasks that read or write
        /// files wait too. So if much page cache is left (`events.reclaimablePercent`), stall counts only while pages of
        /// the working set that the kernel took are read back: pages of the cgroup, or of the machine if there is no
        /// limit (`/proc/vmstat`). A file that is read from end to end is no working set. `MemoryPressureSource` does
        /// the same.
        public var headroomPercent = StallGrade.Thresholds().headroomPercent

        package init() {}
    }
}

extension ManagerConfiguration.StallRule: RuleSettings, ConfigurationPart {
    static let standard = Self()
    static let settings: [ManagerSetting] = [
        .integer("stall.warningPercent", \.stall.warningPercent, 1...99),
        .integer("stall.warningExitPercent", \.stall.warningExitPercent, 0...99),
        .integer("stall.criticalPercent", \.stall.criticalPercent, 2...100),
        .integer("stall.criticalExitPercent", \.stall.criticalExitPercent, 0...100),
        .integer("stall.headroomPercent", \.stall.headroomPercent, 1...100),
    ]

    func checkOrder(_ findings: inout ConfigurationFindings) {
        findings.below("stall.warningPercent", warningPercent, "stall.criticalPercent", criticalPercent)
        findings.atMost("stall.warningExitPercent", warningExitPercent, "stall.warningPercent", warningPercent)
        findings.atMost("stall.criticalExitPercent", criticalExitPercent, "stall.criticalPercent", criticalPercent)
    }
}

extension StallGrade.Thresholds {
    init(_ rule: ManagerConfiguration.StallRule) {
        self.init(
            warningPercent: rule.warningPercent, warningExitPercent: rule.warningExitPercent,
            criticalPercent: rule.criticalPercent, criticalExitPercent: rule.criticalExitPercent,
            headroomPercent: rule.headroomPercent)
    }
}
