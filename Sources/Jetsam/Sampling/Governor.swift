internal import MemoryPressure
internal import Synchronization

/// The one owner of what decides: readings in, level and demands out.
///
/// The sampler and the kernel's events both end in ``judge(_:triggerGrade:)``, whichever comes first; neither needs the
/// other. Nothing in it allocates, logs or calls code of the application's. Its state is a ``GovernorState``, behind the one lock
/// that only this file opens: each function here holds it once.
final class Governor: Sendable {
    /// The consequences of a judgement, once the lock is given back.
    struct Effects {
        var interval: Duration
        /// There is something to tell.
        var ringsBell = false
        /// The sampler sleeps longer than it may after this reading.
        var wakesSampler = false
    }

    /// The time for which systemd's word counts; it sends it again while it holds.
    private static let watchHold = Duration.seconds(2)

    /// The place of the kernel's files.
    private let root: KernelRoot
    private let parts: GovernorParts
    private let ticker: any Ticker
    private let state: Lock<GovernorState>
    private let handlers: HandlerWatch
    private let liveTrigger = Atomic<Bool>(false)

    init(
        reader: sending KernelReader, clock: any MonotonicClock,
        wallClock: @escaping @Sendable () -> Int64, backgroundTasks: BackgroundTaskRegistry,
        registry: CacheRegistry, channel: ReclaimChannel,
        ticker: any Ticker, bell: Bell, stock: any LadderStock,
        sequence: NotificationSequence = NotificationSequence(), recorder: RecordSink = .off, setup: Decider.Setup
    ) {
        root = reader.root
        parts = GovernorParts(
            clock: clock, wallClock: wallClock, backgroundTasks: backgroundTasks, registry: registry, channel: channel,
            bell: bell, stock: stock, sequence: sequence, recorder: recorder)
        self.ticker = ticker
        handlers = HandlerWatch(clock: clock, registry: registry)
        state = Lock(GovernorState(parts, reader: reader, setup: setup))
    }

    var channel: ReclaimChannel { parts.channel }
    var registry: CacheRegistry { parts.registry }
    var bell: Bell { parts.bell }
    private var clock: any MonotonicClock { parts.clock }

    /// Nanoseconds: for hot paths.
    var currentLevel: PressureLevel { parts.level.current }

    var hasLiveTrigger: Bool {
        get { liveTrigger.load(ordering: .relaxed) }
        set { liveTrigger.store(newValue, ordering: .relaxed) }
    }

    func nextSequence() -> UInt64 { parts.sequence.next() }

    // MARK: Judging

    /// Reads, judges and leaves what follows for those who do it. Gives how long the sampler may sleep.
    @discardableResult
    func judge(_ cause: LevelCause, triggerGrade: PressureLevel = .normal) -> Duration {
        let effects = state.withLock { $0.judge(cause, triggerGrade, hasLiveTrigger: hasLiveTrigger) }
        if effects.ringsBell { bell.ring() }
        if effects.wakesSampler { ticker.wake() }
        return effects.interval
    }

    /// Takes a kernel event. Runs on the event queue, and only hands over: what follows happens on other threads.
    func receive(_ event: KernelEvent) {
        if event.source == .systemdWatch {
            let now = clock.now
            handle(.supervisorWarns(until: now.advanced(by: Self.watchHold)), at: now)
        }
        judge(.event(event.source), triggerGrade: event.source == .pressureTrigger ? event.grade : .normal)
    }

    /// Holds a vote of the `external` rule and judges at once.
    func hold(_ level: PressureLevel, for duration: Duration?) {
        let now = clock.now
        handle(.held(level, until: duration.map { now.advanced(by: $0) }), at: now)
        judge(.request)
    }

    /// Hands on what hangs in a handler. Gives how long the sampler may sleep.
    func watch(_ channel: ReclaimChannel, _ interval: Duration) -> Duration {
        handlers.watch(
            channel, interval, level: currentLevel, minimumInterval: configuration.sampling.minimumInterval)
    }

    /// Handles what was told beside the readings.
    func handle(_ notice: Decider.Notice, at now: MonotonicInstant) {
        state.withLock { $0.handle(notice, at: now) }
    }

    // MARK: What the manager asks of it

    /// A snapshot.
    var figures: Figures {
        let now = clock.now
        return state.withLock { $0.figures(at: now) }
    }

    /// Every source of readings, used or why not.
    var sources: [SourceStatus] { state.withLock { $0.readings.findings }.statuses }

    /// The reason why a limit may be set that is not known.
    var unknownLimitReason: String? { state.withLock { $0.readings.findings }.unknownLimitReason }

    /// The parameters that the decider was made with.
    var setup: Decider.Setup { state.withLock { $0.setup } }

    /// The configuration that is decided by.
    var configuration: ManagerConfiguration { state.withLock { $0.setup.configuration } }

    /// Decides by another one from the next reading on, all of it at once.
    func reconfigure(_ configuration: ManagerConfiguration) {
        state.withLock { $0.reconfigure(configuration) }
    }

    /// Bytes that can be taken before memory is short, by a fresh reading: headroom above warning's entry.
    func measureSpareBytes() -> Int {
        let reading = measure()
        let thresholds = state.withLock { $0.thresholds(reading) }
        return max(0, reading.headroomBytes - thresholds.warningEntry)
    }

