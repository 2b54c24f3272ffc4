internal import MemoryPressure
internal import Synchronization

/// The one owner of what decides: readings in, level and demands out.
///
/// The sampler and the kernel's events both end in ``judge(_:triggerGrade:)``, whichever comes first; neither needs the
/// other. Nothing in it allocates, logs or calls code of the application's.
final class Governor: Sendable {
    struct State {
        let reader: KernelReader
        var decider: Decider
        var spans: Spans
        var credit = DryRunCredit()
        var isDryRun: Bool { decider.setup.configuration.isDryRun }
        /// The number that was told last of the bytes that are not expected to come back.
        var hollowBytes = 0
        /// The account of what releases brought, needed and wasted.
        var releases = ReleaseTally()
        var reading = MemoryReading()
        var changes = ChangeRing()
        var looks = LookTimes()
        /// The time when the sampler is to wake by itself; nil before its first tick.
        var wakesAt: MonotonicInstant?
        /// The time to sleep that was decided last, after a tick or an event.
        var interval = Duration.zero
        var wallClock = WallClockWatch()
        var timeNews = TimeNews()
        /// The cgroup is another one than that whose files are read.
        var hasMoved = false
        /// Indicates whether files could not be opened for want of descriptors the last time.
        var isStarved = false
        var threshold = KernelThreshold.none
    }

    /// The consequences of a judgement: what is posted under the lock, and what follows when the lock is given back.
    struct Effects {
        var interval: Duration
        var didChange = false
        var hasMoved = false
        var wantsThreshold = false
        var hasTimeNews = false
        /// The sampler sleeps longer than it may after this reading.
        var wakesSampler = false
    }

    /// The place of the kernel's files.
    let root: KernelRoot
    let clock: any MonotonicClock
    private let wallClock: @Sendable () -> Int64
    let backgroundTasks: BackgroundTaskRegistry
    private let pauses: PauseWatch
    let registry: CacheRegistry
    let channel: ReclaimChannel
    let ticker: any Ticker
    let state: Lock<State>
    let bell: Bell
    private let stock: any LadderStock
    let recorder: RecordSink
    private let level = Atomic<UInt8>(0)
    private let sequence: NotificationSequence
    private let liveTrigger = Atomic<Bool>(false)
    /// The missed deadline, in nanoseconds, that was handed on last.
    let nudgedFor = Atomic<Int64>(.max)

    init(
        reader: sending KernelReader, clock: any MonotonicClock,
        wallClock: @escaping @Sendable () -> Int64, backgroundTasks: BackgroundTaskRegistry,
        registry: CacheRegistry, channel: ReclaimChannel,
        ticker: any Ticker, bell: Bell, stock: any LadderStock,
        sequence: NotificationSequence = NotificationSequence(), recorder: RecordSink = .off, setup: Decider.Setup
    ) {
        self.recorder = recorder
        root = reader.root
        self.clock = clock
        self.wallClock = wallClock
        self.backgroundTasks = backgroundTasks
        pauses = backgroundTasks.pauses
        self.registry = registry
        self.channel = channel
        self.ticker = ticker
        self.bell = bell
        self.stock = stock
        self.sequence = sequence
        state = Lock(
            State(reader: reader, decider: Decider(setup), spans: Spans(setup.configuration.sampling)))
    }

    /// Nanoseconds: for hot paths.
    var currentLevel: PressureLevel { PressureLevel(rawValue: level.load(ordering: .relaxed)) ?? .normal }

    var hasLiveTrigger: Bool {
        get { liveTrigger.load(ordering: .relaxed) }
        set { liveTrigger.store(newValue, ordering: .relaxed) }
    }

    /// Reads, judges and leaves what follows for those who do it. Gives how long the sampler may sleep.
    @discardableResult
    func judge(_ cause: LevelCause, triggerGrade: PressureLevel = .normal) -> Duration {
        let effects = state.withLock { judge(&$0, cause, triggerGrade) }
        if effects.didChange || effects.hasMoved || effects.wantsThreshold || effects.hasTimeNews {
            bell.ring()
        }
        if effects.wakesSampler { ticker.wake() }
        return effects.interval
    }

    /// Handles what was told beside the readings, and records it in the same breath.
    func handle(_ notice: Decider.Notice, _ state: inout State, at now: MonotonicInstant) {
        state.decider.handle(notice)
        recorder.record(NoticeRecord(notice), at: now)
    }

    func handle(_ notice: Decider.Notice, at now: MonotonicInstant) {
        state.withLock { handle(notice, &$0, at: now) }
    }

    /// The parameters that the decider was made with.
    var setup: Decider.Setup { state.withLock { $0.decider.setup } }

    func nextSequence() -> UInt64 {
        sequence.next()
    }

