internal import MemoryPressure

/// Decides when a step is due and how much it asks for. An episode lasts from leaving `normal` until it is reached again.
struct StepScheduler {
    private var configuration: ManagerConfiguration
    package private(set) var step = 0
    private(set) var lastEnd: MonotonicInstant?
    /// When the last steps were demanded: a ring, and the number of them all.
    private var begun = [MonotonicInstant](repeating: MonotonicInstant(nanoseconds: .min), count: mostSteps)
    private var begunCount = 0
    private var lastPromised = 0
    private var lastTarget = 0
    /// The bytes that came after their step and were not looked at yet.
    private var givenLate = 0
    /// The bytes of these that came while the step that was demanded last was under way.
    private var givenBeside = 0
    /// Indicates whether a cache has come back since the last step began, which could not ask it.
    private var hasOneBack = false
    /// The bytes that were not expected to come back when the last step was demanded.
    private var hollowAtDemand = 0
    /// Indicates whether the last step brought next to nothing, and shows nothing of what others have: see ``leavesOthers(_:_:)``.
    private var hasOthersToAsk = false
    /// Indicates whether the last step was made for them.
    private var didAskOthers = false
    private var mayStepAtOnce = false
    /// The demand that was posted and whose step has not ended. It may not have begun either.
    private var outstanding: (step: Int, level: PressureLevel, isByHeadroom: Bool)?
    /// What the step under way at critical needs, by the last reading; nil where it does not tell.
    private(set) var openBytes: OpenBytes?
    /// The level of the last step of the episode.
    private var steppedLevel = PressureLevel.normal
    private(set) var nothingLeftSince: MonotonicInstant?
    private(set) var areLimitsSet = false
    /// The time since which the level has been `warning` without a break.
    private var warningSince: MonotonicInstant?
    private var hasToldLack = false

    /// At critical caches that are known to give nothing are asked again after so long: one of them may have changed its mind.
    private static let retrySpacing = Duration.seconds(5)
    /// With less time than this to the limit, below critical's entry, they are asked as often as at warning: there is nothing to lose.
    private static let lastMilliseconds = 1_000

    /// A warning that lasts so long says that the limit is too small.
    static let lastingWarning = Duration.seconds(600)
    /// Rules whose signal covers two seconds cannot show the effect of a step any sooner.
    private static let slowSpacing = Duration.nanoseconds(StallWindow.length)
    /// The time between two such steps doubles so often at most while they have no effect: to 32 seconds.
    private static let mostDoublings = 4
    /// The part of the limit that a step must bring, and of what is missing, so that another step at once is worthwhile.
    private static let littleShare = 256
    private static let littleOfMissing = 8
    /// With more time than this to the limit, other processes are left the time to do their share.
    private static let sharedMilliseconds = 1_000
    /// Between two steps at warning, and after little at critical: twenty a second at most.
    private static let leastSpacing = Duration.milliseconds(50)
    /// No more steps than these begin in a second, but for the first at a level.
    private static let mostSteps = 18
    /// A step for growth asks for this part of the limit at least.
    static let leastShare = 128
    /// The most bytes that are asked for beyond warning's exit.
    private static let mostBeyondExit = 8 << 20
    /// The most that a step asks for by a rule that names no bytes, in percent of what is purgeable.
    private static let mostSharePercent = 40
    /// The share that such a step asks for now, and the value that the rule had observed when the last one was made.
    private var sharePercent: Int
    private var lastSignal: (rule: PressureRule, level: PressureLevel, observed: Int, instant: MonotonicInstant)?
    /// The number of such steps in a row that did not lower the value.
    private var vainSteps = 0

    init(configuration: ManagerConfiguration) {
        self.configuration = configuration
        sharePercent = configuration.reclaim.sharePercent
    }

    mutating func reconfigure(_ configuration: ManagerConfiguration) {
        self.configuration = configuration
    }

