public import CoreMetrics
internal import Dispatch
public import Logging
public import MemoryPressure
public import ServiceLifecycle
internal import Synchronization
internal import SystemPackage

/// Watches the memory of this process's container, grades how short it is, and asks registered caches to give memory back
/// in order of priority before the kernel ends the process.
///
/// Make one, let it build the service group, so that everything starts and ends in order, and register caches with
/// ``CacheRegistry/shared``:
///
/// ```swift
/// let manager = try ResourceManager(logger: logger)
/// // The server calls manager.didStartServing() when it listens.
/// var group = manager.serviceGroupConfiguration(needs: [database], servers: [server])
/// group.gracefulShutdownSignals = [.sigterm]
/// try await ServiceGroup(configuration: group).run()
/// ```
public final class ResourceManager: Service, Sendable {
    /// The configuration that it was made with. What is set up once goes by it; ``apply(_:)`` changes the rest.
    let configuration: ManagerConfiguration
    let registry: CacheRegistry
    /// The background tasks that hold the process.
    public let backgroundTasks: BackgroundTaskRegistry
    let environment: Environment
    package let logger: Logger
    private let parts: ManagerParts
    let lastCounts = Lock<CountsRecord?>(nil)
    let redactSnapshot: (@Sendable (_ name: String, _ part: SnapshotPart) -> String?)?
    /// The scenes of this process, for servers that have some.
    public var scenes: SceneManager { parts.scenes }
    let levels = Broadcast<LevelChange>(capacity: LevelChanges.capacity)
    let steps = Broadcast<ReclaimStep>(capacity: LevelChanges.capacity)
    let longHeld: LongHeldTasks?
    let history = Lock(ReclaimHistory())
    private let episodes = Lock(ReclaimEpisodes())
    private let poorReturns = Lock(PoorReturns())
    /// Indicates whether the log has said that no cache is registered.
    private let hasToldOfNoCaches = Atomic<Bool>(false)
    /// The time when it began, in nanoseconds; 0 before.
    private let begunNanoseconds = Atomic<Int64>(0)
    private let hasRun = Atomic<Bool>(false)
    /// The end of the run before this one, and the names of background tasks that the flight recorder has.
    let past = Lock(Past())
    /// The reports on the files that it writes.
    let files: FileReports
    /// One change of the configuration at a time.
    let applying = Lock(())

    /// A manager that has not begun: ``run()`` begins it.
    ///
    /// - Parameters:
    ///   - configuration: Thresholds, delays and bounds.
    ///   - registry: The caches that it asks.
    ///   - backgroundTasks: The background tasks that hold the process.
    ///   - logger: Gets one line for each change of the level and each reclaim episode, and warnings about handlers: see
    ///     <doc:LogMessages>.
    ///   - metricsFactory: Gets the metrics of ``Metric/all``; nil for the process's own.
    ///   - stateStore: The store for scenes' states between runs; nil, the default, keeps none.
    ///   - environment: The source of kernel files, time and allocator.
    ///   - lastResort: Called at most once, on a thread of the manager's, when headroom is critical, nothing is left to take, and the
    ///     limit is near or the state has lasted ``ManagerConfiguration/LastResort/degradedLimit``; earlier where leaving takes longer than
    ///     memory lasts: see <doc:ReclaimLadder>. Typically it triggers a graceful shutdown. Nil, the default, leaves the
    ///     process to its fate.
    ///   - redactSnapshot: Returns the name to record for a name that the process holds, or nil to leave this part out. It is
    ///     called on entering the background, for every cache and at most a hundred background tasks and scenes each, in a task
    ///     that has the deadline of a life-cycle callback. It is not called where nothing is recorded. Nil, the default, records
    ///     the names as they are.
    /// - Throws: ``ConfigurationError`` for a configuration that cannot be used, `MemoryPressureError` where the kernel
    ///   offers nothing to read.
    public init(
        configuration: ManagerConfiguration = ManagerConfiguration(),
        registry: CacheRegistry = .shared,
        backgroundTasks: BackgroundTaskRegistry = .shared,
        logger: Logger,
        metricsFactory: (any MetricsFactory)? = nil,
        stateStore: (any SceneStateStore)? = nil,
        environment: Environment = Environment(),
        lastResort: (@Sendable (LevelReason) -> Void)? = nil,
        redactSnapshot: (@Sendable (_ name: String, _ part: SnapshotPart) -> String?)? = nil
    ) throws {
        try configuration.validate()
        Self.startDispatch()
        let parts = try ManagerParts(
            configuration, registry, backgroundTasks, logger, environment,
            metricsFactory: metricsFactory ?? MetricsSystem.factory, stateStore: stateStore, lastResort: lastResort)
        self.parts = parts
        self.configuration = configuration
        self.registry = registry
        self.backgroundTasks = backgroundTasks
        self.environment = environment
        self.logger = logger
        self.redactSnapshot = redactSnapshot
        files = FileReports(logger: logger)
        longHeld = LongHeldTasks(tasks: backgroundTasks)
        environment.later(Self.timeToRun) { [weak self] in self?.warnIfNotRun() }
    }

