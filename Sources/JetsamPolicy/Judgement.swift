internal import MemoryPressure

/// The input of the rules on one reading: the reading itself and the facts known beside it.
struct RuleContext {
    var reading: MemoryReading
    var thresholds: HeadroomThresholds
    /// Bytes that registered caches report, clamped to the footprint.
    var managedBytes: Int
    var cause: LevelCause
    /// The grade of the PSI trigger that fired, where that is the cause.
    var triggerGrade = PressureLevel.normal
    /// The speed at which caches can give.
    var leadTime = LeadTime()
    /// Nanoseconds that leaving takes; 0 where that is not known or does not matter.
    var leavingNanoseconds: Int64 = 0
    /// The bytes that are expected to come back, of those that caches report; and the bytes that a trim can bring.
    var expectedBytes = 0
    var retainedBytes = 0
    /// The owner of the shortage.
    var shortage = Shortage()
    /// Caches give, or gave a moment ago.
    var isDisturbed = false

    var now: MonotonicInstant { reading.instant }

    var roomBytes: Int { reading.roomBytes }

    /// Indicates whether the kernel can page out for a while yet before it kills.
    var hasSwap: Bool { reading.usableSwapBytes > thresholds.criticalEntry }

    /// Returns whether headroom is below `percent` of the limit.
    func isHeadroomBelow(percent: Int) -> Bool {
        reading.headroomBytes / percent < reading.limitBytes / 100
    }
}

extension MemoryReading {
    /// Headroom and what can be swapped out: what stands between the process and the kernel's killer.
    package var roomBytes: Int { headroomBytes.addingSaturating(usableSwapBytes) }
}

/// The reasons why the ladder may go on to steps that cannot be taken back. Only two count: headroom to a hard limit, usable swap
/// included, or a new `oom`. Both count only where this process has its part in the shortage.
package struct Emergency: Equatable {
    package var isHeadroomCritical = false
    package var isOutOfMemory = false
    package var isOurs = true

    package var isPresent: Bool { (isHeadroomCritical || isOutOfMemory) && isOurs }
}

/// The rules, each with its own memory: they vote on every reading, and the highest vote is kept with its reason.
struct Judgement {
    private var configuration: ManagerConfiguration
    private var headroom = Hysteresis()
    private var timeToLimit = Hysteresis()
    private var stall = Hysteresis()
    private var distanceToHigh = Hysteresis()
    private var footprint = Hysteresis()
    /// The vote on whether growth needs more headroom than there is before caches can have given; its `warning` stands for
    /// critical.
    private var leadTime = Hysteresis()
    package private(set) var growth: UnmanagedGrowth
    /// The decision whether leaving has to begin before there is an emergency.
    var early = EarlyLeave()
    /// Indicates whether the caches began to be asked for it at the last reading.
    private(set) var beganToAsk = false
    private var stallWindow = StallWindow()
    private var events = EventWatch()
    /// The level that a call of the application's holds.
    private var held: (level: PressureLevel, until: MonotonicInstant?)?
    /// The time until which the supervisor's word counts.
    private var warnedUntil: MonotonicInstant?

    package private(set) var emergency = Emergency()
    /// Sustained growth of unmanaged memory, in bytes a second; nil while too little has been seen.
    var growthRate: Int? { growth.bytesPerSecond }
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

    init(configuration: ManagerConfiguration) {
        self.configuration = configuration
        growth = UnmanagedGrowth(window: configuration.timeToLimit.window)
    }

    /// Keeps what the rules vote for; each is judged by its new thresholds at the next reading.
    mutating func reconfigure(_ configuration: ManagerConfiguration) {
        if configuration.timeToLimit.window != self.configuration.timeToLimit.window {
            growth = UnmanagedGrowth(window: configuration.timeToLimit.window)
        }
        // With another budget, later, the vote begins anew.
        if configuration.footprint == nil { footprint.reset() }
        self.configuration = configuration
    }

    /// Forgets growth and stall: after a gap in which the process did not run, they mean nothing.
    mutating func dropHistory() {
        growth.reset()
        stallWindow.reset()
        timeToLimit.reset()
        leadTime.reset()
        early.reset()
        lastUnmanaged = nil
        isSuspicious = false
        millisecondsAtOnce = nil
    }

    /// Percent of the last two seconds in which some task waited for memory, by what was read of it.
    func stallPercent(at now: MonotonicInstant) -> Int { stallWindow.percent(at: now) }

    /// Holds a vote as told, until `until`, or until told otherwise where that is nil.
    mutating func hold(_ level: PressureLevel, until: MonotonicInstant?) {
        held = level == .normal ? nil : (level, until)
    }