    mutating func next(_ context: ReclaimContext) -> ReclaimDemand? {
        openBytes = nil
        guard context.level > .normal else {
            step = 0
            lastSignal = nil
            vainSteps = 0
            sharePercent = configuration.reclaim.sharePercent
            steppedLevel = .normal
            nothingLeftSince = nil
            hasOthersToAsk = false
            didAskOthers = false
            givenLate = 0
            hasOneBack = false
            warningSince = nil
            hasToldLack = false
            return nil
        }
        warningSince = context.level == .warning ? warningSince ?? context.now : nil
        noteWhatIsLeft(context)
        if let outstanding, outstanding.level >= context.level {
            openBytes = missingMeanwhile(context)
            return nil
        }
        let isFirstAtLevel = context.level > steppedLevel
        if !isFirstAtLevel, !mayStepAtOnce, let lastEnd {
            guard lastEnd.duration(to: context.now) >= spacing(context), mayBegin(at: context.now) else { return nil }
        }

        // The shortage is over, and the level only waits to fall: to ask again for every dip below the exit would saw.
        if context.level == .warning, context.vote.level == .normal { return nil }

        let isSignalDue = noteSignal(context)
        let missing = missingBytes(context, includingSignal: isSignalDue)
        let target = targetBytes(
            context, missing: missing, asksAll: isFirstAtLevel || mayStepAtOnce || isRetry(context))
        // A trim alone brings back the bytes that the allocator retains, so no cache is asked for them.
        // The reclaimer goes by the same number: a step for a trim that it does not make would come again and again.
        let isTrimDue =
            missing > 0
            && context.canTrim(
                atLeast: TrimSchedule.dueBytes(
                    configuration.trim, limitBytes: leastLimit(context), missingBytes: missing))
        guard target > 0 || isTrimDue || isFirstAtLevel || !areLimitsSet else { return nil }
        step += 1
        begun[begunCount % Self.mostSteps] = context.now
        begunCount += 1
        mayStepAtOnce = false
        steppedLevel = context.level
        areLimitsSet = true
        let isByHeadroom = missing > 0 && missing == missingHeadroom(context)
        outstanding = (step, context.level, isByHeadroom)
        lastTarget = target
        hollowAtDemand = context.hollowBytes
        didAskOthers = hasOthersToAsk
        hasOthersToAsk = false
        hasOneBack = false
        givenBeside = 0
        let urgent = context.leastMillisecondsToLimit < configuration.trim.urgentTimeToLimit.milliseconds
        var demand = ReclaimDemand(
            level: context.level, reason: stepReason(context), targetBytes: target, missingBytes: missing,
            retainedBytes: context.retainedBytes, growthRate: context.growthRate,
            leadNanoseconds: Int(context.required.leadNanoseconds), step: step,
            limitBytes: leastLimit(context), isUrgent: urgent,
            decidedAt: context.now)
        demand.limitAt = context.limitAt(fastest: configuration.sampling.maximumGrowthRate)
        if isByHeadroom {
            demand.basis = ReclaimDemand.Basis(
                headroomBytes: context.reading.headroomBytes, comingBytes: context.inFlightBytes,
                share: Double(shareBytes(context, missing: missing)) / Double(missing))
        }
        return demand
    }

    /// Bytes that have been missing for a long time at `warning` while caches had nothing more to give; told once in an episode.
    mutating func findLack(_ context: ReclaimContext) -> Int? {
        guard !hasToldLack, let warningSince, warningSince.duration(to: context.now) >= Self.lastingWarning else {
            return nil
        }
        let missing = missingBytes(context)
        let negligible = max(1, missing / 64)
        let gaveNothing = lastTarget > 0 && outstanding == nil && lastPromised < negligible
        guard missing > 0, gaveNothing || context.expectedBytes < negligible else { return nil }
        hasToldLack = true
        return missing
    }

    /// A step has ended; `step` is its number, and 0 for a call of the application's.
    mutating func stepEnded(_ step: Int, promisedBytes: Int, at now: MonotonicInstant) {
        guard step > 0 else { return }
        if outstanding?.step == step { outstanding = nil }
        lastEnd = now
        // A cache that is still at work for the step before is not asked in this one. What it gave meanwhile shows that caches are
        // not empty.
        lastPromised = promisedBytes.addingSaturating(givenBeside)
    }

