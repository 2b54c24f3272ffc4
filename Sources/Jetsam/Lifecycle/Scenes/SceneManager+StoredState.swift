internal import Logging
internal import MemoryPressure

extension SceneManager {
    /// The state that a connecting scene begins with; throws where it may not begin without it.
    func storedState(_ scene: ServerScene, _ connection: SceneConnection) async throws(SceneRefusal) -> SceneStateData?
    {
        guard let store = dependencies.store else { return connection.handedOver }
        if let handedOver = connection.handedOver {
            // The predecessor lets go of it once this returns, so it has to be safe here first.
            let deadline = connection.deadline(now, configuration.connectDeadline)
            await self.store(handedOver, of: scene, by: deadline)
            guard !scene.isUnsaved else { throw .store(.unavailable) }
            return handedOver
        }
        guard connection.restoration.code != .none else { return nil }
        guard !state.withLock({ $0.storeIsDenied }) else { throw .store(.unavailable) }
        let answer = Lock<(result: Result<StoredState, SceneStateStoreError>?, isLate: Bool)>((nil, false))
        let deadline = connection.deadline(now, configuration.connectDeadline)
        let outcome = await scene.storing.call(by: deadline, deadlines) { [self] in
            let result: Result<StoredState, SceneStateStoreError>
            do throws(SceneStateStoreError) {
                result = .success(try await read(scene, connection, from: store))
            } catch {
                result = .failure(error)
            }
            let isLate = answer.withLock { answer in
                answer.result = result
                return answer.isLate
            }
            // Nobody restores it now, and the mark would count as a crash.
            if isLate, case .success(.state) = result { await endRestoration(of: scene) }
        }
        if case .late = outcome { noteLate(.storeState, scene) }
        let result = answer.withLock { answer in
            answer.isLate = answer.result == nil
            return answer.result
        }
        return try judge(result ?? .failure(.unavailable), scene)
    }

    private enum StoredState: Sendable {
        case none
        case state(SceneStateData)
        /// Restoring it was under way in so many starts that crashed.
        case crashLoop(Int)
    }

    private func judge(
        _ result: Result<StoredState, SceneStateStoreError>, _ scene: ServerScene
    ) throws(SceneRefusal) -> SceneStateData? {
        switch result {
        case .success(.none): return nil
        case .success(.state(let data)): return data
        case .success(.crashLoop(let starts)):
            count { $0.skippedRestores += 1 }
            throw .crashLoop(starts)
        case .failure(let error):
            count { $0.failedRestores += 1 }
            // What is damaged lies aside by now; beginning without it overwrites nothing.
            guard error.isDamage else { throw .store(error) }
            logger.warning("Scene '\(scene.identifier)': its stored state is \(error); it was kept aside")
            return nil
        }
    }

    private func read(
        _ scene: ServerScene, _ connection: SceneConnection, from store: any SceneStateStore
    ) async throws(SceneStateStoreError) -> StoredState {
        guard let (stored, data) = try await store.load(scene.identifier) else { return .none }
        let crashed = try await store.unfinishedRestorations(of: scene.identifier)
        if connection.restoration.code == .automatic, crashed >= configuration.crashedStarts {
            return .crashLoop(crashed)
        }
        // The mark that a crash would leave behind.
        do throws(SceneStateStoreError) {
            _ = try await store.beginRestoration(of: scene.identifier)
        } catch {
            if error.isUnavailability { noteStore(hasFailed: true, "\(error)") }
            // A client need not wait for a disk that is full; restoration does.
            guard error.isUnavailability, connection.origin != .restoration else { throw error }
        }
        scene.changeSaved { $0.wasRead(stamp: stored.stamp) }
        return .state(data)
    }

    func endRestoration(of scene: ServerScene) async {
        guard let store = dependencies.store else { return }
        do throws(SceneStateStoreError) {
            try await store.endRestoration(of: scene.identifier)
        } catch {
            logger.warning("Scene '\(scene.identifier)': the mark of its restoration stays: \(error)")
        }
    }
}
