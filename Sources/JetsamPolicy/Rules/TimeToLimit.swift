internal import MemoryPressure

/// Votes by headroom ÷ sustained growth of unmanaged memory, and where caches or leaving would come too late at that growth.
struct TimeToLimit: Rule {
    static let isShared = true

    private var held = Hysteresis()
    /// The vote on whether growth needs more headroom than there is before caches can have given; its `warning` stands for
    /// critical.
    private var leadTime = Hysteresis()
    private(set) var growth: UnmanagedGrowth
    /// The decision whether leaving has to begin before there is an emergency.
    var early = EarlyLeave()
    /// Indicates whether the caches began to be asked for it at the last reading.
    private(set) var beganToAsk = false
    /// The headroom that must be there at the last reading.
    private(set) var required = RequiredHeadroom()
    /// Indicates whether unmanaged memory has grown since the last reading as fast as would warn if it went on. Readings are then
    /// taken closely, so that the trend is known in time.
    private(set) var isSuspicious = false
    private var lastUnmanaged: (bytes: Int, instant: MonotonicInstant)?
    /// Milliseconds until the limit at that growth; nil where it does not grow.
    private(set) var millisecondsToLimit: Int?
    /// The same at the growth between the last two full readings, whatever came of it before; nil where there was none.
    private(set) var millisecondsAtOnce: Int?

    init(_ configuration: ManagerConfiguration) {
        growth = UnmanagedGrowth(window: configuration.timeToLimit.window)
    }

    /// Measures growth anew, as its window is another.
    mutating func changeWindow(_ window: Duration) {
        growth = UnmanagedGrowth(window: window)
    }

    mutating func vote(_ context: RuleContext, _ configuration: ManagerConfiguration) -> Vote? {
        let vote = voteByTime(context, configuration)?.eased(context)
        lookEarly(context)
        guard early.isAsking, vote?.level != .critical else { return vote }
        // While caches are asked for what would be missing before this process has left.
        return Vote(
            rule: .timeToLimit, level: .critical, observed: early.neededBytes.subtractingSaturating(early.deficit),
            threshold: early.neededBytes, unit: .bytes)
    }

    mutating func forget() {
        growth.reset()
        held.reset()
        leadTime.reset()
        early.reset()
        lastUnmanaged = nil
        isSuspicious = false
        millisecondsAtOnce = nil
    }

    private mutating func voteByTime(_ context: RuleContext, _ configuration: ManagerConfiguration) -> Vote? {
        let rule = configuration.timeToLimit
        // A cheap reading's estimate takes page cache that is being written for growth.
        if context.reading.depth == .full { noteUnmanaged(context, rule) }
        millisecondsToLimit = nil
        required = RequiredHeadroom(
            headroomBytes: context.reading.headroomBytes, thresholds: context.thresholds, growth: growth,
            leadTime: context.leadTime, configuration: configuration)
        guard context.isHeadroomBelow(percent: rule.headroomPercent) else {
            held.reset()
            leadTime.reset()
            return nil
        }
        if let rate = growth.bytesPerSecond, rate > 0 {
            millisecondsToLimit = Int(saturating: Double(context.reading.headroomBytes) / Double(rate) * 1000)
        }
        if let vote = voteByLeadTime(context) { return vote }
        // A jump that is over in a moment says nothing of the next ten seconds.
        guard let milliseconds = growth.milliseconds(toGrow: context.reading.headroomBytes) else {
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
        let exit = max(required.exit, required.byGrowth)
        // Without growth the thresholds judge alone.
        guard required.byGrowth > context.thresholds.criticalEntry else {
            leadTime.reset()
            return nil
        }
        let level = leadTime.judge(headroom, warning: (required.byGrowth, exit), critical: nil, isWorse: <)
        guard level > .normal else { return nil }
        return Vote(
            rule: .timeToLimit, level: .critical, observed: headroom, threshold: required.byGrowth, unit: .bytes)
    }

    private mutating func noteUnmanaged(
        _ context: RuleContext, _ rule: ManagerConfiguration.TimeToLimitRule
    ) {
        let bytes = context.reading.unreclaimableBytes - context.managedBytes
        growth.append(context.reading, managedBytes: context.managedBytes)
        if let last = lastUnmanaged {
            let nanoseconds = last.instant.duration(to: context.now).nanoseconds
            let reach = rule.warning.nanoseconds
            // Growth since the last reading × the warning's time, against what is left.
            let grown = Double(bytes - last.bytes) * Double(reach) / Double(max(1, nanoseconds))
            let headroom = Double(context.reading.headroomBytes)
            isSuspicious = grown > headroom
            millisecondsAtOnce =
                grown > 0 ? Int(saturating: min(1e12, headroom / grown * Double(reach) * 1e-6)) : nil
        }
        lastUnmanaged = (bytes, context.now)
    }

    private mutating func lookEarly(_ context: RuleContext) {
        beganToAsk = false
        guard context.reading.depth == .full else { return }
        beganToAsk = early.look(
            EarlyLeave.Context(
                now: context.now, leavingNanoseconds: context.leavingNanoseconds, roomBytes: context.roomBytes,
                expectedBytes: context.expectedBytes, retainedBytes: context.retainedBytes,
                criticalEntry: context.thresholds.criticalEntry, limitBytes: context.reading.limitBytes,
                unreclaimableBytes: context.reading.unreclaimableBytes,
                footprintBytes: context.reading.footprintBytes, managedBytes: context.managedBytes,
                leadTime: context.leadTime, shortage: context.shortage, isDisturbed: context.isDisturbed))
    }
}

extension ManagerConfiguration {
    /// Votes by headroom ÷ sustained growth of unmanaged memory.
    ///
    /// `warning` comes early and sets limits: nothing is released for it. `critical` comes when headroom is less than
    /// what growth takes within the lead time of the caches (``LeadTimeRule``) and critical's entry.
    public struct TimeToLimitRule: Sendable, Equatable {
        /// Below this time the vote is `warning`. Default 10 s.
        public var warning = Duration.seconds(10)
        /// Above this time a `warning` vote ends. Default 20 s.
        public var warningExit = Duration.seconds(20)
        /// The shortest window: growth is a least-squares fit over this much time, and over eight readings at least; beside it
        /// there are windows of 1 s and 5 s. Default 200 ms.
        public var window = Duration.milliseconds(200)
        /// The rule is silent while headroom is at least this percent of the limit. Default 50.
        public var headroomPercent = 50

        package init() {}
    }
}

extension ManagerConfiguration.TimeToLimitRule: ConfigurationPart {
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
