internal import MemoryPressure

extension PressureRule {
    /// New events of the cgroup.
    ///
    /// - Means: the kernel counted `high`, `max` or `oom`
    /// - Reads: `memory.events`
    /// - Look at: whether a child process was killed
    public static let events = PressureRule(3, "events")
}

/// Votes by the counters of `memory.events`.
struct Events: Rule {
    static let rule = PressureRule.events
    static let settings: [any RuleSettings.Type] = [ManagerConfiguration.EventsRule.self]
    static let namesNoBytes = true

    func vote(_ context: RuleContext, _ configuration: ManagerConfiguration) -> Vote? {
        let level = context.events.grade(
            context.reading, EventWatch.Thresholds(configuration.events), warningExit: context.thresholds.warningExit)
        guard level > .normal else { return nil }
        let count = level == .critical ? context.events.newOutOfMemory : context.events.newReclaim
        return Vote(rule: .events, level: level, observed: count, threshold: 0, unit: .count)
    }
}

extension ManagerConfiguration {
    /// New `high`, `max`, `oom` and `oom_kill` of `memory.events`.
    public var events: EventsRule {
        get { ruleSettings[EventsRule.self] }
        set { ruleSettings[EventsRule.self] = newValue }
    }

    /// Votes by the counters of `memory.events`.
    public struct EventsRule: Sendable, Equatable {
        /// New `high` or `max` vote `warning` only below this percent of headroom. Default 50.
        ///
        /// Why: As for stall.
        public var headroomPercent = EventWatch.Thresholds().headroomPercent
        /// New `high` or `max` vote only while the memory that the kernel could still take back for free is less than this
        /// percent of the limit; with more of it they say no more than that files were read or written. Default 10.
        ///
        /// Why: If more page cache than this is left, usage touches the limit only because files were read or written. It is a
        /// percentage of `memory.high` if that is lower than the limit.
        public var reclaimablePercent = EventWatch.Thresholds().reclaimablePercent
        /// The time that a vote lasts after the last new event. Default 2 s.
        ///
        /// Why: The kernel's own averaging window.
        public var hold = EventWatch.Thresholds().hold

        package init() {}
    }
}

extension ManagerConfiguration.EventsRule: RuleSettings, ConfigurationPart {
    static let standard = Self()
    static let settings: [ManagerSetting] = [
        .integer("events.headroomPercent", \.events.headroomPercent, 0...100),
        .integer("events.reclaimablePercent", \.events.reclaimablePercent, 0...100),
        .duration("events.hold", \.events.hold, from: .zero),
    ]
}

extension EventWatch.Thresholds {
    fileprivate init(_ rule: ManagerConfiguration.EventsRule) {
        self.init(
            headroomPercent: rule.headroomPercent, reclaimablePercent: rule.reclaimablePercent, hold: rule.hold)
    }
}
