package import MemoryPressure

/// Everything that decides, in one value: readings and what is told beside them go in, level and demands come out.
///
/// The same observations and notices in the same order give the same decisions. A replay rests on that, and so does a trial of
/// another configuration on what was recorded.
package struct Decider {
    /// The parameters of a decider.
    package struct Setup: Equatable {
        package var configuration = ManagerConfiguration()
        /// Indicates whether the application has a last resort.
        package var hasLastResort = false
        /// Indicates whether the allocator can tell at once how much it retains.
        package var allocatorTells = false

        package init(
            configuration: ManagerConfiguration = ManagerConfiguration(), hasLastResort: Bool = false,
            allocatorTells: Bool = false
        ) {
            self.configuration = configuration
            self.hasLastResort = hasLastResort
            self.allocatorTells = allocatorTells
        }
    }

    package private(set) var setup: Setup
    private(set) var judgement: Judgement
    private(set) var machine: LevelMachine
    private(set) var scheduler: StepScheduler
    package private(set) var regrowth: Regrowth
    package private(set) var ladder: LadderMachine
    private var allowsRegrowth = true
    /// A hard limit that somebody is about to set; nil where none is awaited.
    package private(set) var announcedLimit: AnnouncedLimit?
    /// The time when caches without a limit were last held for it.
    private var lastHold: MonotonicInstant?
    /// Bytes that caches reported at the last reading, and its instant.
    private var reported: (bytes: Int, instant: MonotonicInstant)?
    /// Bytes that caches report and that are not expected to come back.
    private var hollowBytes = 0
    /// The speed at which caches can give, measured in the steps so far.
    package private(set) var leadTime = LeadTime()
    /// The time when a reclaim thread was last asked to look what the allocator retains.
    private var lastLook: MonotonicInstant?
    private var pace: SamplingPace

    private var configuration: ManagerConfiguration { setup.configuration }

    /// With less time than this to the limit, at the growth since the last reading, readings follow each other closely.
    private static let steepMilliseconds = 1_000
    /// The number of such readings until the limit would be reached.
    private static let readingsToLimit = 8

    /// The shortest sleep that a soft limit asks for. Nothing is killed above it, and each reading costs.
    private static let softInterval = Duration.milliseconds(20)

    /// The shortest sleep that the growth of caches towards a warning asks for.
    private static let edgeInterval = Duration.milliseconds(250)
    /// The number of readings until they would have grown so far.
    private static let readingsToEdge = 4

    /// Caches that hold less are taken for empty under any limit.
    private static let negligibleBytes = 8 << 20

    /// So long after a step, what it brought may still seem to be growth, or to have ended it: the shortest window of growth, twice.
    private static let disturbedNanoseconds: Int64 = 400_000_000

    package init(_ setup: Setup) {
        let configuration = setup.configuration
        self.setup = setup
        judgement = Judgement(configuration: configuration)
        machine = LevelMachine(timing: configuration.level)
        scheduler = StepScheduler(configuration: configuration)
        regrowth = Regrowth(configuration: configuration.reclaim)
        ladder = LadderMachine(configuration: configuration, hasLastResort: setup.hasLastResort)
        pace = SamplingPace(configuration: configuration.sampling)
    }

    /// Goes by another configuration from now on. The level, what is under way and what the rules vote for stay; growth is
    /// measured anew where its window is another.
    package mutating func reconfigure(_ configuration: ManagerConfiguration) {
        setup.configuration = configuration
        judgement.reconfigure(configuration)
        machine.reconfigure(configuration.level)
        scheduler.reconfigure(configuration)
        regrowth.reconfigure(configuration.reclaim)
        ladder.reconfigure(configuration)
        pace = SamplingPace(configuration: configuration.sampling)
    }

    /// The level.
    package var level: PressureLevel { machine.level }

    /// The reason for the present level; nil before it first changed.
    package var reason: LevelReason? { machine.reason }

    /// The rule that called for the higher level before; nil where the level rose last, or another vote holds it where it is.
    package var endedRule: PressureRule? { machine.ended }

    /// The share of the last two seconds in which some task waited for memory, in percent.
    package func stallPercent(at now: MonotonicInstant) -> Int { judgement.evidence.stall.percent(at: now) }

    /// The steepest growth that the last reading shows, in bytes a second.
    package var steepestGrowth: Int { judgement.growth.steepestNow }

    /// The most that unmanaged memory grew by between two of the last three readings, in bytes.
    package var jumpBytes: Int { judgement.growth.jumpBytes }

    /// Indicates whether this process or its cgroup has met its limit, as the last reading shows.
    package var isOutOfMemory: Bool { judgement.emergency.isOutOfMemory }

    /// Returns whether a process that leaves now would lack the memory that leaving takes, even with the bytes that are expected
    /// back.
    package func lacksRoomToLeave(_ reading: MemoryReading, expectedBytes: Int) -> Bool {
        judgement.evidence.outlook.early.missing(reading.roomBytes, expectedBytes) > 0
    }

    /// Indicates whether a reading that shows nothing new could be left unjudged.
    package var isQuiet: Bool { machine.level == .normal && !judgement.evidence.outlook.isSuspicious }

    /// The rule of the headroom.
    package var headroomRule: ManagerConfiguration.HeadroomRule { setup.configuration.headroom }

    /// Returns the points where warning and critical begin and end for that reading's limit.
    package func thresholds(_ reading: MemoryReading) -> HeadroomThresholds {
        HeadroomThresholds(limitBytes: reading.limitBytes, rule: headroomRule)
    }

    /// Judges a reading and decides what follows.
    ///
    /// - Parameter victims: Counts who could be taken; asked only where that matters, as counting takes a moment. What it said
    ///   is kept in `observation`.
    /// - Parameter timeToLeave: Nanoseconds that leaving takes, 0 where that is not known; asked only while memory grows and there is a
    ///   last resort. What it said is kept in `observation`.
    package mutating func decide(
        _ observation: inout Observation, victims: () -> Victims, timeToLeave: () -> Int64 = { 0 }
    ) -> Decision {
        let reading = observation.reading
        let mayLeave =
            setup.hasLastResort && !ladder.isLastResortPosted && judgement.evidence.outlook.early.isGrowing
        observation.leavingNanoseconds = mayLeave && reading.depth == .full ? timeToLeave() : 0
        let context = RuleContext(
            reading: reading,
            thresholds: thresholds(reading),
            managedBytes: min(observation.reportedBytes, reading.footprintBytes), cause: observation.cause,
            triggerGrade: observation.triggerGrade, leadTime: leadTime,
            leavingNanoseconds: observation.leavingNanoseconds,
            expectedBytes: max(0, observation.reportedBytes - max(0, hollowBytes)),
            retainedBytes: observation.retainedBytes,
            shortage: Shortage(reading, sharers: observation.sharers),
            inFlightBytes: observation.inFlightBytes,
            isDisturbed: observation.inFlightBytes > 0
                || !scheduler.lastEnd.isOlder(than: Self.disturbedNanoseconds, at: reading.instant))
        let vote = judgement.judge(context)
        var decision = Decision(
            outcome: machine.handle(vote, cause: observation.cause, at: reading.instant), level: machine.level)
        if case .repeated = decision.outcome { scheduler.allowStep() }
        if let reason = machine.reason {
            let demandContext = demandContext(observation, context, reason, vote)
            decision.demand = scheduler.next(demandContext)
            decision.openBytes = scheduler.openBytes
            decision.lackingBytes = scheduler.findLack(demandContext)
            decision.ladder = nextOfLadder(&observation, victims)
            leaveEarly(&decision, context)
            decision.looksAtAllocator = shouldLookAtAllocator(reading.instant)
        }
        decision.interval = interval(after: context, isCoveredByKernel: observation.isCoveredByKernel)
        if awaitsLimit(context) {
            decision.holdBytes = isHoldDue(context.now) ? 0 : nil
        } else if let edge = findEdge(context, observation) {
            hold(before: edge, &decision)
        } else {
            decision.regrowth = nextRegrowth(context)
        }
        reported = (observation.reportedBytes, reading.instant)
        return decision
    }

    /// Handles what was told beside the readings.
    package mutating func handle(_ notice: Notice) {
        switch notice {
        case .paused: judgement.hear(.paused)
        case .held(let level, let until): judgement.hear(.held(level, until: until))
        case .supervisorWarns(let until): judgement.hear(.supervisorWarns(until: until))
        case .stepEnded(let step, let promisedBytes, let now):
            scheduler.stepEnded(step, promisedBytes: promisedBytes, at: now)
            judgement.evidence.outlook.early.stepEnded(step)
        case .answeredLate(let promisedBytes): scheduler.answeredLate(promisedBytes: promisedBytes)
        case .limitsLifted: scheduler.limitsWereLifted()
        case .ladderEnded(let action, let outcome, let now):
            ladder.ended(action, outcome, at: now)
            if action == .lastResort { judgement.evidence.outlook.early.wasAbandoned() }
        case .regrowthAllowed(let isAllowed): allowsRegrowth = isAllowed
        case .limitAnnounced(let limit):
            announcedLimit = limit
            // The caches are held by limits, which rise again afterwards.
            if limit != nil { scheduler.limitsWereSet() }
        case .hollow(let bytes): hollowBytes = bytes
        case .leadTimeMeasured(let measured): leadTime = measured
        }
    }

    private func demandContext(
        _ observation: Observation, _ context: RuleContext, _ reason: LevelReason, _ vote: Vote
    ) -> ReclaimContext {
        let early = judgement.evidence.outlook.early
        return ReclaimContext(
            reading: context.reading, thresholds: context.thresholds, level: machine.level, reason: reason, vote: vote,
            required: judgement.required,
            leavingDeficit: early.isAsking ? min(early.deficit, max(0, hollowBytes)) : 0,
            growthRate: judgement.growth.steepest,
            hasGrowthPaused: judgement.growth.hasPaused,
            millisecondsToLimit: judgement.millisecondsToLimit,
            millisecondsAtOnce: judgement.evidence.outlook.millisecondsAtOnce,
            purgeableBytes: observation.reportedBytes, hollowBytes: hollowBytes,
            inFlightBytes: observation.inFlightBytes,
            retainedBytes: observation.retainedBytes,
            trimsFrom: observation.trimsFrom)
    }

    /// Has those asked that were counted on for nothing, as what the others can give is reckoned in, and has this process leave where
    /// they did not bring what is missing.
    private mutating func leaveEarly(_ decision: inout Decision, _ context: RuleContext) {
        let early = judgement.evidence.outlook.early
        if judgement.evidence.outlook.beganToAsk {
            decision.forecast = LeaveForecast(
                leavingNanoseconds: context.leavingNanoseconds, growthRate: early.growthRate,
                neededBytes: early.neededBytes, missingBytes: early.deficit)
        }
        if early.isAsking, let demand = decision.demand {
            judgement.evidence.outlook.early.demanded(step: demand.step)
        }
        guard decision.ladder == nil, context.reading.depth == .full,
            early.isDue(nothingToAsk: hollowBytes <= 0 || scheduler.nothingLeftSince != nil, at: context.now),
            let action = ladder.leaveEarly()
        else { return }
        decision.ladder = action
        decision.leavingDeficit = early.deficit
    }

    private mutating func nextOfLadder(
        _ observation: inout Observation, _ victims: () -> Victims
    ) -> LadderMachine.Action? {
        guard machine.level == .critical || ladder.isInEpisode else { return nil }
        let counted = victims()
        observation.victims = counted
        return ladder.next(
            LadderContext(
                now: observation.reading.instant, level: machine.level, emergency: judgement.emergency,
                nothingLeftSince: scheduler.nothingLeftSince, millisecondsToLimit: judgement.millisecondsToLimit,
                heldBackgroundTasks: counted.heldBackgroundTasks, scenes: counted.scenes))
    }

    /// The application frees too, while memory is short: what that leaves with the allocator is looked at by a reclaim thread,
    /// as the allocator has locks.
    private mutating func shouldLookAtAllocator(_ now: MonotonicInstant) -> Bool {
        guard setup.allocatorTells, machine.level > .normal,
            lastLook.isOlder(than: configuration.reclaim.warningSpacing.nanoseconds, at: now)
        else { return false }
        lastLook = now
        return true
    }

    private mutating func nextRegrowth(_ context: RuleContext) -> Regrowth.Decision? {
        guard scheduler.areLimitsSet, allowsRegrowth else { return nil }
        // These settings are from before the dry run.
        if configuration.isDryRun { return machine.level == .normal ? Regrowth.Decision(bytes: 0, mayLift: true) : nil }
        let room = roomToGrow(context)
        return regrowth.next(
            reading: room.reading, thresholds: room.thresholds, level: machine.level, growthRate: room.growthRate,
            required: room.required, rise: room.rise, isStalled: machine.reason?.rule == .stall)
    }

    private func roomToGrow(_ context: RuleContext) -> RoomToGrow {
        RoomToGrow(context, judgement.evidence.outlook, leadTime: leadTime, configuration: configuration)
    }

    /// The point where the growth of caches leads to a warning.
    private struct Edge {
        /// Bytes by which they may grow together until then, beside what else grows.
        var roomBytes: Int
        /// The time until then, as they and the rest have grown.
        var time: Duration
    }

    /// Returns where the growth of caches leads; nil while they do not grow, or limits hold them.
    private func findEdge(_ context: RuleContext, _ observation: Observation) -> Edge? {
        guard machine.level == .normal, !scheduler.areLimitsSet, allowsRegrowth, !configuration.isDryRun, let reported
        else { return nil }
        let elapsed = reported.instant.duration(to: context.now).nanoseconds
        let grown = observation.reportedBytes.subtractingSaturating(reported.bytes)
        guard grown > 0, elapsed > 0 else { return nil }
        let room = roomToGrow(context)
        let rate = Double(grown) / Double(elapsed)
        let growth = rate + Double(max(0, room.growthRate ?? 0)) / 1e9
        let bytes = Double(max(0, room.bytes))
        return Edge(
            roomBytes: Int(saturating: bytes * rate / growth),
            time: .nanoseconds(Int64(Int(saturating: bytes / growth))))
    }

    /// Sets limits where the reading after the next one would be too late for that: caches stop at the edge, and nothing has to be taken
    /// back. It sets none earlier, as another process may take a part of the room. Until then readings come closer.
    private mutating func hold(before edge: Edge, _ decision: inout Decision) {
        let shortest = max(Self.edgeInterval, configuration.sampling.minimumInterval)
        if edge.time <= min(decision.interval, shortest) * 2 {
            decision.holdBytes = edge.roomBytes
            scheduler.limitsWereSet()
        } else {
            decision.interval = min(decision.interval, max(shortest, edge.time / Self.readingsToEdge))
        }
    }

    /// Returns whether caches are held for a limit that was announced. One that was set meanwhile, or did not come, is forgotten.
    private mutating func awaitsLimit(_ context: RuleContext) -> Bool {
        guard let announcedLimit else { return false }
        if announcedLimit.isAwaited(context.reading, at: context.now) { return true }
        self.announcedLimit = nil
        return false
    }

    /// Returns whether caches that came meanwhile, or got their limits back, are to be held as the others are.
    private mutating func isHoldDue(_ now: MonotonicInstant) -> Bool {
        guard !configuration.isDryRun, lastHold.isOlder(than: Regrowth.interval.nanoseconds, at: now) else {
            return false
        }
        lastHold = now
        return true
    }

    /// Returns the time that the sampler may sleep.
    private func interval(after context: RuleContext, isCoveredByKernel: Bool) -> Duration {
        let minimum = configuration.sampling.minimumInterval
        var interval = pace.interval(
            after: context.reading, thresholds: context.thresholds, level: machine.level,
            isCoveredByKernel: isCoveredByKernel)
        interval = min(interval, self.interval(to: SoftLimit.budget(context.reading, configuration)))
        interval = min(interval, self.interval(to: SoftLimit.high(context.reading, configuration)))
        if machine.level == .critical, hasNothingToGive(context) {
            interval = max(interval, min(SamplingPace.vainInterval, configuration.sampling.maximumInterval))
        }
        if judgement.evidence.outlook.isSuspicious {
            let close = configuration.timeToLimit.window / GrowthTrend.fewestReadings
            interval = min(interval, max(minimum, close))
        }
        if let soon = judgement.evidence.outlook.millisecondsAtOnce, soon < Self.steepMilliseconds {
            interval = min(interval, max(minimum, .milliseconds(soon) / Self.readingsToLimit))
        }
        if let fall = machine.fallsAt {
            interval = min(interval, max(minimum, context.now.duration(to: fall)))
        }
        return interval
    }

    private func interval(to limit: SoftLimit?) -> Duration {
        guard let limit else { return configuration.sampling.maximumInterval }
        let interval = pace.interval(
            after: limit.reading, thresholds: limit.thresholds, level: machine.level, isCoveredByKernel: false)
        return max(interval, Self.softInterval)
    }

    /// Returns whether neither caches nor a trim can bring what is worth a step.
    private func hasNothingToGive(_ context: RuleContext) -> Bool {
        let most = context.expectedBytes.addingSaturating(context.retainedBytes)
            .addingSaturating(context.inFlightBytes)
        return most < min(context.reading.limitBytes / StepScheduler.leastShare, Self.negligibleBytes)
    }
}

