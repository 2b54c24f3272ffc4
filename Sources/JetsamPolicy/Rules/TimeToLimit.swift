internal import MemoryPressure

extension PressureRule {
    /// Headroom ÷ growth of unmanaged memory.
    ///
    /// - Means: memory grows so fast that it soon reaches the limit
    /// - Reads: the same
    /// - Look at: the plot of unreclaimable memory in `jetsam report`
    public static let timeToLimit = PressureRule(1, "timeToLimit")
}

/// Votes by headroom ÷ sustained growth of unmanaged memory, and where caches or leaving would come too late at that growth.
struct TimeToLimit: Rule {
    static let rule = PressureRule.timeToLimit
    static let settings: [any RuleSettings.Type] = [
        ManagerConfiguration.TimeToLimitRule.self, ManagerConfiguration.LeadTimeRule.self,
    ]
    static let isShared = true

    private var held = Hysteresis()
    /// The vote on whether growth needs more headroom than there is before caches can have given; its `warning` stands for
    /// critical.
    private var leadTime = Hysteresis()

    mutating func vote(_ context: RuleContext, _ configuration: ManagerConfiguration) -> Vote? {
        let vote = voteByTime(context, configuration.timeToLimit)?.eased(context)
        guard let leaving = context.leaving, vote?.level != .critical else { return vote }
        // While caches are asked for what would be missing before this process has left.
        return Vote(
            rule: .timeToLimit, level: .critical, observed: leaving.neededBytes.subtractingSaturating(leaving.deficit),
            threshold: leaving.neededBytes, unit: .bytes)
    }

    mutating func hear(_ notice: RuleNotice) {
        guard case .paused = notice else { return }
        held.reset()
        leadTime.reset()
    }

    private mutating func voteByTime(
        _ context: RuleContext, _ rule: ManagerConfiguration.TimeToLimitRule
    ) -> Vote? {
        guard context.reading.isHeadroomBelow(percent: rule.headroomPercent) else {
            held.reset()
            leadTime.reset()
            return nil
        }
        if let vote = voteByLeadTime(context) { return vote }
        guard let milliseconds = context.millisecondsToLimit else {
            held.reset()
            return nil
        }
        let warning = rule.warning.milliseconds
        let level = held.judge(
            milliseconds, warning: (warning, rule.warningExit.milliseconds), critical: nil, isWorse: <)
        return Vote(
            rule: .timeToLimit, level: level, observed: milliseconds, threshold: warning, unit: .milliseconds)
    }

    /// Critical where headroom would fall below critical's entry before caches, asked now, can have given.
    private mutating func voteByLeadTime(_ context: RuleContext) -> Vote? {
        let headroom = context.reading.headroomBytes
        let required = context.required
        // Without growth the thresholds judge alone.
        guard required.byGrowth > context.thresholds.criticalEntry else {
            leadTime.reset()
            return nil
        }
        let exit = max(required.exit, required.byGrowth)
        let level = leadTime.judge(headroom, warning: (required.byGrowth, exit), critical: nil, isWorse: <)
        guard level > .normal else { return nil }
        return Vote(
            rule: .timeToLimit, level: .critical, observed: headroom, threshold: required.byGrowth, unit: .bytes)
    }
}

extension ManagerConfiguration {
    /// The time until the hard limit is reached at the present growth.
    public var timeToLimit: TimeToLimitRule {
        get { ruleSettings[TimeToLimitRule.self] }
        set { ruleSettings[TimeToLimitRule.self] = newValue }
    }

    /// Votes by headroom ÷ sustained growth of unmanaged memory.
    ///
    /// `warning` comes early and sets limits: nothing is released for it. `critical` comes when headroom is less than
    /// what growth takes within the lead time of the caches (``LeadTimeRule``) and critical's entry.
    public struct TimeToLimitRule: Sendable, Equatable {
        /// Below this time the vote is `warning`. Default 10 s.
        ///
        /// Why: Enough time to stop the growth of caches before bytes must be freed: this warning sets limits and asks
        /// for no bytes. Growth that was seen for 0.2 s is counted on for 1 s at most (five times), and growth that was
        /// seen for 2 s for 10 s: so one jump does not warn.
        public var warning = Duration.seconds(10)
        /// Above this time a `warning` vote ends. Default 20 s.
        ///
        /// Why: Twice the entry.
        public var warningExit = Duration.seconds(20)
        /// The shortest window: growth is a least-squares fit over this much time, and over eight readings at least; beside it
        /// there are windows of 1 s and 5 s. Default 200 ms.
        ///
        /// Why: Long enough to tell a trend from a table that doubled.
        public var window = Duration.milliseconds(200)
        /// The rule is silent while headroom is at least this percent of the limit. Default 50.
        ///
        /// Why: With more headroom than this, growth is normal, as in a server that starts.
        public var headroomPercent = 50

        package init() {}
    }
}

extension ManagerConfiguration.TimeToLimitRule: RuleSettings, ConfigurationPart {
    static let standard = Self()
    static let settings: [ManagerSetting] = [
        .duration("timeToLimit.warning", \.timeToLimit.warning, from: .milliseconds(1)),
        .duration("timeToLimit.warningExit", \.timeToLimit.warningExit, from: .milliseconds(1)),
        .duration("timeToLimit.window", \.timeToLimit.window, from: .milliseconds(10)),
        .integer("timeToLimit.headroomPercent", \.timeToLimit.headroomPercent, 1...100),
    ]

    func checkOrder(_ findings: inout ConfigurationFindings) {
        findings.atLeast("timeToLimit.warningExit", warningExit, "timeToLimit.warning", warning)
    }
}
