internal import MemoryPressure

/// What a governor knows and decides by: the value that its lock guards.
///
/// Nothing in it allocates, logs or calls code of the application's.
struct GovernorState {
    private let parts: GovernorParts
    var readings: Readings
    private var decider: Decider
    /// The bytes that steps of a dry run would have brought; nil where it is no dry run.
    private var credit: DryRunCredit?
    /// The number that was told last of the bytes that are not expected to come back.
    private var hollowBytes = 0
    /// The account of what releases brought, needed and wasted.
    private var releases = ReleaseTally()
    private var sleep = SamplerSleep()
    private var wallClock = WallClockWatch()
    private var changes = ChangeRing()
    private var timeNews = TimeNews()

    init(_ parts: GovernorParts, reader: KernelReader, setup: Decider.Setup) {
        self.parts = parts
        readings = Readings(reader, setup.configuration.sampling)
        decider = Decider(setup)
        if setup.configuration.isDryRun { credit = DryRunCredit() }
    }

    private var isDryRun: Bool { credit != nil }

    // MARK: Judging

    /// Reads, decides, and posts what is due.
    mutating func judge(_ cause: LevelCause, _ triggerGrade: PressureLevel, hasLiveTrigger: Bool) -> Governor.Effects {
        let now = parts.clock.now
        keepUp(cause, now)
        let reading = readings.read(
            cause, decider.level, decider.headroomRule, hasLiveTrigger: hasLiveTrigger, at: now)
        if cause == .sampler, decider.isQuiet, timeNews.isEmpty, readings.isQuiet(reading) {
            sleep.goOn(at: now)
            parts.pauses.expect(now, next: sleep.interval)
            return Governor.Effects(interval: sleep.interval)
        }
        noteHollow(at: now)
        var observation = observation(reading, cause, triggerGrade)
        if let credited = credit?.credited(observation) { observation = credited }
        let stock = parts.stock
        let decision = decider.decide(
            &observation,
            victims: { Decider.Victims(heldBackgroundTasks: stock.heldBackgroundTasks, scenes: stock.scenes) },
            timeToLeave: { stock.timeToLeave?.nanoseconds ?? 0 })
        parts.recorder.record(observation, decision)
        releases.look(at: observation.sample(decider.setup.configuration))
        keepForFlight(reading, decision.level)
        let wantsThreshold = readings.askForThreshold(reading)
        let didChange = note(decision.outcome, reading)
        // A dry run refuses nobody.
        if parts.level.exchange(decision.level), !isDryRun { parts.backgroundTasks.noteLevel(decision.level) }
        parts.post(decision, decider.reason, of: observation, at: now)
        parts.channel.noteGrowth(decider.steepestGrowth)
        if cause == .sampler { parts.pauses.expect(now, next: decision.interval) }
        return Governor.Effects(
            interval: decision.interval,
            ringsBell: didChange || wantsThreshold || readings.hasMoved || !timeNews.isEmpty,
            wakesSampler: sleep.decide(decision.interval, isSampler: cause == .sampler, at: now))
    }

    private func observation(
        _ reading: MemoryReading, _ cause: LevelCause, _ triggerGrade: PressureLevel
    ) -> Decider.Observation {
        let channel = parts.channel
        return Decider.Observation(
            reading: reading, cause: cause, triggerGrade: triggerGrade, reportedBytes: parts.registry.reportedBytes,
            inFlightBytes: channel.gauges.comingBytes(at: reading.instant), retainedBytes: channel.gauges.retainedBytes,
            trimsFrom: channel.gauges.trimsFrom,
            isCoveredByKernel: readings.isCovered(reading), refetchedBytes: parts.registry.refetchedBytes,
            sharers: reading.sharers)
    }

    /// Tells what of the reported bytes is not expected to come back, where that has changed by enough to matter.
    private mutating func noteHollow(at now: MonotonicInstant) {
        let bytes = parts.registry.hollowBytes
        guard bytes != hollowBytes else { return }
        let change = (bytes - hollowBytes).magnitude
        guard bytes == 0 || hollowBytes == 0 || change > UInt(bytes) / 64 else { return }
        hollowBytes = bytes
        handle(.hollow(bytes: bytes), at: now)
    }

    /// For the flight recorder: what is to be known of this moment should it be the last.
    private func keepForFlight(_ reading: MemoryReading, _ level: PressureLevel) {
        guard parts.recorder.flight != nil else { return }
        let channel = parts.channel
        let isReclaiming =
            channel.gauges.deadlineNanoseconds != .max || channel.gauges.isLadderBusy || !channel.isEmpty
        parts.recorder.keep(
            reading, level, criticalEntry: decider.thresholds(reading).criticalEntry, isReclaiming: isReclaiming,
            heldTasks: parts.backgroundTasks.heldCount, oomKills: readings.ownOOMKills)
    }

    /// Limits, paths, gaps and probes: what is looked at now and then.
    private mutating func keepUp(_ cause: LevelCause, _ now: MonotonicInstant) {
        if cause == .sampler, let pause = parts.pauses.beginTurn(now) {
            // We did not run meanwhile: stopped, frozen, or the machine was. Growth across the gap means nothing, and what
            // was read before it is old.
            timeNews.add(pause: pause)
            handle(.paused, at: now)
            readings.forget()
        }
        if readings.refreshLimits(at: now), let change = wallClock.observe(wallClock: parts.wallClock(), at: now) {
            timeNews.add(wallClockChange: change)
        }
        readings.checkPaths(at: now)
        if readings.isProbeDue(isSampler: cause == .sampler, at: now), !isDryRun, decider.isQuiet,
            parts.registry.reportedBytes >= CacheProbes.leastProbed
        {
            parts.channel.postProbe()
        }
    }