    /// A cache gave after the step that asked for it had ended: it was slow, and not empty, unless that was next to nothing.
    mutating func answeredLate(promisedBytes: Int) {
        lastPromised = lastPromised.addingSaturating(promisedBytes)
        givenLate = givenLate.addingSaturating(promisedBytes)
        givenBeside = givenBeside.addingSaturating(promisedBytes)
        hasOneBack = true
    }

    /// The level was announced again because it stuck: one new step is allowed at once.
    mutating func allowStep() {
        mayStepAtOnce = true
    }

    /// Limits were set outside of a step.
    mutating func limitsWereSet() {
        areLimitsSet = true
    }

    mutating func limitsWereLifted() {
        areLimitsSet = false
    }

    /// Returns whether a rule that names no bytes is to ask for some again. It asks for more only where the last step lowered the
    /// observed value. Otherwise the step had no effect: each time it is repeated only after twice as long, and for a stall with half
    /// of the share. A stall that no purge helps takes less than a tenth of the caches in the first minute, and then 1 % at a time.
    private mutating func noteSignal(_ context: ReclaimContext) -> Bool {
        let vote = context.vote
        guard vote.rule.type.namesNoBytes else { return false }
        // A step has just brought something: the signal still shows the time before that.
        if step > 0, lastPromised > 0, let lastEnd, lastEnd.duration(to: context.now) < Self.slowSpacing {
            return false
        }
        if let lastSignal {
            let doublings = context.level > lastSignal.level ? 0 : min(vainSteps, Self.mostDoublings)
            guard lastSignal.instant.duration(to: context.now) >= Self.slowSpacing * (1 << doublings) else {
                return false
            }
            // By a quarter: a share of time wavers by itself.
            // Some rules observe no value that a step could lower, as what somebody holds.
            let wasLowered =
                lastSignal.rule == vote.rule && lastSignal.observed > 0 && vote.observed <= lastSignal.observed * 3 / 4
            vainSteps = wasLowered ? 0 : vainSteps + 1
            let first = configuration.reclaim.sharePercent
            sharePercent =
                if wasLowered {
                    max(first, min(sharePercent * 2, Self.mostSharePercent))
                } else if vote.rule == .stall, lastSignal.rule == .stall {
                    max(1, min(sharePercent, first) / 2)
                } else {
                    first
                }
        }
        lastSignal = (vote.rule, context.level, vote.observed, context.now)
        return true
    }

    private mutating func noteWhatIsLeft(_ context: ReclaimContext) {
        // A cache that fills by a page between two steps is no help.
        let negligible = max(1, missingBytes(context) / 64)
        if givenLate >= negligible { nothingLeftSince = nil }
        givenLate = 0
        // While a step is under way nobody knows yet.
        if context.level == .critical, outstanding != nil { return }
        // A step that asked nobody for anything shows nothing of what there is.
        // Nor does one in which they gave what they were asked for, however little of what is missing that was.
        let gaveNothing =
            steppedLevel == .critical && lastTarget > 0
            && lastPromised < min(negligible, max(1, lastTarget / Self.littleOfMissing))
        hasOthersToAsk = gaveNothing && leavesOthers(context, negligible)
        let isExhausted =
            context.level == .critical && lastEnd != nil
            && (gaveNothing && !hasOthersToAsk || context.expectedBytes < negligible)
            // Bytes that are already freed and only wait for a trim come before anything else is taken.
            && !context.canTrim(atLeast: negligible)
        nothingLeftSince = isExhausted ? nothingLeftSince ?? context.now : nil
    }

    /// Returns whether caches may have much that a step without result did not ask for. In that step others were found out to give
    /// nothing: they hung, or promised what did not come, and it was not asked of anybody else. Or whoever has it was at work still.
    ///
    /// One more step, made at once, shows what they have. Nothing waits for more than that, nor where nothing was left before.
    private func leavesOthers(_ context: ReclaimContext, _ negligible: Int) -> Bool {
        guard context.level == .critical, !didAskOthers, nothingLeftSince == nil else { return false }
        guard let lastEnd, lastEnd.duration(to: context.now) < configuration.reclaim.warningSpacing else {
            return false
        }
        return context.expectedBytes >= negligible
            && context.hollowBytes.subtractingSaturating(hollowAtDemand) >= negligible
    }