    private func judge(_ state: inout State, _ cause: LevelCause, _ triggerGrade: PressureLevel) -> Effects {
        let now = clock.now
        keepUp(&state, cause, now)
        let reading = read(&state, cause, now)
        if cause == .sampler, isQuiet(state, reading) {
            state.wakesAt = now.advanced(by: state.interval)
            pauses.expect(now, next: state.interval)
            return Effects(interval: state.interval)
        }
        noteHollow(&state, at: now)
        var observation = Decider.Observation(
            reading: reading, cause: cause, triggerGrade: triggerGrade, reportedBytes: registry.reportedBytes,
            inFlightBytes: channel.gauges.inFlightBytes, retainedBytes: channel.gauges.retainedBytes,
            trimsFrom: channel.gauges.trimsFrom,
            isCoveredByKernel: isCovered(state, reading), refetchedBytes: registry.refetchedBytes,
            sharers: reading.sharers)
        if state.isDryRun { observation = state.credit.credited(observation) }
        let decision = state.decider.decide(
            &observation,
            victims: { Decider.Victims(heldBackgroundTasks: stock.heldBackgroundTasks, scenes: stock.scenes) },
            timeToLeave: { stock.timeToLeave?.nanoseconds ?? 0 })
        recorder.record(observation, decision)
        state.releases.look(at: observation.sample)
        keepState(state, reading, decision.level)
        var effects = Effects(interval: decision.interval)
        effects.hasMoved = state.hasMoved
        effects.hasTimeNews = !state.timeNews.isEmpty
        if reading.isLimited, state.threshold.limitBytes != reading.limitBytes {
            state.threshold = .askedFor(limitBytes: reading.limitBytes)
            effects.wantsThreshold = true
        }
        effects.didChange = note(decision.outcome, &state, reading)
        if level.exchange(decision.level.rawValue, ordering: .relaxed) != decision.level.rawValue {
            // A dry run refuses nobody.
            if !state.isDryRun { backgroundTasks.noteLevel(decision.level) }
        }
        post(decision, state.decider.reason, at: now)
        // A sampler that is woken and finds nothing new sleeps for as long as an event decided.
        state.interval = effects.interval
        let next = now.advanced(by: effects.interval)
        if cause == .sampler {
            state.wakesAt = next
            pauses.expect(now, next: effects.interval)
        } else if let wakesAt = state.wakesAt {
            effects.wakesSampler = next < wakesAt
        }
        return effects
    }

    /// Tells what of the reported bytes is not expected to come back, where that has changed by enough to matter.
    private func noteHollow(_ state: inout State, at now: MonotonicInstant) {
        let bytes = registry.hollowBytes
        guard bytes != state.hollowBytes else { return }
        let change = (bytes - state.hollowBytes).magnitude
        guard bytes == 0 || state.hollowBytes == 0 || change > UInt(bytes) / 64 else { return }
        state.hollowBytes = bytes
        handle(.hollow(bytes: bytes), &state, at: now)
    }

    /// For the flight recorder: what is to be known of this moment should it be the last.
    private func keepState(_ state: borrowing State, _ reading: MemoryReading, _ level: PressureLevel) {
        guard recorder.flight != nil else { return }
        let isReclaiming =
            channel.gauges.deadlineNanoseconds != .max || channel.gauges.isLadderBusy || !channel.isEmpty
        recorder.keep(
            reading, level, criticalEntry: state.decider.thresholds(reading).criticalEntry, isReclaiming: isReclaiming,
            heldTasks: backgroundTasks.heldCount, oomKills: state.reader.ownOOMKills)
    }

    /// Under the lock, in the order in which it was decided: an earlier step that came later would take the place of the one whose
    /// end is waited for. It moves a few words and wakes a thread.
    private func post(_ decision: Decider.Decision, _ reason: LevelReason?, at now: MonotonicInstant) {
        if let demand = decision.demand { channel.post(demand) }
        if let regrowth = decision.regrowth { channel.post(regrowth) }
        if decision.holdsCaches { channel.postHold() }
        if let action = decision.ladder, let reason {
            channel.post(
                LadderOrder(
                    action: action, level: decision.level, reason: reason, decidedAt: now,
                    isEarly: decision.leavingDeficit > 0))
        }
        if let forecast = decision.forecast { bell.publish(forecast) }
        if decision.looksAtAllocator { channel.postLookAtAllocator() }
        if let bytes = decision.lackingBytes { bell.publish(lackingBytes: bytes) }
    }

    /// Limits, paths, gaps and probes: what is looked at now and then.
    private func keepUp(_ state: inout State, _ cause: LevelCause, _ now: MonotonicInstant) {
        if cause == .sampler, let pause = pauses.beginTurn(now) {
            // We did not run meanwhile: stopped, frozen, or the machine was. Growth across the gap means nothing, and what
            // was read before it is old.
            state.timeNews.add(pause: pause)
            handle(.paused, &state, at: now)
            state.looks.forgetReadings()
        }
        if state.looks.areLimitsDue(state.spans, at: now) {
            state.reader.refreshLimits(includingUnlimited: false)
            if let change = state.wallClock.observe(wallClock: wallClock(), at: now) {
                state.timeNews.add(wallClockChange: change)
            }
        }
        if state.looks.arePathsDue(state.spans, at: now) {
            state.reader.refreshLimits()
            state.hasMoved = state.reader.cgroupHasMoved()
        }
        if state.looks.isProbeDue(state.spans, isSampler: cause == .sampler, at: now), !state.isDryRun,
            state.decider.isQuiet, registry.reportedBytes >= CacheProbes.leastProbed
        {
            channel.postProbe()
        }
    }

