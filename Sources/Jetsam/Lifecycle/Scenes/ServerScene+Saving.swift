internal import MemoryPressure

extension ServerScene {
    /// Asks for the scene's state and stores it. The caller has the scene's turn.
    ///
    /// - Parameters:
    ///   - deadline: Of the observer.
    ///   - last: Of the store.
    func save(by deadline: MonotonicInstant, storingBy last: MonotonicInstant) async {
        guard parts.store != nil, let encoded = await encode(by: deadline) else { return }
        if let data = encoded.state ?? saving.waiting {
            await store(data, by: last)
        } else {
            saving.isUnchanged()
        }
    }

    /// Stores a state. The caller has the scene's turn.
    func store(_ data: SceneStateData, by deadline: MonotonicInstant) async {
        await saving.store(data, expectedBytes: declaredBytes, by: deadline)
    }

    /// The answer of an observer that was asked for its state.
    private struct EncodedState: Sendable {
        /// Nil where nothing has changed.
        var state: SceneStateData?
    }

    /// Returns the state that the observer encodes; nil where it gave none, which is counted.
    private func encode(by deadline: MonotonicInstant) async -> EncodedState? {
        guard let observer else { return nil }
        let answer = Lock<Result<EncodedState, any Error>?>(nil)
        await call(.encodeState, by: deadline) { [self] in
            do {
                let state = try await observer.encodeState(of: self)
                // Also where nobody waits for it any more: the next answer may be that nothing has changed since.
                if let state { saving.wasEncoded(state) }
                answer.withLock { $0 = .success(EncodedState(state: state)) }
            } catch {
                saving.wasNotEncoded()
                answer.withLock { $0 = .failure(error) }
            }
        }
        switch answer.withLock({ $0 }) {
        case .success(let encoded)?: return encoded
        case .failure(let error)?:
            saving.fail("encoding its state threw: \(String(String(describing: error).prefix(200)).onOneLine)")
        case nil: saving.fail("its state was not encoded in time")
        }
        return nil
    }

    /// The state that a connecting scene begins with; throws where it may not begin without it.
    func storedState(for connection: SceneConnection) async throws(SceneRefusal) -> SceneStateData? {
        let deadline = connection.deadline(parts.now, parts.configuration.connectDeadline)
        guard let handedOver = connection.handedOver else { return try await saving.restore(connection, by: deadline) }
        guard parts.store != nil else { return handedOver }
        // The predecessor lets go of it once this returns, so it has to be safe here first.
        await store(handedOver, by: deadline)
        guard !isUnsaved else { throw .store(.unavailable) }
        return handedOver
    }

    /// The state that a successor gets: what the observer gives, else what is stored.
    func stateToHandOver() async throws(SceneRefusal) -> SceneStateData? {
        let deadline = parts.transitionDeadline
        guard let encoded = await encode(by: deadline) else { throw .missedDeadline(.encodeState) }
        let state: SceneStateData?
        if let own = encoded.state ?? saving.waiting {
            if let error = saving.tooLarge(own) { throw .store(error) }
            state = own
        } else {
            guard parts.store != nil else { return nil }
            do throws(SceneStateStoreError) { state = try await saving.load(by: deadline) } catch {
                throw .store(error)
            }
        }
        // Kept until somebody has it: the observer gives it out only once.
        saving.keep(state)
        return state
    }
}
