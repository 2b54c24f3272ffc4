internal import MemoryPressure

/// Votes by the share of time in which tasks waited for memory.
struct Stall: Rule {
    static let namesNoBytes = true

    private var held = Hysteresis()
    private var window = StallWindow()

    /// Indicates whether its vote on the last reading was above normal.
    var isVoting: Bool { held.level > .normal }

    /// Percent of the last two seconds in which some task waited for memory, by what was read of it.
    func percent(at now: MonotonicInstant) -> Int { window.percent(at: now) }

    mutating func vote(_ context: RuleContext, _ configuration: ManagerConfiguration) -> Vote? {
        let rule = configuration.stall
        if context.triggerGrade > .normal {
            let percent = context.triggerGrade == .critical ? rule.criticalPercent : rule.warningPercent
            window.noteTrigger(percent: percent + 1, at: context.now)
        }
        if let total = context.reading.stallSomeMicroseconds {
            window.append(totalMicroseconds: total, at: context.now)
        }
        guard context.isHeadroomBelow(percent: rule.headroomPercent), context.showsShortage else {
            held.reset()
            return nil
        }
        let percent = window.percent(at: context.now)
        let level = held.judge(
            percent, warning: (rule.warningPercent, rule.warningExitPercent),
            critical: (rule.criticalPercent, rule.criticalExitPercent), isWorse: >)
        return Vote(
            rule: .stall, level: level, observed: percent,
            threshold: level == .critical ? rule.criticalPercent : rule.warningPercent, unit: .percent)
    }

    mutating func forget() { window.reset() }
}

extension ManagerConfiguration {
    /// Votes by PSI's `some` share over 2 s, where headroom is short and the kernel has been reclaiming what is needed: pages that it took
    /// came back, or `high` or `max` rose with little page cache left (``EventsRule/reclaimablePercent``).
    public struct StallRule: Sendable, Equatable {
        /// Percent of 2 s above which the vote is `warning`. Default 7.
        public var warningPercent = 7
        /// Percent below which a `warning` vote ends. Default 4.
        public var warningExitPercent = 4
        /// Percent above which the vote is `critical`. Default 30.
        public var criticalPercent = 30
        /// Percent below which a `critical` vote ends. Default 15.
        public var criticalExitPercent = 15
        /// The rule is silent while headroom is at least this percent of the limit. Default 50.
        public var headroomPercent = 50

        package init() {}
    }
}

extension ManagerConfiguration.StallRule: ConfigurationPart {
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
