internal import Logging
internal import MemoryPressure

/// The manager that scenes belong to, as far as they need it: it is still being made when they are.
final class ManagerOfScenes: Sendable {
    private struct State {
        weak var manager: ResourceManager?
    }

    private let state = Lock(State())

    var manager: ResourceManager? {
        get { state.withLock { $0.manager } }
        set { state.withLock { $0.manager = newValue } }
    }
}

extension ResourceManager {
    /// The scenes of a manager that is being made; `owner` is told of it afterwards.
    static func makeScenes(
        _ configuration: Configuration, _ registry: CacheRegistry, _ assertions: any SceneAssertions,
        _ store: (any SceneStateStore)?, _ environment: Environment, _ logger: Logger, _ owner: ManagerOfScenes
    ) -> SceneManager {
        var dependencies = SceneDependencies(
            clock: environment.clock, logger: logger, registry: registry, assertions: assertions, store: store,
            makeRoom: { bytes in await owner.manager?.makeRoom(bytes: bytes) ?? .max },
            nextSequence: { owner.manager?.governor.nextSequence() ?? 0 },
            storeAvailability: { owner.manager?.lifecycle.noteStateStore(available: $0) },
            isAutomatic: environment.ticker == nil)
        dependencies.threads = environment.threads
        dependencies.noteTransition = { owner.manager?.recordScene($0) }
        var scenes = configuration.scenes
        // Whoever takes none for memory takes none for another scene either.
        scenes.takesRoomFromScenes = scenes.takesRoomFromScenes && configuration.ladder.takesScenes
        return SceneManager(configuration: scenes, dependencies: dependencies)
    }
}
