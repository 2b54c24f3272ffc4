internal import Logging
internal import MemoryPressure

/// The origin of a scene's connection: a client that wants the scene, or the system.
public struct SceneOrigin: Sendable, Hashable {
    let target: SceneState
    let cause: SceneCause

    /// A client wants it: it becomes active.
    public static let client = SceneOrigin(target: .active, cause: .client)
    /// Nobody waits for it: it stands in the background.
    public static let system = SceneOrigin(target: .background, cause: .system)
    static let restoration = SceneOrigin(target: .background, cause: .restoration)
    static let handOver = SceneOrigin(target: .background, cause: .handOver)
}

/// The treatment of a stored state when its scene connects.
public struct SceneRestorationPolicy: Sendable, Hashable {
    enum Code: Sendable { case automatic, evenAfterCrashes, none }

    let code: Code

    /// It is given to the observer. A scene whose restoration was under way in too many starts that crashed is refused.
    public static let automatic = SceneRestorationPolicy(code: .automatic)
    /// It is given to the observer, whatever happened before.
    public static let evenAfterCrashes = SceneRestorationPolicy(code: .evenAfterCrashes)
    /// The scene begins without it. It is kept until the scene stores another.
    public static let none = SceneRestorationPolicy(code: .none)
}

extension SceneManager {
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

    func connect(_ connection: SceneConnection) async throws(SceneRefusal) -> ServerScene {
        do throws(SceneRefusal) {
            let scene = try reserve(connection)
            await scene.turn.acquire()
            defer { scene.turn.release() }
            do throws(SceneRefusal) {
                try await makeRoom(scene, connection)
                try await attach(scene, connection)
            } catch {
                await abandon(scene, connection)
                throw error
            }
            if connection.origin.target == .active { try await serve(scene) }
            return scene
        } catch {
            count { $0.refused += 1 }
            logger.info("Scene '\(connection.identifier)' is not connected: \(error)")
            throw error
        }
    }

    private func reserve(_ connection: SceneConnection) throws(SceneRefusal) -> ServerScene {
        guard connection.expectedBytes >= 0 else { throw .negativeBytes(connection.expectedBytes) }
        let result = state.withLock { state -> Result<ServerScene, SceneRefusal> in
            if let refusal = Self.refusal(of: connection.origin.target, state) { return .failure(refusal) }
            if state.isFinal { return .failure(.processState("shutting down")) }
            if state.scenes[connection.identifier] != nil { return .failure(.alreadyConnected) }
            if state.scenes.count >= configuration.maximumCount {
                return .failure(.tooManyScenes(configuration.maximumCount))
            }
            state.nextAge += 1
            let scene = ServerScene(
                connection.identifier, priority: connection.priority, targets: connection.targets,
                expectedBytes: connection.expectedBytes, age: state.nextAge, observer: connection.observer,
                executor: connection.executor, manager: self)
            state.scenes[connection.identifier] = scene
            return .success(scene)
        }
        return try result.get()
    }

    /// Tells the observer that its scene connects, with its stored state.
    private func attach(_ scene: ServerScene, _ connection: SceneConnection) async throws(SceneRefusal) {
        let restored = try await storedState(scene, connection)
        let deadline = connection.deadline(now, configuration.connectDeadline)
        let target: SceneState = connection.origin.target == .active ? .inactive : .background
        _ = try scene.begin(target, cause: connection.origin.cause)
        let transition = SceneTransition(
            sequence: dependencies.nextSequence(), scene: scene.identifier, from: .unattached, to: target,
            cause: connection.origin.cause)
        let answer = Lock<(any Error)?>(nil)
        let hasBegun = Lock(false)
        let outcome = await call(.willConnect, scene, by: deadline) { [self] in
            hasBegun.withLock { $0 = true }
            do {
                try await connection.observer.willConnect(scene, restoring: restored)
            } catch {
                answer.withLock { $0 = error }
            }
            // Only now: as long as it runs it can still crash, also when nobody waits for it any more.
            if restored != nil { await endRestoration(of: scene) }
        }
        if restored != nil, case .late = outcome {
            count { $0.failedRestores += 1 }
            // Never begun, it cannot have crashed.
            if !hasBegun.withLock({ $0 }) { await endRestoration(of: scene) }
        }
        if case .late = outcome { throw .missedDeadline(.willConnect) }
        if let error = answer.withLock({ $0 }) {
            if restored != nil { count { $0.failedRestores += 1 } }
            throw .observerThrew(error)
        }
        if restored != nil { count { $0.restores += 1 } }
        await carryOut(.commit, scene, transition, by: deadline)
    }

    /// The last step of a scene that a client connects. Where the process has gone down since, it stays below.
    private func serve(_ scene: ServerScene) async throws(SceneRefusal) {
        let ceiling = state.withLock { $0.isFinal ? .suspended : $0.ceiling }
        if ceiling == .active {
            try await move(scene, to: .active, cause: .client)
        } else {
            scene.resumesTo = .active
        }
    }

    private func abandon(_ scene: ServerScene, _ connection: SceneConnection) async {
        scene.abandon()
        scene.releaseObserver()
        dependencies.tasks.endAll(of: scene.identifier)
        caches.end(scene.identifier)
        forgetScene(scene)
        // It goes back to the predecessor, and must not be restored here as well.
        if connection.handedOver != nil, let stamp = scene.saved.stamp {
            await forget(scene, ifStampIs: stamp)
        }
    }
}

/// All that is known of a scene that is to connect.
struct SceneConnection: Sendable {
    var identifier: SceneIdentifier
    var origin: SceneOrigin
    var expectedBytes = 0
    var priority = ResourcePriority.normal
    var targets = SceneTargets()
    var restoration = SceneRestorationPolicy.automatic
    /// The state that a predecessor hands over.
    var handedOver: SceneStateData?
    var executor: (any TaskExecutor)?
    var observer: any SceneObserver
    /// Indicates whether there is room already.
    var hasRoom = false
    /// The time when it must be connected, beside the deadlines of its steps.
    var latest: MonotonicInstant?

    func deadline(_ now: MonotonicInstant, _ step: Duration) -> MonotonicInstant {
        let own = now.advanced(by: step)
        return min(own, latest ?? own)
    }
}

extension SceneManager {
    /// The number of times that a scene which is going away meanwhile is connected anew.
    private static let attempts = 3

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
}
