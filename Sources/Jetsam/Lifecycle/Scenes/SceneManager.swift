internal import Logging
internal import MemoryPressure
internal import Synchronization

/// The scenes of this process: connects them, moves them through their states, stores and restores what they save, and
/// gives them up in order when memory is short.
///
/// Scenes are opt-in: where none connects, nothing happens. Reach it as `manager.scenes`.
public final class SceneManager: Sendable {
    struct State {
        var scenes: [SceneIdentifier: ServerScene] = [:]
        var nextAge: UInt64 = 0
        /// The highest state that the process allows.
        var ceiling = SceneState.active
        /// The process ends; nothing connects any more.
        var isFinal = false
        var storeIsDenied = false
        var storeHasFailed = false
        /// The scenes that restoration before readiness left for later.
        var postponed: [StoredScene] = []
        /// Indicates whether the postponed scenes are tried now.
        var areTried = false
        /// Indicates whether the stored scenes could not be listed yet.
        var restorationIsDue = false
        var observerForRestoring: (@Sendable (StoredScene) -> (any SceneObserver)?)?
        var statistics = SceneStatistics()
        /// The memory warning that is being told, by its number.
        var lastWarning: UInt64?
        /// Warnings about scenes since a change of the process began; nil where none is under way.
        var warnings: Int?
    }

    let configuration: ManagerConfiguration.Scenes
    let dependencies: SceneDependencies
    let caches: SceneCaches
    let state = Lock(State())
    /// Drives the deadlines of callbacks.
    package let deadlines: Deadlines
    let roomTurn = AsyncTurn()
    let lossTurn = AsyncTurn()
    let restorationTurn = AsyncTurn()

    init(configuration: ManagerConfiguration.Scenes = .init(), dependencies: SceneDependencies) {
        self.configuration = configuration
        self.dependencies = dependencies
        caches = SceneCaches(registry: dependencies.registry, threads: dependencies.threads)
        deadlines = Deadlines(clock: dependencies.clock, isAutomatic: dependencies.isAutomatic)
        dependencies.ticker?.attach(deadlines)
    }

    /// The connected scene of that name.
    public subscript(identifier: SceneIdentifier) -> ServerScene? {
        state.withLock { $0.scenes[identifier] }
    }

    /// The connected scenes, by identifier.
    public var scenes: [ServerScene] {
        all.sorted { $0.identifier < $1.identifier }
    }

    /// The connected scenes in no order.
    var all: [ServerScene] { state.withLock { Array($0.scenes.values) } }

    /// The number of connected scenes.
    public var count: Int { state.withLock { $0.scenes.count } }

    /// Indicates whether restoration has left scenes for later. Also true while they are tried: then they may be postponed again.
    var hasPostponed: Bool { state.withLock { !$0.postponed.isEmpty || $0.areTried } }

    /// Indicates whether any scene was ever connected.
    var hasConnected: Bool { state.withLock { $0.nextAge > 0 } }

    /// A snapshot. It walks scenes and caches: for dashboards, not for hot paths.
    public var statistics: SceneStatistics {
        var (statistics, scenes, canSave) = state.withLock {
            ($0.statistics, Array($0.scenes.values), !$0.storeIsDenied && !$0.storeHasFailed)
        }
        statistics.isStoreAvailable = canSave
        for scene in scenes {
            statistics.connected[scene.sceneState, default: 0] += 1
            statistics.footprintBytes = statistics.footprintBytes.addingSaturating(scene.footprintBytes)
            statistics.unsaved += scene.isUnsaved ? 1 : 0
        }
        return statistics
    }

    /// Makes the scene serve that suits a target best: one that prefers it, else one that names it, else one that takes any;
    /// between equals the higher priority.
    ///
    /// - Parameter target: The target to serve, such as a document's identifier.
    /// - Returns: The scene, which is active now; nil where no scene takes the target.
    public func activate(target: String) async throws(SceneRefusal) -> ServerScene? {
        let scenes = scenes
        let best = SceneOrder.match(target, scenes.map { (facts($0), $0.targets) })
        guard let best, let scene = self[best] else { return nil }
        try await request(scene, .active)
        return scene
    }

    /// Makes the scene serve that has the highest priority of those that do not.
    ///
    /// - Returns: The scene; nil where every scene is active, or none is connected.
    public func activateNext() async throws(SceneRefusal) -> ServerScene? {
        let waiting = facts(all).filter { SceneOrder.rank($0.state) != nil && $0.state != .active }
        let first = waiting.min(by: SceneOrder.isActivated)
        guard let first, let scene = self[first.identifier] else { return nil }
        try await request(scene, .active)
        return scene
    }

    func facts(_ scenes: [ServerScene]) -> [SceneOrder.Facts] {
        let canSave = canSave
        return scenes.map { $0.facts(canSave: canSave) }
    }

    func facts(_ scene: ServerScene) -> SceneOrder.Facts { scene.facts(canSave: canSave) }

    var canSave: Bool { state.withLock { !$0.storeIsDenied && !$0.storeHasFailed } }

    var now: MonotonicInstant { dependencies.clock.now }

    var logger: Logger { dependencies.logger }

    func count(_ change: (inout SceneStatistics) -> Void) {
        state.withLock { change(&$0.statistics) }
    }
}