    /// Holds caches for a limit that is about to be set: with one that is awaited already the lower number, until the later end.
    ///
    /// - Returns: What holds now.
    @discardableResult
    func announce(_ limit: AnnouncedLimit) -> AnnouncedLimit {
        let now = clock.now
        return state.withLock { $0.announce(limit, at: now) }
    }

    /// Lets limits of caches rise again, whatever was announced.
    func withdrawLimit() {
        handle(.limitAnnounced(nil), at: clock.now)
    }

    /// Sets whether limits of caches rise again at `normal`. They do not in a process that is about to end: nobody would use what
    /// it would load.
    func setAllowsRegrowth(_ isAllowed: Bool) {
        handle(.regrowthAllowed(isAllowed), at: clock.now)
    }

    /// The changes that nobody has told yet, the newest of them where there were too many.
    func collectChanges() -> [LevelChange] {
        state.withLock { $0.collectChanges() }
    }

    /// Returns what the times have to tell since the last call.
    func collectTimeNews() -> TimeNews {
        state.withLock { $0.collectTimeNews() }
    }

    // MARK: Files and thresholds

    /// Finds the process's cgroup anew after it was moved. It opens files, and is not for the sampler, which goes on meanwhile.
    func rediscoverIfMoved() -> Rediscovery {
        guard state.withLock({ $0.readings.collectMove() }) else { return .none }
        var found: Discovery? = Discovery(in: root)
        if found?.isStarved == true {
            // Only by closing these and the old files first are there descriptors for the new ones.
            found = nil
            state.withLock { $0.readings.rediscover() }
        } else if let found {
            let old = state.withLock { $0.readings.adopt(found) }
            withExtendedLifetime(old) {}
        }
        return state.withLock { $0.readings.endRediscovery() }
    }

    /// The place where the kernel could wake us on usage; nil where nothing is to be armed anew.
    var wantedThreshold: WantedThreshold? {
        let wanted = state.withLock { state -> (directory: String, entries: HeadroomThresholds, limitBytes: Int)? in
            guard let directory = state.readings.thresholdDirectory else { return nil }
            let reading = state.readings.latest
            return (directory, state.thresholds(reading), reading.limitBytes)
        }
        return wanted.map { WantedThreshold(directory: $0.directory, limitBytes: $0.limitBytes, entries: $0.entries) }
    }

    func noteArmed(usageBytes: Int, limitBytes: Int) {
        state.withLock { $0.readings.noteArmed(usageBytes: usageBytes, limitBytes: limitBytes) }
    }

    /// The threshold that was armed is gone: another is asked for at the next reading.
    func forgetThresholds() {
        state.withLock { $0.readings.forgetThreshold() }
    }
}

// MARK: What reclaim asks of it

extension Governor: ReclaimHost {
    func measure() -> MemoryReading {
        state.withLock { $0.readings.measure(at: clock.now) }
    }

    var growthRate: Int { state.withLock { $0.growthRate } }
    var jumpBytes: Int { state.withLock { $0.jumpBytes } }

    func noteStepEnd(_ step: Int, promisedBytes: Int) {
        let now = clock.now
        handle(.stepEnded(step, promisedBytes: promisedBytes, at: now), at: now)
    }

    func releaseBegan() {
        state.withLock { $0.releaseBegan() }
    }

    func releaseEnded(_ step: Int, promisedBytes: Int, cameBackBytes: Int) {
        let now = clock.now
        state.withLock { $0.releaseEnded(step, promisedBytes: promisedBytes, cameBackBytes: cameBackBytes, at: now) }
    }

    func releaseAbandoned() {
        state.withLock { $0.releaseAbandoned() }
    }

    func noteLateAnswer(promisedBytes: Int) {
        let now = clock.now
        state.withLock { $0.noteLateAnswer(promisedBytes: promisedBytes, at: now) }
    }

    func noteDryStep(_ step: Int, promisedBytes: Int) {
        let now = clock.now
        state.withLock { $0.noteDryStep(step, promisedBytes: promisedBytes, at: now) }
    }

    func noteLeadTime(_ leadTime: LeadTime) {
        handle(.leadTimeMeasured(leadTime), at: clock.now)
    }

    func judgeAfterStep() {
        judge(.reclaim)
    }

    func confirmEmergency(orLeaving isEarly: Bool) -> MemoryReading? {
        let expectedBytes = registry.reportedBytes.subtractingSaturating(registry.hollowBytes)
        return state.withLock {
            $0.confirmEmergency(orLeaving: isEarly, expectedBytes: expectedBytes, at: clock.now)
        }
    }

    func ladderEnded(_ action: LadderMachine.Action, _ outcome: LadderMachine.Outcome) {
        let now = clock.now
        handle(.ladderEnded(action, outcome, at: now), at: now)
    }

    func noteLimitsLifted() {
        handle(.limitsLifted, at: clock.now)
    }

    func publish(_ step: ReclaimStep, problems: [HandlerProblem]) {
        bell.publish(step, problems: problems)
    }

    func publish(silentCaches names: [String]) {
        bell.publish(silentCaches: names)
    }
}