    /// Votes for a warning until then, whatever is held: neither ends the other.
    mutating func supervisorWarns(until: MonotonicInstant) {
        warnedUntil = until
    }

    /// The highest vote; of equal ones that of the rule that is named first in the design, so that a replay agrees.
    mutating func judge(_ context: RuleContext) -> Vote {
        let stallVote = stallVote(context)
        var highest = held(headroomVote(context), context)
        highest.yield(to: timeToLimitVote(context).map { held($0, context) })
        highest.yield(to: earlyVote(context))
        highest.yield(to: stallVote)
        highest.yield(to: eventsVote(context))
        highest.yield(to: distanceToHighVote(context))
        highest.yield(to: footprintVote(context))
        highest.yield(to: externalVote(context))
        emergency.isHeadroomCritical = context.roomBytes < context.thresholds.criticalEntry
        emergency.isOutOfMemory = events.isOutOfMemory(at: context.now)
        emergency.isOurs = context.shortage.isOurs
        return highest
    }

    /// While the kernel can page out it does not kill: nearness to the limit alone is no more than a warning then. It is critical
    /// where tasks wait for memory besides.
    private func held(_ vote: Vote, _ context: RuleContext) -> Vote {
        guard vote.level == .critical, context.hasSwap, stall.level == .normal else { return vote }
        var vote = vote
        vote.level = .warning
        return vote
    }

    /// Critical while caches are asked for what would be missing before this process has left.
    private mutating func earlyVote(_ context: RuleContext) -> Vote? {
        beganToAsk = false
        guard context.reading.depth == .full else { return earlyVote }
        beganToAsk = early.look(
            EarlyLeave.Context(
                now: context.now, leavingNanoseconds: context.leavingNanoseconds, roomBytes: context.roomBytes,
                expectedBytes: context.expectedBytes, retainedBytes: context.retainedBytes,
                criticalEntry: context.thresholds.criticalEntry, limitBytes: context.reading.limitBytes,
                unreclaimableBytes: context.reading.unreclaimableBytes,
                footprintBytes: context.reading.footprintBytes, managedBytes: context.managedBytes,
                leadTime: context.leadTime, shortage: context.shortage, isDisturbed: context.isDisturbed))
        return earlyVote
    }

    private var earlyVote: Vote? {
        guard early.isAsking else { return nil }
        return Vote(
            rule: .timeToLimit, level: .critical, observed: early.neededBytes.subtractingSaturating(early.deficit),
            threshold: early.neededBytes, unit: .bytes)
    }

    private mutating func headroomVote(_ context: RuleContext) -> Vote {
        let thresholds = context.thresholds
        let value = context.reading.headroomBytes
        let level = headroom.judge(
            value, warning: (thresholds.warningEntry, thresholds.warningExit),
            critical: (thresholds.criticalEntry, thresholds.criticalExit), isWorse: <)
        let threshold = level == .critical ? thresholds.criticalEntry : thresholds.warningEntry
        return Vote(rule: .headroom, level: level, observed: value, threshold: threshold, unit: .bytes)
    }

    private mutating func timeToLimitVote(_ context: RuleContext) -> Vote? {
        let rule = configuration.timeToLimit
        // A cheap reading's estimate takes page cache that is being written for growth.
        if context.reading.depth == .full { noteUnmanaged(context) }
        millisecondsToLimit = nil
        required = RequiredHeadroom(
            headroomBytes: context.reading.headroomBytes, thresholds: context.thresholds, growth: growth,
            leadTime: context.leadTime, configuration: configuration)
        guard context.isHeadroomBelow(percent: rule.headroomPercent) else {
            timeToLimit.reset()
            leadTime.reset()
            return nil
        }
        if let growthRate, growthRate > 0 {
            millisecondsToLimit = Int(
                saturating: Double(context.reading.headroomBytes) / Double(growthRate) * 1000)
        }
        if let vote = leadTimeVote(context) { return vote }
        guard let milliseconds = millisecondsToLimit else {
            timeToLimit.reset()
            return nil
        }
        let warning = rule.warning.milliseconds
        let level = timeToLimit.judge(
            milliseconds, warning: (warning, rule.warningExit.milliseconds), critical: nil, isWorse: <)
        return Vote(
            rule: .timeToLimit, level: level, observed: milliseconds, threshold: warning, unit: .milliseconds)
    }