    /// Has Dispatch open what it needs for its timers before kernel files are opened. It traps where no descriptor is left for them; an
    /// open of ours throws.
    private static func startDispatch() {
        DispatchQueue.global().asyncAfter(deadline: .now()) {}
    }

    /// A manager that was made and is not run after so long was forgotten.
    static let timeToRun = Duration.seconds(60)

    /// Without ``run()`` nothing watches: the process is killed without a word else.
    private func warnIfNotRun() {
        guard !hasRun.load(ordering: .acquiring) else { return }
        logger.warning(
            "The resource manager was made \(Self.timeToRun) ago and is not run: nothing watches the memory. Call run(), or add it to the service group"
        )
    }

    /// The level now. Takes a nanosecond.
    public var level: PressureLevel { governor.currentLevel }

    /// Indicates whether the level is above normal. Takes a nanosecond.
    package var isUnderPressure: Bool { governor.currentLevel > .normal }

    /// The level that servers go by where they turn clients away: always normal in a dry run, which refuses nobody. Takes a lock for a
    /// moment where the level is above normal.
    package var admissionLevel: PressureLevel {
        let level = governor.currentLevel
        return level > .normal && isDryRun ? .normal : level
    }

    package var isDryRun: Bool { governor.configuration.isDryRun }

    /// The changes of the level, from when iteration begins, until the manager has stopped. Each iteration keeps the newest 16 that
    /// it has not taken yet.
    public var levelChanges: some AsyncSequence<LevelChange, Never> & Sendable { LevelChanges(broadcast: levels) }

    /// The finished reclaim steps from now on, for one iteration: each use of this property listens by itself, and keeps the newest
    /// 16 that were not taken yet.
    public var reclaimSteps: AsyncStream<ReclaimStep> { steps.subscribe() }

    /// Calls `handler` with each change of the level, one after another in their order.
    ///
    /// - Parameters:
    ///   - executor: The executor that the handler runs on; nil for the global concurrent executor.
    ///   - handler: Called with one change at a time. One that is slower than the changes come misses the oldest of them.
    /// - Returns: The task that calls it. Cancel it to be called no more; a call that is running is not waited for. It can be left
    ///   alone: the manager calls the handler for as long as it runs.
    @discardableResult
    public func observeLevel(
        on executor: (any TaskExecutor)? = nil, _ handler: @escaping @Sendable (LevelChange) async -> Void
    ) -> Task<Void, Never> {
        // Listening begins here, not when the task first runs: nothing in between is missed.
        let stream = levels.subscribe()
        return Task(executorPreference: executor) {
            var iterator = LevelChanges.Iterator(base: stream.makeAsyncIterator())
            while let change = await iterator.next() { await handler(change) }
        }
    }

    /// Holds the level at `level` or above, as the `external` rule: to try out how the application answers.
    ///
    /// Caches are asked and background tasks refused as at a real one; nothing that is under way is taken.
    ///
    /// - Parameters:
    ///   - level: `normal` ends an earlier call.
    ///   - duration: The time that the level holds; nil until it is called again.
    public func simulate(_ level: PressureLevel, for duration: Duration? = nil) {
        governor.hold(level, for: duration)
    }

    /// Asks the registered caches for bytes now, whatever the level. Where the calling task is cancelled no further cache is
    /// asked.
    ///
    /// - Parameter bytes: At least so many; nil empties every cache.
    /// - Returns: The step and what it brought; nil where the manager is not running, or the task was cancelled before any was
    ///   asked.
    @discardableResult
    public func releaseCaches(bytes: Int? = nil) async -> ReclaimStep? {
        await reclaimer.release(bytes: bytes)
    }

