internal import Logging
internal import MemoryPressure

extension SceneManager {
    /// The number of times that a scene which is going away meanwhile is connected anew.
    private static let attempts = 3

    /// Connects a scene: makes room for it, reads its stored state, and tells its observer.
    ///
    /// - Parameters:
    ///   - identifier: The name of the scene. A scene that is connected already is refused.
    ///   - origin: ``SceneOrigin/client`` makes it active, ``SceneOrigin/system`` leaves it in the background.
    ///   - expectedBytes: The bytes that it will take outside of its caches. Room for it is made first, from whatever ranks
    ///     lower: caches, then scenes that are lost before it. 0 asks for no room.
    ///   - priority: Its priority.
    ///   - targets: The targets that it is activated for.
    ///   - restoration: The treatment of its stored state.
    ///   - executor: The executor of its callbacks; nil for the global concurrent executor.
    ///   - observer: Its callbacks. It is kept until the scene is gone.
    /// - Throws: ``SceneRefusal`` where it is not connected; nothing is left of it then.
    public func connect(
        _ identifier: SceneIdentifier, by origin: SceneOrigin = .client, expectedBytes: Int = 0,
        priority: ResourcePriority = .normal, targets: SceneTargets = SceneTargets(),
        restoration: SceneRestorationPolicy = .automatic, on executor: (any TaskExecutor)? = nil,
        observer: any SceneObserver
    ) async throws(SceneRefusal) -> ServerScene {
        try await connect(
            SceneConnection(
                identifier: identifier, origin: origin, expectedBytes: expectedBytes, priority: priority,
                targets: targets, restoration: restoration, executor: executor, observer: observer))
    }

    /// The scene of that name, serving: one that is connected or was restored is activated, else it is connected.
    ///
    /// - Parameters:
    ///   - identifier: The name of the scene.
    ///   - expectedBytes: The bytes that it will take outside of its caches, if it must be connected.
    ///   - priority: Its priority, if it must be connected.
    ///   - targets: The targets that it is activated for, if it must be connected.
    ///   - executor: The executor of its callbacks, if it must be connected; nil for the global concurrent executor.
    ///   - observer: Makes its observer, if it must be connected.
    /// - Throws: ``SceneRefusal`` where it does not serve.
    public func scene(
        for identifier: SceneIdentifier, expectedBytes: Int = 0, priority: ResourcePriority = .normal,
        targets: SceneTargets = SceneTargets(), on executor: (any TaskExecutor)? = nil,
        observer: () -> any SceneObserver
    ) async throws(SceneRefusal) -> ServerScene {
        var attempt = 1
        while true {
            do throws(SceneRefusal) {
                if let scene = self[identifier] {
                    try await scene.activate()
                    return scene
                }
                return try await connect(
                    identifier, expectedBytes: expectedBytes, priority: priority, targets: targets, on: executor,
                    observer: observer())
            } catch {
                // It was on its way out, or somebody else connected it first.
                guard error == .notConnected || error == .alreadyConnected, attempt < Self.attempts else { throw error }
                attempt += 1
            }
        }
    }

    func connect(_ connection: SceneConnection) async throws(SceneRefusal) -> ServerScene {
        do throws(SceneRefusal) {
            let scene = try enter(connection)
            await scene.turn.acquire()
            defer { scene.turn.release() }
            do throws(SceneRefusal) {
                try await room.make(for: scene, connection) { all }
                try await scene.attach(connection)
            } catch {
                await scene.abandon(connection)
                throw error
            }
            if connection.origin.target == .active { try await serve(scene) }
            return scene
        } catch {
            parts.log.count(\.refused)
            parts.log.logger.info("Scene '\(connection.identifier)' is not connected: \(error)")
            throw error
        }
    }

    /// Takes the last step of a scene that a client connects. Where the process has gone down since, it stays below.
    private func serve(_ scene: ServerScene) async throws(SceneRefusal) {
        if ceiling.reach == .active {
            try await scene.move(to: .active, cause: .client)
        } else {
            scene.resumesTo = .active
        }
    }
}
