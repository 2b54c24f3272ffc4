internal import Logging
internal import MemoryPressure

extension SceneManager {
    /// Hands a scene over to a successor: it resigns, is saved and enters the background. Its state goes through `transport`.
    /// When that has returned, the scene is disconnected here, and its stored state is removed.
    ///
    /// Where the successor does not take it in time the scene goes back to where it was. An acknowledgement that is lost on
    /// its way leaves it with both: nothing is lost, and what the successor's copy does is for the application to settle.
    ///
    /// - Parameters:
    ///   - identifier: The scene.
    ///   - transport: Carries the value to the successor, and returns when that has acknowledged it; throws where it has not. It is
    ///     cancelled after ``ManagerConfiguration/Scenes/handOffDeadline``.
    /// - Throws: ``SceneRefusal`` where it was not handed over.
    public func handOff(
        _ identifier: SceneIdentifier, to transport: @escaping @Sendable (SceneHandoff) async throws -> Void
    ) async throws(SceneRefusal) {
        guard let scene = self[identifier] else { throw .notConnected }
        try refuseInside(scene)
        await scene.turn.acquire()
        defer { scene.turn.release() }
        let before = scene.sceneState
        guard before != .disconnected, before != .unattached else { throw .notConnected }
        if before == .active || before == .inactive { try await move(scene, to: .background, cause: .handOver) }
        do throws(SceneRefusal) {
            let state = try await stateToHandOver(scene)
            let handoff = SceneHandoff(
                identifier: identifier, priority: scene.priority, expectedBytes: scene.declaredBytes, state: state)
            try await send(handoff, transport)
        } catch {
            await takeBack(scene, to: before)
            throw error
        }
        let stamp = scene.saved.stamp
        try await move(scene, to: .disconnected, cause: .handOver)
        // Where both share a directory, what is there now may be the successor's.
        if let stamp { await forget(scene, ifStampIs: stamp) }
        count { $0.handedOver += 1 }
    }

    /// Connects a scene that a predecessor hands over. Acknowledge it when this has returned: its state is stored here then.
    ///
    /// - Parameters:
    ///   - handoff: The scene that the predecessor sent.
    ///   - origin: ``SceneOrigin/client`` makes it active, ``SceneOrigin/system`` leaves it in the background.
    ///   - targets: The targets that it is activated for.
    ///   - executor: The executor of its callbacks; nil for the global concurrent executor.
    ///   - observer: Its callbacks.
    /// - Throws: ``SceneRefusal`` where it is not connected; the predecessor keeps it then.
    public func connect(
        from handoff: SceneHandoff, by origin: SceneOrigin = .system, targets: SceneTargets = SceneTargets(),
        on executor: (any TaskExecutor)? = nil, observer: any SceneObserver
    ) async throws(SceneRefusal) -> ServerScene {
        if let state = handoff.state, state.bytes.count > configuration.maximumStateBytes {
            throw .store(.tooLarge(bytes: state.bytes.count, maximum: configuration.maximumStateBytes))
        }
        return try await connect(
            SceneConnection(
                identifier: handoff.identifier, origin: origin, expectedBytes: handoff.expectedBytes,
                priority: handoff.priority, targets: targets, restoration: .none, handedOver: handoff.state,
                executor: executor, observer: observer))
    }

    private func stateToHandOver(_ scene: ServerScene) async throws(SceneRefusal) -> SceneStateData? {
        let deadline = now.advanced(by: configuration.transitionDeadline)
        guard let encoded = await encode(scene, by: deadline) else { throw .missedDeadline(.encodeState) }
        if let state = encoded.state ?? scene.saved.waiting {
            guard state.bytes.count <= configuration.maximumStateBytes else {
                throw .store(.tooLarge(bytes: state.bytes.count, maximum: configuration.maximumStateBytes))
            }
            // Kept until somebody has it: the observer gives it out only once.
            scene.changeSaved { $0.keep(state) }
            return state
        }
        guard let store = dependencies.store else { return nil }
        let answer = Lock<Result<SceneStateData?, SceneStateStoreError>>(.failure(.unavailable))
        _ = await scene.storing.call(by: deadline, deadlines) {
            let result: Result<SceneStateData?, SceneStateStoreError>
            do throws(SceneStateStoreError) {
                result = .success(try await store.load(scene.identifier)?.1)
            } catch {
                result = .failure(error)
            }
            answer.withLock { $0 = result }
        }
        switch answer.withLock({ $0 }) {
        case .success(let state):
            scene.changeSaved { $0.keep(state) }
            return state
        case .failure(let error): throw .store(error)
        }
    }

    private func send(
        _ handoff: SceneHandoff, _ transport: @escaping @Sendable (SceneHandoff) async throws -> Void
    ) async throws(SceneRefusal) {
        let answer = Lock<Result<Void, any Error>?>(nil)
        let deadline = now.advanced(by: configuration.handOffDeadline)
        _ = await SerialCalls().call(by: deadline, deadlines) {
            do {
                try await transport(handoff)
                answer.withLock { $0 = .success(()) }
            } catch {
                answer.withLock { $0 = .failure(error) }
            }
        }
        switch answer.withLock({ $0 }) {
        case .success?: return
        case .failure(let error)?: throw .handOffFailed(error)
        case nil: throw .handOffFailed("it did not answer in time")
        }
    }

    private func takeBack(_ scene: ServerScene, to before: SceneState) async {
        // In a shared directory the successor may have stored over what was here, and taken it away again.
        if dependencies.store != nil, let state = scene.saved.waiting {
            await store(state, of: scene, by: now.advanced(by: configuration.transitionDeadline))
        }
        guard before == .active || before == .inactive else { return }
        let (ceiling, isFinal) = self.state.withLock { ($0.ceiling, $0.isFinal) }
        let reach = isFinal ? .background : ceiling
        if SceneOrder.rank(reach) ?? 0 < SceneOrder.rank(before)! {
            scene.resumesTo = before
        }
        let target = (SceneOrder.rank(reach) ?? 0) < SceneOrder.rank(before)! ? reach : before
        if target == .active || target == .inactive {
            try? await move(scene, to: target, cause: .handOver)
        }
    }
}
