internal import Logging
internal import MemoryPressure

extension SceneManager {
    /// Asks a scene for its state and stores it. The caller has its turn.
    ///
    /// - Parameters:
    ///   - deadline: Of the observer.
    ///   - last: Of the store.
    func save(_ scene: ServerScene, by deadline: MonotonicInstant, storingBy last: MonotonicInstant) async {
        guard dependencies.store != nil else { return }
        guard let encoded = await encode(scene, by: deadline) else { return }
        if let data = encoded.state ?? scene.saved.waiting {
            await store(data, of: scene, by: last)
        } else {
            scene.changeSaved { $0.isUnchanged() }
        }
    }

    struct EncodedState: Sendable {
        /// Nil where nothing has changed.
        var state: SceneStateData?
    }

    /// Returns the state that the observer encodes; nil where it gave none, which is counted.
    func encode(_ scene: ServerScene, by deadline: MonotonicInstant) async -> EncodedState? {
        guard let observer = scene.observer else { return nil }
        let answer = Lock<Result<EncodedState, any Error>?>(nil)
        await call(.encodeState, scene, by: deadline) { [maximum = configuration.maximumStateBytes] in
            do {
                let state = try await observer.encodeState(of: scene)
                // Also where nobody waits for it any more: the next answer may be that nothing has changed since.
                if let state { scene.changeSaved { $0.wasEncoded(state, maximumBytes: maximum) } }
                answer.withLock { $0 = .success(EncodedState(state: state)) }
            } catch {
                scene.changeSaved { $0.wasNotEncoded() }
                answer.withLock { $0 = .failure(error) }
            }
        }
        switch answer.withLock({ $0 }) {
        case .success(let encoded)?: return encoded
        case .failure(let error)?:
            failed(scene, "encoding its state threw: \(String(String(describing: error).prefix(200)).onOneLine)")
        case nil: failed(scene, "its state was not encoded in time")
        }
        return nil
    }

    func store(_ data: SceneStateData, of scene: ServerScene, by deadline: MonotonicInstant) async {
        guard let store = dependencies.store else { return }
        guard data.bytes.count <= configuration.maximumStateBytes else {
            let error = SceneStateStoreError.tooLarge(
                bytes: data.bytes.count, maximum: configuration.maximumStateBytes)
            return failed(scene, "\(error)")
        }
        let stored = StoredScene(
            identifier: scene.identifier, priority: scene.priority, expectedBytes: scene.declaredBytes,
            stamp: .random(in: .min ... .max))
        scene.changeSaved { $0.willBeStored(data) }
        guard !state.withLock({ $0.storeIsDenied }) else { return failed(scene, "the state store is not available") }
        let outcome = await scene.storing.call(by: deadline, deadlines) { [self] in
            do throws(SceneStateStoreError) {
                let began = now
                try await store.save(stored, data)
                dependencies.gauges.noteStoringTime(began.duration(to: now))
                saved(scene, stored, data)
            } catch {
                failed(scene, "its state was not stored: \(error)")
                if error.isUnavailability { noteStore(hasFailed: true, "\(error)") }
            }
        }
        if case .late = outcome { noteLate(.storeState, scene) }
    }

    private func saved(_ scene: ServerScene, _ stored: StoredScene, _ data: SceneStateData) {
        scene.changeSaved { $0.wasStored(data, stamp: stored.stamp) }
        count { $0.saves += 1 }
        noteStore(hasFailed: false, "a state was stored")
    }

    func failed(_ scene: ServerScene, _ reason: String) {
        scene.changeSaved { $0.wasNotStored() }
        count { $0.failedSaves += 1 }
        warn("Scene '\(scene.identifier)': \(reason)")
    }

    /// Forgets what is stored of a scene that is gone.
    func forget(_ scene: ServerScene, ifStampIs stamp: UInt64? = nil) async {
        guard let store = dependencies.store else { return }
        let deadline = now.advanced(by: configuration.transitionDeadline)
        _ = await scene.storing.call(by: deadline, deadlines) { [logger] in
            do throws(SceneStateStoreError) {
                try await store.remove(scene.identifier, stamp: stamp)
            } catch {
                logger.warning("Scene '\(scene.identifier)': its stored state could not be removed: \(error)")
            }
        }
    }

    /// Notes what an attempt to write has shown; observers are told of a change.
    func noteStore(hasFailed: Bool, _ reason: String) {
        let (before, after) = state.withLock { state in
            let before = !state.storeIsDenied && !state.storeHasFailed
            state.storeHasFailed = hasFailed
            return (before, !state.storeIsDenied && !state.storeHasFailed)
        }
        guard before != after else { return }
        announceStore(isAvailable: after, reason)
        if after { Task { await catchUp() } }
    }

    func announceStore(isAvailable: Bool, _ reason: String) {
        if isAvailable {
            logger.notice("The state store is available again: \(reason)")
        } else {
            logger.warning("The state store is not available: \(reason)")
        }
        dependencies.storeAvailability(isAvailable)
    }

    /// Says whether states can be stored: for what the application knows before an attempt fails, such as a key that is not
    /// there yet or a volume that is about to be unmounted.
    ///
    /// While it says no, nothing is read or written. When it says yes, what waits is stored and restored.
    public func stateStoreBecame(available: Bool) async {
        let (before, after) = state.withLock { state in
            let before = !state.storeIsDenied && !state.storeHasFailed
            state.storeIsDenied = !available
            if available { state.storeHasFailed = false }
            return (before, available)
        }
        if before != after { announceStore(isAvailable: after, "the application says so") }
        if available { await catchUp() }
    }

    /// Stores the states that could not be stored, and restores what waits.
    func catchUp() async {
        for scene in scenes where scene.saved.waiting != nil {
            guard !CallbackToken.isInside(scene) else { continue }
            await scene.turn.acquire()
            defer { scene.turn.release() }
            guard let waiting = scene.saved.waiting, canSave else { continue }
            await store(waiting, of: scene, by: now.advanced(by: configuration.transitionDeadline))
        }
        _ = await restorePostponed()
    }
}