    /// Takes the process through its life: launches it, watches until the service group shuts down gracefully or the task is
    /// cancelled, and ends it in order.
    ///
    /// Starts the sampler's thread, the reclaim threads and the kernel's event sources, and ends them again before it returns;
    /// a handler that hangs is not waited for. On graceful shutdown it takes the process into the background, and still watches
    /// memory. It waits until no background task is held, but at most until the termination grace period
    /// (``ManagerConfiguration/Lifecycle/terminationGracePeriod``) is nearly over. Cancellation ends it promptly.
    /// - Throws: ``ResourceManagerError`` where this manager has run before, the registry has a running one, or a thread or
    ///   descriptor cannot be had.
    public func run() async throws {
        guard !hasRun.exchange(true, ordering: .acquiringAndReleasing) else { throw ResourceManagerError.hasRunBefore }
        // Also where it never begins: it has no second run, and whoever listens would wait for ever.
        defer {
            levels.finish()
            steps.finish()
        }
        guard registry.attachManager() else { throw ResourceManagerError.registryInUse }
        defer { registry.detachManager() }
        guard backgroundTasks.attachManager(level: { governor.currentLevel }) else {
            throw ResourceManagerError.registryInUse
        }
        defer { backgroundTasks.detachManager() }
        backgroundTasks.setObserver(
            TaskReports(logger: logger, overdueHold: backgroundTasks.configuration.overdueTasksHold))
        lifecycle.begin(.configuration)
        let threads = ReclaimThreads(reclaimer: reclaimer, ladder: parts.ladder, bell: bell)
        defer {
            threads.stop()
            events?.cancel()
            bell.disconnect()
            // They hold what asks this manager, which would keep itself alive.
            files.forget()
        }
        let queue = DispatchQueue(label: "jetsam.notifications")
        environment.allocator.prepare()
        lifecycle.begin(.descriptors)
        do {
            try threads.start()
            bell.connect(try environment.threads.makeDoorbell(queue: queue) { [self] in tell() })
        } catch {
            // Nothing is launched, and nobody is left to be asked whether it answers.
            lifecycle.endResponders()
            throw ResourceManagerError.cannotStart("the reclaim threads", error)
        }
        events?.activate()
        governor.hasLiveTrigger = events?.hasLiveTrigger ?? false
        logSources()
        lifecycle.openNotifier()
        lifecycle.begin(.recorder)
        startFlightRecorder()
        let trace = startTrace()
        let snapshots = observeForSnapshots()
        defer { snapshots?.cancel() }
        begunNanoseconds.store(max(1, environment.clock.now.nanoseconds), ordering: .relaxed)
        do {
            try await withControlSocket {
                let figures = startFigures(on: queue)
                defer { figures?.cancel() }
                try await withTaskCancellationHandler {
                    // From the first moment: a launch may still be under way when the manager's turn comes.
                    try await withGracefulShutdownHandler {
                        try await live()
                    } onGracefulShutdown: { [lifecycle] in
                        lifecycle.beginShutdown()
                    }
                } onCancel: {
                    lifecycle.waits.abandon()
                }
            }
        } catch {
            await endTrace(trace)
            endFlightRecorder(error)
            throw error
        }
        await ticker.stop()
        queue.sync {
            tell()
            files.look(at: environment.clock.now)
            if let episode = episodes.withLock({ $0.end(at: environment.clock.now) }) { tell(episode) }
            tellFigures(isLast: true)
        }
        await endTrace(trace)
        endFlightRecorder(wasCancelled: Task.isCancelled)
    }

