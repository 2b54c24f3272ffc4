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
        try await scene.handOff(to: transport)
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
}

extension ServerScene {
    /// Hands the scene over to a successor.
    fileprivate func handOff(
        to transport: @escaping @Sendable (SceneHandoff) async throws -> Void
    ) async throws(SceneRefusal) {
        try refuseInside()
        await turn.acquire()
        defer { turn.release() }
        let before = sceneState
        guard before != .disconnected, before != .unattached else { throw .notConnected }
        if before == .active || before == .inactive { try await move(to: .background, cause: .handOver) }
        do throws(SceneRefusal) {
            let state = try await stateToHandOver()
            let handoff = SceneHandoff(
                identifier: identifier, priority: priority, expectedBytes: declaredBytes, state: state)
            try await send(handoff, transport)
        } catch {
            await takeBack(to: before)
            throw error
        }
        let stamp = saving.stamp
        try await move(to: .disconnected, cause: .handOver)
        // Where both share a directory, what is there now may be the successor's.
        if let stamp { await saving.forget(ifStampIs: stamp) }
        parts.log.count(\.handedOver)
    }

    private func send(
        _ handoff: SceneHandoff, _ transport: @escaping @Sendable (SceneHandoff) async throws -> Void
    ) async throws(SceneRefusal) {
        let deadline = parts.now.advanced(by: parts.configuration.handOffDeadline)
        let answer = await SerialCalls().result(by: deadline, parts.deadlines) { () async throws(any Error) in
            try await transport(handoff)
        }
        switch answer {
        case .success?: return
        case .failure(let error)?: throw .handOffFailed(error)
        case nil: throw .handOffFailed("it did not answer in time")
        }
    }

    /// Brings the scene back to where it was: the successor has not taken it.
    private func takeBack(to before: SceneState) async {
        // In a shared directory the successor may have stored over what was here, and taken it away again.
        if let state = saving.waiting { await store(state, by: parts.transitionDeadline) }
        guard before == .active || before == .inactive else { return }
        let reach = manager?.ceiling.reach ?? .background
        let isHeldDown = (SceneOrder.rank(reach) ?? 0) < SceneOrder.rank(before)!
        if isHeldDown { resumesTo = before }
        let target = isHeldDown ? reach : before
        if target == .active || target == .inactive { try? await move(to: target, cause: .handOver) }
    }
}