    private func read(_ state: inout State, _ cause: LevelCause, _ now: MonotonicInstant) -> MemoryReading {
        guard cause == .sampler, !state.looks.full.isOlder(than: longestAge(state), at: now) else {
            return readFull(&state, now, includingStall: shouldReadStall(state, cause, now))
        }
        let reading = state.reader.read(.cheap, at: now, includingStall: false)
        let thresholds = state.decider.thresholds(reading)
        let entry = state.decider.level == .normal ? thresholds.warningEntry : thresholds.criticalEntry
        // The estimate takes growth of the page cache for the process's own: look closely before it raises a level.
        if state.decider.level < .critical, reading.headroomBytes < entry {
            return readFull(&state, now, includingStall: false)
        }
        if hasMoved(state, reading), state.looks.full.isOlder(than: state.spans.full, at: now) {
            return readFull(&state, now, includingStall: shouldReadStall(state, cause, now))
        }
        state.reading = reading
        return reading
    }

    private func hasMoved(_ state: State, _ reading: MemoryReading) -> Bool {
        (reading.usageBytes - state.looks.usageAtFull).magnitude > reading.limitBytes.magnitude / 512
    }

    /// Returns whether the rules have nothing to look at: at `normal`, a cheap reading that says what the last full one did.
    private func isQuiet(_ state: State, _ reading: MemoryReading) -> Bool {
        reading.depth == .cheap && state.decider.isQuiet && !state.hasMoved && state.timeNews.isEmpty
            && !hasMoved(state, reading)
    }

    /// Returns the greatest age of the last full reading where usage has hardly changed since: at `normal` under a limit, cheap
    /// readings show whether there is anything to look at.
    private func longestAge(_ state: State) -> Int64 {
        state.decider.level == .normal && state.reading.isLimited
            ? max(state.spans.full, 1_000_000_000) : state.spans.full
    }

    private func readFull(_ state: inout State, _ now: MonotonicInstant, includingStall: Bool) -> MemoryReading {
        state.looks.full = now
        if includingStall { state.looks.stall = now }
        let reading = state.reader.read(.full, at: now, includingStall: includingStall)
        state.looks.usageAtFull = reading.usageBytes
        state.reading = reading
        return reading
    }

    /// Reading a PSI file starves unprivileged triggers on it, so while one stands guard at `normal` it is left alone, but
    /// for the trigger's own events; and never is it read faster than stall times can bear.
    private func shouldReadStall(_ state: State, _ cause: LevelCause, _ now: MonotonicInstant) -> Bool {
        guard state.looks.stall.isOlder(than: state.spans.full, at: now) else { return false }
        if cause.eventSource == .pressureTrigger { return true }
        return state.decider.level > .normal || !hasLiveTrigger
    }

    private func note(_ outcome: LevelMachine.Outcome, _ state: inout State, _ reading: MemoryReading) -> Bool {
        switch outcome {
        case .unchanged:
            return false
        case .changed(let previous, let reason):
            state.changes.append(
                LevelChange(
                    sequence: nextSequence(), previous: previous, level: state.decider.level, reason: reason,
                    instant: reading.instant, headroomBytes: reading.headroomBytes))
        case .repeated(let reason):
            state.changes.append(
                LevelChange(
                    sequence: nextSequence(), previous: state.decider.level, level: state.decider.level,
                    reason: reason,
                    instant: reading.instant, headroomBytes: reading.headroomBytes))
        }
        return true
    }

    /// Returns whether an armed kernel threshold wakes us before anything can be missed.
    private func isCovered(_ state: State, _ reading: MemoryReading) -> Bool {
        guard case .armed(let usageBytes, let limitBytes) = state.threshold, reading.isLimited else { return false }
        return limitBytes == reading.limitBytes && reading.usageBytes < usageBytes
    }
}

extension MemoryReading {
    /// The number of processes that share the tightest level, as far as is known.
    var sharers: Int { isLimited ? processes ?? Shortage.assumedSharers : 1 }
}

/// The configured times in nanoseconds. Arithmetic with `Duration` is in 128 bits and out of line: a turn of the sampler that
/// finds nothing would spend a good part of its time there.
struct Spans {
    let full: Int64
    let limits: Int64
    let paths: Int64
    let maximum: Int64

    init(_ sampling: ManagerConfiguration.Sampling) {
        full = sampling.fullReadingInterval.nanoseconds
        limits = sampling.limitsInterval.nanoseconds
        paths = sampling.pathsInterval.nanoseconds
        maximum = sampling.maximumInterval.nanoseconds
    }
}
