internal import MemoryPressure

/// Decides when a step is due and how much it asks for. An episode lasts from leaving `normal` until it is reached again.
struct StepScheduler {
    private var configuration: ResourceManager.Configuration
    private(set) var step = 0
    private var lastEnd: MonotonicInstant?
    private var lastPromised = 0
    private var lastTarget = 0
    /// What came after its step and was not looked at yet.
    private var givenLate = 0
    private var mayStepAtOnce = false
    /// The demand that was posted and whose step has not ended. It may not have begun either.
    private var outstanding: (step: Int, level: PressureLevel)?
    private var highestStepped = PressureLevel.normal
    private(set) var nothingLeftSince: MonotonicInstant?
    private(set) var areLimitsSet = false

    /// At critical caches that are known to give nothing are asked again after so long: one of them may have changed its mind.
    private static let retrySpacing = Duration.seconds(5)

    /// Rules whose signal covers two seconds cannot show the effect of a step any sooner.
    private static let slowSpacing = Duration.nanoseconds(StallWindow.length)

    init(configuration: ResourceManager.Configuration) {
        self.configuration = configuration
    }

    mutating func reconfigure(_ configuration: ResourceManager.Configuration) {
        self.configuration = configuration
    }

    mutating func next(_ context: ReclaimContext) -> ReclaimDemand? {
        guard context.level > .normal else {
            step = 0
            highestStepped = .normal
            nothingLeftSince = nil
            givenLate = 0
            return nil
        }
        noteWhatIsLeft(context)
        if let outstanding, outstanding.level >= context.level { return nil }
        let isFirstAtLevel = context.level > highestStepped
        if !isFirstAtLevel, !mayStepAtOnce, let lastEnd, lastEnd.duration(to: context.now) < spacing(context) {
            return nil
        }

        // The shortage is over, and the level only waits to fall: to ask again for every dip below the exit would saw.
        if context.level == .warning, context.vote == .normal { return nil }

        let missing = missingBytes(context)
        let target = targetBytes(
            context, missing: missing, asksAll: isFirstAtLevel || mayStepAtOnce || isRetry(context))
        // What the allocator retains is brought by a trim alone, without asking anybody.
        let isTrimDue = missing > 0 && context.canTrim(atLeast: min(TrimSchedule.leastBytes, missing))
        guard target > 0 || isTrimDue || isFirstAtLevel || !areLimitsSet else { return nil }
        step += 1
        mayStepAtOnce = false
        highestStepped = max(highestStepped, context.level)
        areLimitsSet = true
        outstanding = (step, context.level)
        lastTarget = target
        let urgent = context.leastMillisecondsToLimit < configuration.trim.urgentTimeToLimit.milliseconds
        return ReclaimDemand(
            level: context.level, reason: context.reason, targetBytes: target, missingBytes: missing,
            retainedBytes: context.retainedBytes, step: step,
            limitBytes: min(context.reading.limitBytes, configuration.footprint?.budgetBytes ?? .max), isUrgent: urgent,
            decidedAt: context.now)
    }

    /// A step has ended; `step` is its number, and 0 for a call of the application's.
    mutating func stepEnded(_ step: Int, promisedBytes: Int, at now: MonotonicInstant) {
        guard step > 0 else { return }
        if outstanding?.step == step { outstanding = nil }
        lastEnd = now
        lastPromised = promisedBytes
    }

    /// A cache gave after the step that asked for it had ended: it was slow, and not empty, unless that was next to nothing.
    mutating func answeredLate(promisedBytes: Int) {
        lastPromised = lastPromised.addingSaturating(promisedBytes)
        givenLate = givenLate.addingSaturating(promisedBytes)
    }

    /// The level was announced again because it stuck: one new step is allowed at once.
    mutating func allowStep() {
        mayStepAtOnce = true
    }

    mutating func limitsWereLifted() {
        areLimitsSet = false
    }