    /// From the launch to the end of the process's life.
    private func live() async throws {
        await lifecycle.beginLaunch(after: lastExit?.reason ?? .unknown)
        lifecycle.begin(.sampler)
        let held = HeldTasksWatch(tasks: backgroundTasks)
        do throws(Errno) {
            try ticker.start {
                [
                    governor, events, channel, lifecycle, recorder, bell, backgroundTasks, longHeld,
                    clock = environment.clock
                ] in
                backgroundTasks.retryExpiry()
                governor.hasLiveTrigger = events?.hasLiveTrigger ?? false
                let interval = governor.judge(.sampler)
                if recorder.flight != nil, held.isDue(at: clock.now) { bell.ring() }
                if longHeld?.isDue == true { bell.ring() }
                return lifecycle.tick(governor.watch(channel, interval))
            }
        } catch {
            await lifecycle.abandon(cause: .launch)
            throw ResourceManagerError.cannotStart("the sampler's thread", error)
        }
        lifecycle.begin(.restore)
        // As far as there is room and time; the rest waits for readiness. Watched from the first on: it may take more than was said.
        await scenes.restoreAll(spareBytes: { [governor] in governor.measureSpareBytes() })
        lifecycle.begin(.serve)
        await lifecycle.finishLaunch()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [lifecycle] in await lifecycle.awaitTurn() }
            await lifecycle.waitForEnd()
            await Task.isCancelled ? lifecycle.abandon(cause: .shutdown) : lifecycle.drain()
            // Cancelled while it drained: what is left of the way is gone without waiting.
            if lifecycle.processState != .notRunning { await lifecycle.abandon(cause: .shutdown) }
            group.cancelAll()
        }
    }

    /// Logs, counts and tells what has happened since the last call. Runs on the notification queue.
    private func tell() {
        // The sampler has answered, and so has this queue; the pulse is sent where the event queue answers as well.
        lifecycle.performDueWork { [lifecycle, eventQueue] in eventQueue.async { lifecycle.notifier?.isAlive() } }
        for outcome in bell.collectHangs() {
            switch outcome {
            case .replaced:
                logger.warning("A reclaim thread hangs in a cache's handler; another was started in its place")
            case .heldUp:
                logger.error("All reclaim threads hang in caches' handlers: no cache is asked until one is back")
            }
        }
        for name in bell.collectSilentCaches() {
            logger.notice(
                "Cache '\(name.onOneLine)' has never reported bytes, and is not asked for memory: report its size with update(bytes:)",
                metadata: ["cache": "\(name)"])
        }
        if let bytes = bell.collectLackingBytes() {
            logger.warning(
                "Memory has been short for ten minutes, and caches may give no more at warning: a limit \(ByteCount(bytes)) larger would do",
                metadata: ["lackingBytes": "\(bytes)"])
        }
        if let forecast = bell.collectForecast() {
            logger.warning(
                "\(forecast.message(isDryRun: governor.setup.configuration.isDryRun))", metadata: forecast.metadata)
        }
        tellRediscovery(governor.rediscoverIfMoved())
        let timeNews = governor.collectTimeNews()
        if let pause = timeNews.pause {
            logger.notice("The process did not run for \(pause); deadlines of background tasks move by as much")
            lifecycle.notePause(pause)
        }
        if let change = timeNews.wallClockChange { lifecycle.noteWallClockChange(by: change) }
        for isAvailable in bell.collectStoreChanges() { lifecycle.noteStateStore(available: isAvailable) }
        tellLongHeldTasks()
        recordHeldTasks()
        armThreshold()
        var news: [News] = governor.collectChanges().map { .change($0) }
        let (finished, lost) = bell.collectSteps()
        if lost > 0 {
            logger.warning(
                "\(lost) reclaim \(lost == 1 ? "step was" : "steps were") not logged: the log was too slow")
        }
        news += finished.map { .step($0.step, $0.problems) }
        for item in news.sorted(by: { $0.sequence < $1.sequence }) {
            switch item {
            case .change(let change): tell(change)
            case .step(let step, let problems): tell(step, problems)
            }
        }
    }

    private func tellRediscovery(_ outcome: Governor.Rediscovery) {
        switch outcome {
        case .none, .stillStarved: return
        case .moved:
            logger.notice("The process was moved to another cgroup; its memory signals were found again")
        case .starved:
            let broken = sources.filter { !$0.isUsed }.map(\.description).joined(separator: "; ")
            logger.warning(
                "Files of memory signals cannot be opened, and are tried again: \(broken)",
                metadata: ["reason": "starved"])
        case .recovered:
            logger.notice("The files of memory signals could be opened again")
        }
        events?.rediscover()
        logSources()
    }

    private enum News {
        case change(LevelChange)
        case step(ReclaimStep, [HandlerProblem])

        var sequence: UInt64 {
            switch self {
            case .change(let change): change.sequence
            case .step(let step, _): step.sequence
            }
        }
    }

    private func tell(_ change: LevelChange) {
        history.withLock { $0.totals.levelChanges += change.isRepetition ? 0 : 1 }
        metrics.record(change)
        logger.log(
            level: change.isRepetition ? .info : .notice, "Memory pressure \(change)", metadata: change.metadata)
        if change.level == .critical, registry.clients.isEmpty,
            !hasToldOfNoCaches.exchange(true, ordering: .relaxed)
        {
            logger.warning("Memory pressure is critical, and no cache is registered that could give memory back")
        }
        if let episode = episodes.withLock({ $0.add(change) }) { tell(episode) }
        levels.send(change)
        if change.level > .normal, change.level >= change.previous {
            lifecycle.note(.didReceiveMemoryWarning) { await $0.didReceiveMemoryWarning(change) }
            if scenes.count > 0 { Task { [scenes] in await scenes.warn(of: change) } }
        } else if change.level == .normal, scenes.hasPostponed, lifecycle.processState == .active {
            Task { [scenes] in await scenes.restorePostponed() }
        }
    }

    /// The most failed calls of one step that get a line each.
    private static let mostProblemsNamed = 10

    private func tell(_ episode: ReclaimEpisode) {
        logger.notice("Reclaim episode of \(episode.message)", metadata: episode.metadata)
    }

    private func tell(_ step: ReclaimStep, _ problems: [HandlerProblem]) {
        tellPoorReturns(step)
        guard !step.isProbe else { return logger.debug("Reclaim \(step)", metadata: step.metadata) }
        history.withLock { $0.add(step, at: environment.clock.now) }
        metrics.record(step)
        let place = episodes.withLock { $0.add(step) }
        // An operator should know what cannot be taken back.
        let level: Logger.Level = step.stage > .caches ? .notice : place == .alone ? .info : .debug
        logger.log(level: level, "Reclaim \(step)", metadata: step.metadata)
        for problem in problems.prefix(Self.mostProblemsNamed) {
            let milliseconds = problem.duration.milliseconds
            logger.warning(
                "Cache '\(problem.cache.onOneLine)' \(problem.error.map { "threw: \($0)" } ?? "missed its deadline")",
                metadata: ["cache": "\(problem.cache)", "milliseconds": "\(milliseconds)"])
        }
        let more = problems.count - Self.mostProblemsNamed
        if more > 0 {
            logger.warning(
                "\(more) more \(more == 1 ? "call" : "calls") of caches threw or missed the deadline in this step")
        }
        steps.send(step)
    }

    private func tellPoorReturns(_ step: ReclaimStep) {
        for finding in poorReturns.withLock({ $0.add(step) }) {
            logger.warning(
                "\(finding.message)",
                metadata: [
                    "cache": "\(finding.name)", "promisedBytes": "\(finding.promisedBytes)",
                    "returnedBytes": "\(finding.returnedBytes)",
                ])
        }
    }

    private func armThreshold() {
        guard let events, let wanted = governor.wantedThreshold else { return }
        if events.armUsageThresholds(directory: wanted.directory, bytes: [wanted.usageBytes] + wanted.beyond) {
            governor.noteArmed(usageBytes: wanted.usageBytes, limitBytes: wanted.limitBytes)
            // If other triggers were armed meanwhile, this one went with the old ones.
            if !events.hasLiveThreshold { governor.forgetThresholds() }
        }
    }

    private func logSources() {
        for status in sources {
            logger.info("Memory signal \(status)")
        }
        if let reason = governor.unknownLimitReason {
            logger.warning(
                "It is not known whether there is a memory limit: \(reason). If there is one, the kernel kills the process there without a warning"
            )
        }
        logger.info("Allocator \(status.allocator)")
    }

    var governor: Governor { parts.governor }
    var reclaimer: Reclaimer { parts.reclaimer }
    var lifecycle: ProcessLifecycle { parts.lifecycle }
    var recorder: RecordSink { parts.recorder }
    var traceQueue: TraceQueue? { parts.traceQueue }
    var metrics: ManagerMetrics { parts.metrics }
    var channel: ReclaimChannel { parts.channel }
    var events: KernelEvents? { parts.events }
    var ladder: Ladder { parts.ladder }
    private var bell: Bell { parts.bell }
    private var ticker: any Ticker { parts.ticker }
    var eventQueue: DispatchQueue { parts.eventQueue }

    /// The time when ``run()`` began; nil before.
    var begunAt: MonotonicInstant? {
        let nanoseconds = begunNanoseconds.load(ordering: .relaxed)
        return nanoseconds == 0 ? nil : MonotonicInstant(nanoseconds: nanoseconds)
    }

    static func triggers(_ configuration: ManagerConfiguration) -> [PressureTrigger] {
        let window = Duration.nanoseconds(StallWindow.length)
        func trigger(_ percent: Int, _ grade: PressureLevel) -> PressureTrigger {
            PressureTrigger(kind: .some, stall: window / 100 * percent, window: window, grade: grade)
        }
        return [
            trigger(configuration.stall.warningPercent, .warning),
            trigger(configuration.stall.criticalPercent, .critical),
        ]
    }
}