extension Decider {
    /// One reading with what is known beside it at its instant.
    package struct Observation: Equatable {
        package var reading = MemoryReading()
        package var cause = LevelCause.sampler
        /// The grade of the PSI trigger that fired, where that is the cause.
        package var triggerGrade = PressureLevel.normal
        /// Bytes that registered caches report.
        package var reportedBytes = 0
        /// Bytes asked of caches that have not answered yet.
        package var inFlightBytes = 0
        /// Bytes that were freed and that a trim of the allocator can bring.
        package var retainedBytes = 0
        /// The earliest time for a trim.
        package var trimsFrom = MonotonicInstant(nanoseconds: .min)
        /// Indicates whether an armed kernel threshold wakes us before anything can be missed.
        package var isCoveredByKernel = false
        /// The bytes that a dry run is credited with. They are already taken off the reading and the reported bytes.
        package var creditBytes = 0
        /// Bytes that caches of ours had fetched again after releases, in all. Nothing is decided by it.
        package var refetchedBytes = 0
        /// The number of processes that share the tightest level, see ``Shortage``; 0 where nobody looked.
        package var sharers = 0
        /// Nanoseconds that leaving takes; 0 where it was not asked, or is not known.
        package var leavingNanoseconds: Int64 = 0
        /// The victims that could be taken; nil where it was not asked.
        package var victims: Victims?

        package init(
            reading: MemoryReading = MemoryReading(), cause: LevelCause = LevelCause.sampler,
            triggerGrade: PressureLevel = PressureLevel.normal, reportedBytes: Int = 0, inFlightBytes: Int = 0,
            retainedBytes: Int = 0, trimsFrom: MonotonicInstant = MonotonicInstant(nanoseconds: .min),
            isCoveredByKernel: Bool = false, creditBytes: Int = 0, refetchedBytes: Int = 0, sharers: Int = 0,
            leavingNanoseconds: Int64 = 0, victims: Victims? = nil
        ) {
            self.reading = reading
            self.cause = cause
            self.triggerGrade = triggerGrade
            self.reportedBytes = reportedBytes
            self.inFlightBytes = inFlightBytes
            self.retainedBytes = retainedBytes
            self.trimsFrom = trimsFrom
            self.isCoveredByKernel = isCoveredByKernel
            self.creditBytes = creditBytes
            self.refetchedBytes = refetchedBytes
            self.sharers = sharers
            self.leavingNanoseconds = leavingNanoseconds
            self.victims = victims
        }

        /// The part of the observation that the account of releases takes.
        package func sample(_ configuration: ManagerConfiguration) -> ReleaseAccount.Sample {
            ReleaseAccount.Sample(
                reading, at: reading.instant, budget: configuration.footprint, cacheBytes: reportedBytes,
                refetchedBytes: refetchedBytes)
        }

        /// The same where caches held so many bytes more; fewer where it is negative.
        package func shifted(by bytes: Int) -> Observation {
            var shifted = self
            shifted.reading.usageBytes = max(0, reading.usageBytes + bytes)
            shifted.reading.unreclaimableBytes = max(0, reading.unreclaimableBytes + bytes)
            shifted.reading.footprintBytes = max(0, reading.footprintBytes + bytes)
            shifted.reading.headroomBytes = max(0, reading.headroomBytes - bytes)
            shifted.reading.distanceToHighBytes = reading.distanceToHighBytes.map { $0 - bytes }
            shifted.reportedBytes = max(0, reportedBytes + bytes)
            return shifted
        }
    }

