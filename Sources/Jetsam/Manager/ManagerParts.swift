internal import CoreMetrics
internal import Dispatch
internal import Logging
internal import MemoryPressure

/// The parts of a manager, in the order in which they need one another: each is whole when it is made.
struct ManagerParts {
    let ticker: any Ticker
    let bell = Bell()
    let channel: ReclaimChannel
    let metrics: ManagerMetrics
    let traceQueue: TraceQueue?
    let recorder: RecordSink
    let governor: Governor
    let reclaimer: Reclaimer
    let scenes: SceneManager
    let lifecycle: ProcessLifecycle
    let ladder: Ladder
    /// The queue where kernel events arrive.
    let eventQueue = DispatchQueue(label: "jetsam.events")
    /// Nil where nobody listens to the kernel.
    let events: KernelEvents?

    init(
        _ configuration: ManagerConfiguration, _ registry: CacheRegistry, _ tasks: BackgroundTaskRegistry,
        _ logger: Logger, _ environment: ResourceManager.Environment, metricsFactory: any MetricsFactory,
        stateStore: (any SceneStateStore)?, lastResort: (@Sendable (LevelReason) -> Void)?
    ) throws {
        let reader = try KernelReader(root: environment.kernelRoot)
        try Self.checkSignals(reader, configuration, at: environment.clock.now)
        let sequence = NotificationSequence()
        let sceneGauges = SceneGauges(isStored: stateStore != nil)
        let leaving = LeavingGauges(configuration: configuration.lifecycle, tasks: tasks, scenes: sceneGauges)
        ticker = environment.ticker ?? SamplerThread(threads: environment.threads)
        channel = ReclaimChannel(threads: environment.threads)
        metrics = ManagerMetrics(factory: metricsFactory)
        traceQueue = configuration.recorder.traceFile.map { _ in TraceQueue(capacity: ResourceManager.tracedRecords) }
        recorder = RecordSink(trace: traceQueue, hashesNames: configuration.recorder.hashesNames)
        let reports = ManagerReports(metrics: metrics, recorder: recorder, clock: environment.clock)

        governor = Governor(
            reader: reader, clock: environment.clock, wallClock: environment.wallClock, backgroundTasks: tasks,
            registry: registry, channel: channel, ticker: ticker, bell: bell,
            stock: ManagerStock(tasks: tasks, sceneGauges: sceneGauges, leaving: leaving), sequence: sequence,
            recorder: recorder, setup: Self.setup(configuration, environment, hasLastResort: lastResort != nil))
        reclaimer = Reclaimer(
            registry: registry, channel: channel, host: governor, configuration: configuration,
            clock: environment.clock, allocator: environment.allocator, recorder: recorder)
        scenes = SceneManager(
            configuration: Self.sceneSettings(configuration),
            dependencies: SceneDependencies(
                clock: environment.clock, logger: logger, registry: registry, tasks: tasks, store: stateStore,
                makeRoom: CacheRoom(governor: governor, reclaimer: reclaimer).make, nextSequence: sequence.next,
                storeAvailability: bell.publish(stateStoreIsAvailable:), noteTransition: reports.record,
                gauges: sceneGauges, ticker: ticker, isAutomatic: environment.ticker == nil,
                threads: environment.threads))
        lifecycle = ProcessLifecycle(
            configuration: configuration.lifecycle,
            dependencies: LifecycleDependencies(
                clock: environment.clock, logger: logger, ticker: ticker, tasks: tasks,
                variables: environment.variables, processID: environment.processID, nextSequence: sequence.next,
                exit: environment.exit, gauges: leaving, scenes: scenes, reports: reports,
                memory: ProcessCaches(
                    registry: registry, governor: governor, reclaimer: reclaimer, environment: environment),
                listeningPorts: environment.listeningPorts ?? ListeningPorts.reader(in: environment.kernelRoot),
                wallClock: environment.wallClock, secondsFromUTC: environment.secondsFromUTC,
                arguments: environment.arguments, ring: bell.ring))
        ladder = Ladder(
            reclaimer, victims: ManagerVictims(tasks: tasks, scenes: scenes), configuration: configuration.ladder,
            lastResort: lastResort)
        events =
            environment.listensToKernel
            ? KernelEvents(
                root: environment.kernelRoot, queue: eventQueue, clock: environment.clock,
                environment: environment.variables, triggers: ResourceManager.triggers(configuration),
                handler: governor.receive) : nil
    }

    private static func setup(
        _ configuration: ManagerConfiguration, _ environment: ResourceManager.Environment, hasLastResort: Bool
    ) -> Decider.Setup {
        let allocator = environment.allocator
        return Decider.Setup(
            configuration: configuration, hasLastResort: hasLastResort,
            allocatorTells: allocator.trimsAfterEveryStep && allocator.statistics != nil)
    }

    /// If no scene is taken for memory, none is taken for another scene either.
    private static func sceneSettings(_ configuration: ManagerConfiguration) -> ManagerConfiguration.Scenes {
        var settings = configuration.scenes
        settings.takesRoomFromScenes = settings.takesRoomFromScenes && configuration.ladder.takesScenes
        return settings
    }

    /// Refuses to begin where no rule could ever tell how much room is left.
    private static func checkSignals(
        _ reader: KernelReader, _ configuration: ManagerConfiguration, at now: MonotonicInstant
    ) throws {
        let sources = reader.sources
        let hasMachine = sources.contains { $0.source == .memoryInfo && $0.isUsed }
        // Limits that are not set do not tell how much room is left: only the machine's memory does.
        let isLimited = hasMachine || reader.read(.full, at: now, includingStall: false).limitBytes > 0
        func isUsed(_ source: MemorySignalSource) -> Bool {
            sources.contains { $0.source == source && $0.isUsed } && (source != .limits || isLimited)
        }
        guard PressureRule.knowsRoom(isUsed, configuration) else {
            let missing = [MemorySignalSource.usage, .limits, .memoryInfo]
            throw MemoryPressureError.noSignalAvailable(
                statuses: sources.filter { missing.contains($0.source) && !$0.isUsed })
        }
    }
}
