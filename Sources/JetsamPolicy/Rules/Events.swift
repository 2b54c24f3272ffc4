internal import MemoryPressure

/// Votes by the counters of `memory.events`.
struct Events: Rule {
    static let namesNoBytes = true

    private var watch = EventWatch()

    /// Takes over the counters. It comes before any rule votes.
    mutating func observe(_ reading: MemoryReading) { watch.observe(reading) }

    /// Returns whether stall means that memory is short.
    func showsShortage(_ reading: MemoryReading, _ configuration: ManagerConfiguration) -> Bool {
        watch.showsShortage(reading, reclaimablePercent: configuration.events.reclaimablePercent)
    }

    /// Returns whether this process or its cgroup has met its limit, and is still near it.
    func isOutOfMemory(_ context: RuleContext) -> Bool {
        watch.isOutOfMemory(at: context.now) && !Self.isOver(context)
    }

    /// Returns whether the kernel has ended what filled the limit: so much is not even used by page cache that no warning would be
    /// left. Headroom alone does not say so: what counts as reclaimable there may not have been.
    private static func isOver(_ context: RuleContext) -> Bool {
        let reading = context.reading
        return reading.isLimited
            && reading.limitBytes.subtractingSaturating(reading.usageBytes) >= context.thresholds.warningExit
    }

    mutating func vote(_ context: RuleContext, _ configuration: ManagerConfiguration) -> Vote? {
        let rule = configuration.events
        if watch.isOutOfMemory(at: context.now, hold: rule.hold), !Self.isOver(context) {
            return Vote(rule: .events, level: .critical, observed: watch.newOutOfMemory, threshold: 0, unit: .count)
        }
        guard context.reading.isLimited, watch.sawEvents(within: rule.hold.nanoseconds, of: context.now),
            context.isHeadroomBelow(percent: max(1, rule.headroomPercent)),
            !EventWatch.isCacheAtLimit(context.reading, percent: rule.reclaimablePercent)
        else { return nil }
        return Vote(rule: .events, level: .warning, observed: watch.newReclaim, threshold: 0, unit: .count)
    }
}

extension ManagerConfiguration {
    /// Votes by the counters of `memory.events`.
    public struct EventsRule: Sendable, Equatable {
        /// New `high` or `max` vote `warning` only below this percent of headroom. Default 50.
        public var headroomPercent = 50
        /// New `high` or `max` vote only while the memory that the kernel could still take back for free is less than this
        /// percent of the limit; with more of it they say no more than that files were read or written. Default 10.
        public var reclaimablePercent = 10
        /// The time that a vote lasts after the last new event. Default 2 s.
        public var hold = Duration.seconds(2)

        package init() {}
    }
}

extension ManagerConfiguration.EventsRule: ConfigurationPart {
    static let settings: [ManagerSetting] = [
        .integer("events.headroomPercent", \.events.headroomPercent, 0...100),
        .integer("events.reclaimablePercent", \.events.reclaimablePercent, 0...100),
        .duration("events.hold", \.events.hold, from: .zero),
    ]
}