    /// The number of victims that could be taken in the later stages.
    package struct Victims: Equatable {
        package var heldBackgroundTasks = 0
        package var scenes = 0

        package init(heldBackgroundTasks: Int = 0, scenes: Int = 0) {
            self.heldBackgroundTasks = heldBackgroundTasks
            self.scenes = scenes
        }
    }

    /// The consequences of one observation.
    package struct Decision: Equatable {
        package var outcome: LevelMachine.Outcome
        package var level: PressureLevel
        package var demand: ReclaimDemand?
        /// What the step under way at critical needs; nil where the reading does not tell.
        package var openBytes: OpenBytes?
        package var regrowth: Regrowth.Decision?
        /// Bytes by which caches without a limit may grow together from now on; nil where they need no limit.
        package var holdBytes: Int?
        package var ladder: LadderMachine.Action?
        /// Of a last resort that comes early: bytes that would be missing before this process has left. Else 0.
        package var leavingDeficit = 0
        /// The forecast, when caches begin to be asked because of it.
        package var forecast: LeaveForecast?
        package var looksAtAllocator = false
        /// Bytes by which the limit is too small, where a warning has lasted long enough to say so.
        package var lackingBytes: Int?
        /// The time that the sampler may sleep.
        package var interval = Duration.zero
    }