    /// Returns whether so few steps began in the last second that one more may, whatever caches promise.
    private func mayBegin(at now: MonotonicInstant) -> Bool {
        begunCount < Self.mostSteps || begun[begunCount % Self.mostSteps].duration(to: now) >= .seconds(1)
    }

    private func spacing(_ context: ReclaimContext) -> Duration {
        if hasOthersToAsk || (hasOneBack && context.level == .critical) { return .zero }
        let wasEmptyHanded = lastTarget > 0 && lastPromised == 0
        if wasEmptyHanded { return configuration.reclaim.warningSpacing }
        if context.isShared, context.leastMillisecondsToLimit >= Self.sharedMilliseconds {
            // Others under the same limit do their share meanwhile.
            let reclaim = configuration.reclaim
            return context.level == .warning ? reclaim.warningSpacing : reclaim.criticalDeadline
        }
        // A step that brought next to nothing leaves nothing to hurry for.
        let little = max(
            leastLimit(context) / Self.littleShare, missingBytes(context) / Self.littleOfMissing)
        let broughtLittle = lastTarget > 0 && lastPromised < little
        return context.level == .critical && !broughtLittle ? .zero : Self.leastSpacing
    }

    /// Bytes that are missing to what the rules require, and nothing beyond that.
    private func missingBytes(_ context: ReclaimContext, includingSignal: Bool = false) -> Int {
        var missing = max(missingHeadroom(context), missingOtherwise(context))
        if includingSignal {
            missing = max(missing, context.expectedBytes / 100 * sharePercent)
        }
        return max(0, missing)
    }

    /// Returns what is missing that headroom does not show: to leave in time, and to limits that some rules have of their own.
    private func missingOtherwise(_ context: ReclaimContext) -> Int {
        // Of the rule that votes highest now, and of the one that raised the level; of a soft limit also beside a higher vote.
        var missing = max(
            context.leavingDeficit, context.vote.rule.type.missingBytes(context.reading, configuration),
            context.reason.rule.type.missingBytes(context.reading, configuration))
        // By their indices: without optimisation an iterator over the types allocates.
        for index in Rules.all.indices where Rules.all[index].isPassed(context.reading, configuration) {
            missing = max(missing, Rules.all[index].missingBytes(context.reading, configuration))
        }
        return missing
    }

    /// Returns the reason of a step: what votes for the level now. Where no rule does, the level waits to fall.
    private func stepReason(_ context: ReclaimContext) -> LevelReason {
        let vote = context.vote
        guard vote.level >= context.level, vote.rule != context.reason.rule else { return context.reason }
        return LevelReason(
            rule: vote.rule, observed: vote.observed, threshold: vote.threshold, unit: vote.unit,
            cause: context.reason.cause)
    }

    /// Returns the least of the hard limit and the soft ones: what is much of the one may be little of the other.
    private func leastLimit(_ context: ReclaimContext) -> Int {
        let reading = context.reading
        return min(reading.limitBytes, configuration.footprint?.budgetBytes ?? .max, reading.highBytes ?? .max)
    }

    /// Returns the missing headroom. Where the thresholds call, warning's exit is asked for, so that the level can fall. Where
    /// growth calls, the headroom that it needs is asked for, and no less at a time than is worth a step.
    private func missingHeadroom(_ context: ReclaimContext) -> Int {
        let headroom = context.reading.headroomBytes
        let thresholds = context.thresholds
        var missing = 0
        if headroom < thresholds.warningEntry || (headroom < thresholds.warningExit && isStuck(context)) {
            missing = Self.wantedHeadroom(thresholds) - headroom
        }
        let byGrowth = context.required.byGrowth - headroom
        guard byGrowth > missing else { return missing }
        return max(byGrowth, context.reading.limitBytes / Self.leastShare)
    }

    /// Returns the headroom that a step is to bring where the thresholds call: a little more than warning's exit. At the exit itself the
    /// next request would keep the level where it is. Under a large limit no more is needed for that than under a small one.
    static func wantedHeadroom(_ thresholds: HeadroomThresholds) -> Int {
        thresholds.warningExit + min((thresholds.warningExit - thresholds.warningEntry) / 8, mostBeyondExit)
    }

