internal import Logging
internal import MemoryPressure

/// The parts that scenes take from outside.
struct SceneDependencies: Sendable {
    var clock: any MonotonicClock
    var logger: Logger
    var registry: CacheRegistry
    var tasks: any SceneTasks
    /// Nil where nothing is stored.
    var store: (any SceneStateStore)?
    /// Makes room for so many bytes from whatever ranks below every scene, and gives how many can then be taken without
    /// memory being short; nil where nobody knows, and there is always room.
    var makeRoom: (@Sendable (_ bytes: Int) async -> Int)?
    /// The next number of the one sequence of notifications.
    var nextSequence: @Sendable () -> UInt64
    /// Told when the store can be written to no longer, or again.
    var storeAvailability: @Sendable (_ isAvailable: Bool) -> Void
    /// Told of each change of a scene's state; under no lock.
    var noteTransition: @Sendable (SceneTransition) -> Void = { _ in }
    /// The figures that others read.
    var gauges: SceneGauges
    /// The timer that drives the deadlines where real time does not; nil where the test does.
    var ticker: (any Ticker)?
    /// Indicates whether real time drives the deadlines; otherwise the test does.
    var isAutomatic: Bool
    /// The source of the thread that calls the handlers of scenes' caches.
    var threads: any ThreadSource = SystemThreads()

    init(
        clock: any MonotonicClock = SystemMonotonicClock(), logger: Logger, registry: CacheRegistry,
        tasks: (any SceneTasks)? = nil, store: (any SceneStateStore)? = nil,
        makeRoom: (@Sendable (_ bytes: Int) async -> Int)? = nil,
        nextSequence: @escaping @Sendable () -> UInt64,
        storeAvailability: @escaping @Sendable (_ isAvailable: Bool) -> Void = { _ in }, isAutomatic: Bool = true
    ) {
        self.clock = clock
        self.logger = logger
        self.registry = registry
        self.tasks = tasks ?? NoSceneTasks()
        self.store = store
        self.makeRoom = makeRoom
        self.nextSequence = nextSequence
        self.storeAvailability = storeAvailability
        gauges = SceneGauges(isStored: store != nil)
        self.isAutomatic = isAutomatic
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