    /// News that comes beside the readings.
    package enum Notice: Equatable {
        /// The process did not run for a while.
        case paused
        /// The application holds a level; `normal` ends that.
        case held(PressureLevel, until: MonotonicInstant?)
        /// The supervisor says that memory is short.
        case supervisorWarns(until: MonotonicInstant)
        /// A step has ended; 0 for a call of the application's.
        case stepEnded(Int, promisedBytes: Int, at: MonotonicInstant)
        /// A cache has given after the step that asked for it had ended.
        case answeredLate(promisedBytes: Int)
        /// Every limit was lifted.
        case limitsLifted
        /// An action of the ladder has ended in that way.
        case ladderEnded(LadderMachine.Action, LadderMachine.Outcome, at: MonotonicInstant)
        /// Limits may rise again at `normal`, or may not.
        case regrowthAllowed(Bool)
        /// A hard limit is about to be set: caches are held until then. Nil ends that.
        case limitAnnounced(AnnouncedLimit?)
        /// So many bytes of what caches report are not expected to come back, by the ledger.
        case hollow(bytes: Int)
        /// The speed at which caches can give was measured anew, from the steps so far.
        case leadTimeMeasured(LeadTime)
    }
}

extension MonotonicInstant? {
    /// Returns whether so many nanoseconds have passed since; true where there is no instant yet.
    package func isOlder(than nanoseconds: Int64, at now: MonotonicInstant) -> Bool {
        guard let self else { return true }
        return now.nanoseconds - self.nanoseconds >= nanoseconds
    }
}