    private mutating func note(_ outcome: LevelMachine.Outcome, _ reading: MemoryReading) -> Bool {
        let (previous, reason): (PressureLevel, LevelReason)
        switch outcome {
        case .unchanged: return false
        case .changed(let earlier, let cause): (previous, reason) = (earlier, cause)
        case .repeated(let cause): (previous, reason) = (decider.level, cause)
        }
        changes.append(
            LevelChange(
                sequence: parts.sequence.next(), previous: previous, level: decider.level, reason: reason,
                instant: reading.instant, headroomBytes: reading.headroomBytes, endedRule: decider.endedRule))
        return true
    }

    // MARK: What it is told beside the readings

    /// Handles a notice, and records it in the same breath.
    mutating func handle(_ notice: Decider.Notice, at now: MonotonicInstant) {
        decider.handle(notice)
        parts.recorder.record(NoticeRecord(notice), at: now)
    }

    /// Caches begin to be asked.
    mutating func releaseBegan() {
        releases.begin()
    }

    /// A release has ended. The account hears of it together with the trace: who reads that counts the same readings.
    mutating func releaseEnded(_ step: Int, promisedBytes: Int, cameBackBytes: Int, at now: MonotonicInstant) {
        handle(.stepEnded(step, promisedBytes: promisedBytes, at: now), at: now)
        releases.end(releasedBytes: cameBackBytes)
    }

    mutating func releaseAbandoned() {
        releases.abandon()
    }

    mutating func noteLateAnswer(promisedBytes: Int, at now: MonotonicInstant) {
        handle(.answeredLate(promisedBytes: promisedBytes), at: now)
        releases.add(releasedBytes: promisedBytes)
    }

    mutating func noteDryStep(_ step: Int, promisedBytes: Int, at now: MonotonicInstant) {
        credit?.add(promisedBytes)
        handle(.stepEnded(step, promisedBytes: promisedBytes, at: now), at: now)
    }

    /// Decides by another configuration from the next reading on.
    mutating func reconfigure(_ configuration: ManagerConfiguration) {
        if configuration.isDryRun != isDryRun {
            // What was credited did not come.
            credit = configuration.isDryRun ? DryRunCredit() : nil
            // A dry run refuses nobody.
            parts.backgroundTasks.noteLevel(configuration.isDryRun ? .normal : parts.level.current)
        }
        decider.reconfigure(configuration)
        parts.recorder.record(TraceHeader(decider.setup), at: parts.clock.now)
        readings.reconfigure(configuration.sampling)
        readings.forgetThreshold()
    }

    /// Awaits a limit; with one that is awaited already the lower number, until the later end.
    ///
    /// - Returns: The limit that holds now.
    mutating func announce(_ limit: AnnouncedLimit, at now: MonotonicInstant) -> AnnouncedLimit {
        let joined = limit.joined(with: awaitedLimit(at: now))
        handle(.limitAnnounced(joined), at: now)
        return joined
    }

    private func awaitedLimit(at now: MonotonicInstant) -> AnnouncedLimit? {
        decider.announcedLimit.flatMap { $0.isAwaited(readings.latest, at: now) ? $0 : nil }
    }

    // MARK: What others ask of it

    var setup: Decider.Setup { decider.setup }
    var growthRate: Int { decider.steepestGrowth }
    var jumpBytes: Int { decider.jumpBytes }

    func thresholds(_ reading: MemoryReading) -> HeadroomThresholds { decider.thresholds(reading) }

    func figures(at now: MonotonicInstant) -> Governor.Figures {
        Governor.Figures(
            level: decider.level, reason: decider.reason, endedRule: decider.endedRule, reading: readings.latest,
            sources: readings.findings, thresholds: decider.thresholds(readings.latest),
            budget: decider.setup.configuration.footprint, stallPercent: decider.stallPercent(at: now),
            releases: releases, isDryRun: isDryRun, announcedLimit: awaitedLimit(at: now),
            hollowBytes: parts.registry.hollowBytes)
    }

    /// A full reading, where it still shows an emergency; nil where it does not.
    ///
    /// - Parameters:
    ///   - isEarly: Memory that will be missing before this process has left is enough.
    ///   - expectedBytes: The bytes that caches can still give.
    mutating func confirmEmergency(
        orLeaving isEarly: Bool, expectedBytes: Int, at now: MonotonicInstant
    ) -> MemoryReading? {
        let reading = readings.measure(at: now)
        if isEarly, decider.lacksRoomToLeave(reading, expectedBytes: expectedBytes) { return reading }
        let isCritical = reading.roomBytes < decider.thresholds(reading).criticalEntry
        guard isCritical || decider.isOutOfMemory else { return nil }
        return Shortage(reading, sharers: reading.sharers).isOurs ? reading : nil
    }

    /// The changes that nobody has told yet, the newest of them where there were too many.
    mutating func collectChanges() -> [LevelChange] { changes.collect() }

    /// Returns what the times have to tell since the last call.
    mutating func collectTimeNews() -> TimeNews {
        defer { timeNews = TimeNews() }
        return timeNews
    }
}

extension MemoryReading {
    /// The number of processes that share the tightest level, as far as is known.
    var sharers: Int { isLimited ? processes ?? Shortage.assumedSharers : 1 }
}