    /// Returns the bytes that are missing at critical beyond what was asked for: memory goes on to grow while a step is under way, and
    /// may cease to. A step that is under way can wait for the next reading: while growth pauses, nobody is asked for what would come of it,
    /// whether this reading or an earlier one reckoned with it.
    private func missingMeanwhile(_ context: ReclaimContext) -> OpenBytes? {
        // A cheap reading does not show yet what caches have given since the last full one.
        guard context.level == .critical, context.reading.depth == .full else { return nil }
        var context = context
        if context.hasGrowthPaused {
            context.required.byGrowth = min(context.required.byGrowth, context.thresholds.criticalEntry)
        }
        let missing = missingHeadroom(context)
        let coming = context.inFlightBytes.addingSaturating(context.retainedBytes)
        let open = shareBytes(context, missing: missing).subtractingSaturating(coming)
        // What a rule asked for that names no bytes, or for a limit of its own, is no less needed for much headroom.
        let mayLower = outstanding?.isByHeadroom == true
        let wanted = max(context.required.byGrowth, Self.wantedHeadroom(context.thresholds))
            .subtractingSaturating(context.reading.headroomBytes)
        let most = max(wanted, missingOtherwise(context)).subtractingSaturating(coming)
        if open >= context.reading.limitBytes / Self.leastShare {
            return OpenBytes(missing: open, most: context.hasGrowthPaused && mayLower ? max(open, most) : nil)
        }
        guard mayLower else { return nil }
        // A part of what is in flight may be there already, and counts twice. Where that was too much, the next reading raises again.
        // Too little is missing to ask anybody else.
        return OpenBytes(most: min(-1, most))
    }

    /// Returns whether headroom has stayed between warning's entry and its exit for so long that the level will not fall by
    /// itself.
    private func isStuck(_ context: ReclaimContext) -> Bool {
        guard context.vote.rule == .headroom, context.vote.level > .normal, let lastEnd else { return false }
        return lastEnd.duration(to: context.now) >= configuration.level.warningFallDelay
    }

    private func isRetry(_ context: ReclaimContext) -> Bool {
        guard context.level == .critical, let lastEnd else { return false }
        let isLast =
            context.reading.headroomBytes < context.thresholds.criticalEntry
            && context.leastMillisecondsToLimit < Self.lastMilliseconds
        return lastEnd.duration(to: context.now) >= (isLast ? configuration.reclaim.warningSpacing : Self.retrySpacing)
    }

    /// - Parameter asksAll: Also those of whom nothing is expected.
    private func targetBytes(_ context: ReclaimContext, missing: Int, asksAll: Bool) -> Int {
        // Nobody trims for less than that: those bytes do not come.
        let retained = context.retainedBytes >= TrimSchedule.leastBytes ? context.retainedBytes : 0
        let coming = context.inFlightBytes.addingSaturating(retained)
        // If only few bytes are missing, a step is not worth it.
        guard missing.subtractingSaturating(coming) >= min(missing, leastLimit(context) / Self.leastShare) else {
            return 0
        }
        let wanted = max(0, shareBytes(context, missing: missing).subtractingSaturating(coming))
        return min(wanted, max(0, asksAll ? context.purgeableBytes : context.expectedBytes))
    }

    /// This process's share of what is missing at a level that others use too: by footprint, doubled with each further step
    /// of the episode; all of it below critical's entry with less than a second left, where nobody can wait for the others.
    private func shareBytes(_ context: ReclaimContext, missing: Int) -> Int {
        guard context.isShared else { return missing }
        let reading = context.reading
        let isLast = reading.headroomBytes < context.thresholds.criticalEntry && context.leastMillisecondsToLimit < 1000
        if context.level == .critical, isLast { return missing }
        let share = Double(missing) * Double(reading.footprintBytes) / Double(reading.unreclaimableBytes)
        return min(missing, Int(saturating: share * Double(1 << min(step, 30))))
    }
}
