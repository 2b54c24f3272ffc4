internal import MemoryPressure

/// The scenes of this process: connects them, moves them through their states, stores and restores what they save, and
/// gives them up in order when memory is short.
///
/// Scenes are opt-in: where none connects, nothing happens. Reach it as `manager.scenes`.
public final class SceneManager: Sendable {
    let parts: SceneParts
    let room: SceneRoom
    let restorer: SceneRestorer
    let warnings = SceneWarnings()
    private let registry = Lock(SceneRegistry())

    init(configuration: ManagerConfiguration.Scenes = .init(), dependencies: SceneDependencies) {
        parts = SceneParts(configuration, dependencies)
        room = SceneRoom(parts, ask: dependencies.makeRoom)
        restorer = SceneRestorer(parts)
        dependencies.ticker?.attach(parts.deadlines)
    }

    /// The connected scene of that name.
    public subscript(identifier: SceneIdentifier) -> ServerScene? {
        registry.withLock { $0[identifier] }
    }

    /// The connected scenes, by identifier.
    public var scenes: [ServerScene] {
        all.sorted { $0.identifier < $1.identifier }
    }

    /// The number of connected scenes.
    public var count: Int { registry.withLock { $0.count } }

    /// A snapshot. It walks scenes and caches: for dashboards, not for hot paths.
    public var statistics: SceneStatistics {
        var statistics = parts.log.statistics
        statistics.isStoreAvailable = canSave
        for scene in all {
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
        let canSave = canSave
        let best = SceneOrder.match(target, scenes.map { ($0.facts(canSave: canSave), $0.targets) })
        guard let best, let scene = self[best] else { return nil }
        try await scene.activate()
        return scene
    }

    /// Makes the scene serve that has the highest priority of those that do not.
    ///
    /// - Returns: The scene; nil where every scene is active, or none is connected.
    public func activateNext() async throws(SceneRefusal) -> ServerScene? {
        let first = byPriority.first { SceneOrder.rank($0.sceneState) != nil && $0.sceneState != .active }
        guard let first, let scene = self[first.identifier] else { return nil }
        try await scene.activate()
        return scene
    }
}

/// What the rest of the package asks it.
extension SceneManager {
    /// The connected scenes in no order.
    var all: [ServerScene] { registry.withLock { $0.all } }

    /// The connected scenes, those of high priority first.
    var byPriority: [ServerScene] {
        let canSave = canSave
        let scenes = all.map { (facts: $0.facts(canSave: canSave), scene: $0) }
        return scenes.sorted { SceneOrder.isActivated($0.facts, before: $1.facts) }.map(\.scene)
    }

    /// Indicates whether any scene was ever connected.
    var hasConnected: Bool { registry.withLock { $0.hasConnected } }

    /// Indicates whether restoration has left scenes for later. Also true while they are tried: then they may be postponed again.
    var hasPostponed: Bool { restorer.progress.hasPostponed }

    /// Indicates whether states can be stored, as far as is known.
    var canSave: Bool { parts.storage.canSave }

    /// The states that the process allows.
    var ceiling: SceneRegistry.Ceiling { registry.withLock { $0.ceiling } }

    var configuration: ManagerConfiguration.Scenes { parts.configuration }

    /// Drives the deadlines of callbacks.
    package var deadlines: Deadlines { parts.deadlines }

    /// Lowers the ceiling: the process goes down to a state.
    func lowerCeiling(to state: SceneState, isFinal: Bool) {
        registry.withLock { $0.goDown(to: state, isFinal: isFinal) }
    }

    /// Raises the ceiling: the process has come up to a state.
    func raiseCeiling(to state: SceneState) {
        registry.withLock { $0.comeUp(to: state) }
    }

    /// Takes a new scene in, before anything is told to its observer.
    func enter(_ connection: SceneConnection) throws(SceneRefusal) -> ServerScene {
        guard connection.expectedBytes >= 0 else { throw .negativeBytes(connection.expectedBytes) }
        return try registry.withLock { registry throws(SceneRefusal) in
            try registry.enter(
                connection.identifier, for: connection.origin.target, atMost: configuration.maximumCount
            ) { age in ServerScene(connection, age: age, parts: parts, manager: self) }
        }
    }

    /// Takes a scene out of the list, if it is still the one of its name there.
    func remove(_ scene: ServerScene) {
        let removed = registry.withLock { $0.remove(scene) }
        _ = removed
    }
}