    /// Critical where headroom would fall below critical's entry before caches, asked now, can have given.
    private mutating func leadTimeVote(_ context: RuleContext) -> Vote? {
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

    private mutating func noteUnmanaged(_ context: RuleContext) {
        let bytes = context.reading.unreclaimableBytes - context.managedBytes
        growth.append(context.reading, managedBytes: context.managedBytes)
        if let last = lastUnmanaged {
            let nanoseconds = last.instant.duration(to: context.now).nanoseconds
            let reach = configuration.timeToLimit.warning.nanoseconds
            // Growth since the last reading × the warning's time, against what is left.
            let grown = Double(bytes - last.bytes) * Double(reach) / Double(max(1, nanoseconds))
            let headroom = Double(context.reading.headroomBytes)
            isSuspicious = grown > headroom
            millisecondsAtOnce =
                grown > 0 ? Int(saturating: min(1e12, headroom / grown * Double(reach) * 1e-6)) : nil
        }
        lastUnmanaged = (bytes, context.now)
    }

    private mutating func stallVote(_ context: RuleContext) -> Vote? {
        let rule = configuration.stall
        if context.triggerGrade > .normal {
            let percent = context.triggerGrade == .critical ? rule.criticalPercent : rule.warningPercent
            stallWindow.noteTrigger(percent: percent + 1, at: context.now)
        }
        if let total = context.reading.stallSomeMicroseconds {
            stallWindow.append(totalMicroseconds: total, at: context.now)
        }
        events.observe(context.reading)
        let isReclaiming = events.showsShortage(
            context.reading, reclaimablePercent: configuration.events.reclaimablePercent)
        guard context.isHeadroomBelow(percent: rule.headroomPercent), isReclaiming else {
            stall.reset()
            return nil
        }
        let percent = stallWindow.percent(at: context.now)
        let level = stall.judge(
            percent, warning: (rule.warningPercent, rule.warningExitPercent),
            critical: (rule.criticalPercent, rule.criticalExitPercent), isWorse: >)
        return Vote(
            rule: .stall, level: level, observed: percent,
            threshold: level == .critical ? rule.criticalPercent : rule.warningPercent, unit: .percent)
    }

    private mutating func eventsVote(_ context: RuleContext) -> Vote? {
        let rule = configuration.events
        if events.isOutOfMemory(at: context.now, hold: rule.hold) {
            return Vote(
                rule: .events, level: .critical, observed: events.newOutOfMemory, threshold: 0, unit: .count)
        }
        guard context.reading.isLimited, events.sawEvents(within: rule.hold.nanoseconds, of: context.now),
            context.isHeadroomBelow(percent: max(1, rule.headroomPercent)),
            !EventWatch.isCacheAtLimit(context.reading, percent: configuration.events.reclaimablePercent)
        else { return nil }
        return Vote(rule: .events, level: .warning, observed: events.newReclaim, threshold: 0, unit: .count)
    }

    private mutating func distanceToHighVote(_ context: RuleContext) -> Vote? {
        let rule = configuration.distanceToHigh
        guard let high = context.reading.highBytes, let distance = context.reading.distanceToHighBytes else {
            distanceToHigh.reset()
            return nil
        }
        let entry = high / 100 * rule.warningPercent
        let level = distanceToHigh.judge(
            distance, warning: (entry, high / 100 * rule.warningExitPercent), critical: nil, isWorse: <)
        return Vote(rule: .distanceToHigh, level: level, observed: distance, threshold: entry, unit: .bytes)
    }

    private mutating func footprintVote(_ context: RuleContext) -> Vote? {
        guard let rule = configuration.footprint else { return nil }
        func share(_ percent: Int) -> Int { rule.budgetBytes / 100 * percent + rule.budgetBytes % 100 * percent / 100 }
        let level = footprint.judge(
            context.reading.footprintBytes,
            warning: (share(rule.warningPercent), share(rule.warningPercent - rule.exitPoints)),
            critical: (share(rule.criticalPercent), share(rule.criticalPercent - rule.exitPoints)), isWorse: >)
        return Vote(
            rule: .footprint, level: level, observed: context.reading.footprintBytes,
            threshold: share(level == .critical ? rule.criticalPercent : rule.warningPercent), unit: .bytes)
    }

    private mutating func externalVote(_ context: RuleContext) -> Vote? {
        if let until = held?.until, context.now >= until { held = nil }
        if let until = warnedUntil, context.now >= until { warnedUntil = nil }
        let level = max(held?.level ?? .normal, warnedUntil == nil ? .normal : .warning)
        return level == .normal
            ? nil : Vote(rule: .external, level: level, observed: 0, threshold: 0, unit: .none)
    }
}

extension Duration {
    /// The whole milliseconds of this duration.
    package var milliseconds: Int { Int(nanoseconds / 1_000_000) }
}
