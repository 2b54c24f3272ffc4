internal import Logging
internal import MemoryPressure

/// The parts that scenes take from outside.
struct SceneDependencies: Sendable {
    let clock: any MonotonicClock
    let logger: Logger
    let registry: CacheRegistry
    let tasks: any SceneTasks
    /// Nil where nothing is stored.
    let store: (any SceneStateStore)?
    /// Makes room for so many bytes from whatever ranks below every scene, and gives how many can then be taken without
    /// memory being short; nil where nobody knows, and there is always room.
    let makeRoom: (@Sendable (_ bytes: Int) async -> Int)?
    /// The next number of the one sequence of notifications.
    let nextSequence: @Sendable () -> UInt64
    /// Told when the store can be written to no longer, or again.
    let storeAvailability: @Sendable (_ isAvailable: Bool) -> Void
    /// Told of each change of a scene's state; under no lock.
    let noteTransition: @Sendable (SceneTransition) -> Void
    /// The figures that others read.
    let gauges: SceneGauges
    /// The timer that drives the deadlines where real time does not; nil where the test does.
    let ticker: (any Ticker)?
    /// Indicates whether real time drives the deadlines; otherwise the test does.
    let isAutomatic: Bool
    /// The source of the thread that calls the handlers of scenes' caches.
    let threads: any ThreadSource

    /// - Parameter gauges: The figures that others read; nil where nobody does.
    init(
        clock: any MonotonicClock = SystemMonotonicClock(), logger: Logger, registry: CacheRegistry,
        tasks: (any SceneTasks)? = nil, store: (any SceneStateStore)? = nil,
        makeRoom: (@Sendable (_ bytes: Int) async -> Int)? = nil,
        nextSequence: @escaping @Sendable () -> UInt64,
        storeAvailability: @escaping @Sendable (_ isAvailable: Bool) -> Void = { _ in },
        noteTransition: @escaping @Sendable (SceneTransition) -> Void = { _ in }, gauges: SceneGauges? = nil,
        ticker: (any Ticker)? = nil, isAutomatic: Bool = true, threads: any ThreadSource = SystemThreads()
    ) {
        self.clock = clock
        self.logger = logger
        self.registry = registry
        self.tasks = tasks ?? NoSceneTasks()
        self.store = store
        self.makeRoom = makeRoom
        self.nextSequence = nextSequence
        self.storeAvailability = storeAvailability
        self.noteTransition = noteTransition
        self.gauges = gauges ?? SceneGauges(isStored: store != nil)
        self.ticker = ticker
        self.isAutomatic = isAutomatic
        self.threads = threads
    }
}

/// The background tasks that belong to scenes, as far as scenes need them.
protocol SceneTasks: Sendable {
    /// Calls the expiry handlers of all that the scene holds, now.
    func expireAll(of scene: SceneIdentifier)
    /// Ends all that the scene holds.
    func endAll(of scene: SceneIdentifier)
}

extension BackgroundTaskRegistry: SceneTasks {}

/// The background tasks of scenes where there are none.
struct NoSceneTasks: SceneTasks {
    func expireAll(of scene: SceneIdentifier) {}
    func endAll(of scene: SceneIdentifier) {}
}