    private mutating func noteWhatIsLeft(_ context: ReclaimContext) {
        // A cache that fills by a page between two steps is no help.
        let negligible = max(1, missingBytes(context) / 64)
        if givenLate >= negligible { nothingLeftSince = nil }
        givenLate = 0
        // While a step is under way nobody knows yet.
        if context.level == .critical, outstanding != nil { return }
        // A step that asked nobody for anything shows nothing of what there is.
        let gaveNothing = highestStepped == .critical && lastTarget > 0 && lastPromised < negligible
        let isExhausted =
            context.level == .critical && lastEnd != nil && (gaveNothing || context.expectedBytes < negligible)
            // What has been given up already, and only waits to be trimmed, comes before anything else is taken.
            && !context.canTrim(atLeast: negligible)
        nothingLeftSince = isExhausted ? nothingLeftSince ?? context.now : nil
    }

    private func spacing(_ context: ReclaimContext) -> Duration {
        let rule = context.reason.rule
        if rule == .stall || rule == .events || rule == .external { return Self.slowSpacing }
        let wasEmptyHanded = lastTarget > 0 && lastPromised == 0
        return context.level == .critical && !wasEmptyHanded ? .zero : configuration.reclaim.warningSpacing
    }

    /// Bytes to the low watermark, warning's exit, and by the rule that holds the level.
    private func missingBytes(_ context: ReclaimContext) -> Int {
        let reading = context.reading
        let isCritical = context.level == .critical
        let thresholds = context.thresholds
        var missing = max(0, thresholds.warningExit - reading.headroomBytes)
        // A little beyond the exit, or the last steps would creep up to it by kilobytes.
        if missing > 0 { missing += (thresholds.warningExit - thresholds.warningEntry) / 8 }
        let rule = context.reason.rule
        if rule == .timeToLimit, areLimitsSet || isCritical, let rate = context.growthRate {
            // With time to spare, limits alone may do; at critical they come in the same step, and caches cannot wait.
            let times = configuration.timeToLimit
            let seconds = Double((isCritical ? times.criticalExit : times.warning).milliseconds) / 1000
            missing = max(missing, Int(saturating: Double(rate) * seconds).subtractingSaturating(reading.headroomBytes))
        } else if rule == .footprint, let budget = configuration.footprint {
            let exit = budget.budgetBytes / 100 * (budget.warningPercent - budget.exitPoints)
            missing = max(missing, reading.footprintBytes - exit)
        } else if rule == .distanceToHigh, let high = reading.highBytes, let distance = reading.distanceToHighBytes {
            missing = max(missing, high / 100 * configuration.distanceToHigh.warningExitPercent - distance)
        } else if rule == .stall || rule == .events || rule == .external {
            // These say that memory is short but not by how much.
            let percent = isCritical ? 50 : configuration.reclaim.warningSharePercent
            missing = max(missing, context.expectedBytes / 100 * percent)
        }
        return max(0, missing)
    }

    private func isRetry(_ context: ReclaimContext) -> Bool {
        guard context.level == .critical, let lastEnd else { return false }
        return lastEnd.duration(to: context.now) >= Self.retrySpacing
    }

    /// - Parameter asksAll: Also those of whom nothing is expected.
    private func targetBytes(_ context: ReclaimContext, missing: Int, asksAll: Bool) -> Int {
        let purgeable = asksAll ? context.purgeableBytes : context.expectedBytes
        let share = shareBytes(context, missing: missing)
        let wanted = max(0, share - context.inFlightBytes - context.retainedBytes)
        let cap =
            context.level == .critical ? purgeable : purgeable / 100 * configuration.reclaim.warningSharePercent
        return min(wanted, max(0, cap))
    }

    /// This process's share of what is missing at a level that others use too: by footprint, doubled with each further step
    /// of the episode, all of it when there is less than a second left.
    private func shareBytes(_ context: ReclaimContext, missing: Int) -> Int {
        let rule = context.reason.rule
        let isShared = rule == .headroom || rule == .timeToLimit || rule == .distanceToHigh
        let reading = context.reading
        guard isShared, reading.unreclaimableBytes > reading.footprintBytes, reading.footprintBytes > 0 else {
            return missing
        }
        if context.level == .critical, context.leastMillisecondsToLimit < 1000 { return missing }
        let share = Double(missing) * Double(reading.footprintBytes) / Double(reading.unreclaimableBytes)
        return min(missing, Int(saturating: share * Double(1 << min(step, 30))))
    }
}
