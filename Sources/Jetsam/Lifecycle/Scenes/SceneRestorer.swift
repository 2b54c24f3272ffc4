internal import Logging
internal import MemoryPressure

/// The restoration of stored scenes: one at a time, because a crash must say whose restoration it was.
final class SceneRestorer: Sendable {
    private struct State {
        var progress = RestorationProgress()
        /// Says who observes scenes that are restored.
        var observer: (@Sendable (StoredScene) -> (any SceneObserver)?)?
    }

    /// The bounds of a restoration.
    struct Bounds: Sendable {
        /// The time that it may take in all; nil for the configured time.
        var time: Duration?
        /// The bytes that it may take, by what the scenes took when they were stored; nil for no bound.
        var headroomBytes: Int?
        /// The bytes that can be taken before memory is short, asked before each scene; nil where nobody knows.
        var spareBytes: (@Sendable () -> Int)?
        /// True where there is room for as much; otherwise it is made for each.
        var hasRoom = true
    }

    private let parts: SceneParts
    private let state = Lock(State())
    private let turn = AsyncTurn()

    init(_ parts: SceneParts) {
        self.parts = parts
    }

    /// The progress at this moment.
    var progress: RestorationProgress { state.withLock { $0.progress } }

    /// Says who observes scenes that are restored.
    func observe(by observer: @escaping @Sendable (StoredScene) -> (any SceneObserver)?) {
        let before = state.withLock { state in
            defer { state.observer = observer }
            return state.observer
        }
        _ = before
    }

    /// Restores what is stored, as far as it fits within `bounds`.
    func restoreAll(_ bounds: Bounds, into manager: SceneManager) async -> SceneRestoration {
        guard let store = parts.store, state.withLock({ $0.observer != nil }) else { return SceneRestoration() }
        await turn.acquire()
        defer { turn.release() }
        return await restoreAll(bounds, from: store, into: manager)
    }

    /// Restores what an earlier restoration has left for later, as far as room can be made for it now.
    func restorePostponed(into manager: SceneManager) async -> SceneRestoration {
        let bounds = Bounds(hasRoom: false)
        if progress.isListingDue { return await restoreAll(bounds, into: manager) }
        guard let store = parts.store, progress.hasPostponed, parts.storage.canSave else { return SceneRestoration() }
        // A scene that is tried now may be postponed again if the room is not enough.
        await turn.acquire()
        defer { turn.release() }
        guard let waiting = state.withLock({ $0.progress.takePostponed() }) else {
            return await restoreAll(bounds, from: store, into: manager)
        }
        defer { state.withLock { $0.progress.wasTried() } }
        var result = SceneRestoration()
        for scene in waiting { await restore(scene, hasRoom: false, by: nil, into: manager, &result) }
        return result
    }

    /// Restores what is stored. The caller has the turn.
    private func restoreAll(
        _ bounds: Bounds, from store: any SceneStateStore, into manager: SceneManager
    ) async -> SceneRestoration {
        let end = parts.now.advanced(by: bounds.time ?? parts.configuration.restorationDeadline)
        state.withLock { $0.progress.begin() }
        guard parts.storage.canSave, let stored = await list(store, by: end) else { return SceneRestoration() }
        var room = bounds.headroomBytes
        var result = SceneRestoration()
        for (index, scene) in stored.enumerated() {
            // If one has no room or time, all later ones wait too: else many small ones would take its place.
            let spare = bounds.spareBytes?() ?? .max
            guard parts.now < end, scene.expectedBytes <= min(room ?? .max, spare) else {
                result.postponed = stored[index...].map(\.identifier)
                state.withLock { $0.progress.postpone(Array(stored[index...])) }
                break
            }
            let isRestored = await restore(scene, hasRoom: bounds.hasRoom, by: end, into: manager, &result)
            if isRestored { room? -= scene.expectedBytes }
        }
        return result
    }

    private func list(_ store: any SceneStateStore, by end: MonotonicInstant) async -> [StoredScene]? {
        let limit = parts.configuration.maximumCount
        let result = await SerialCalls().result(by: end, parts.deadlines) { () async throws(SceneStateStoreError) in
            try await store.list(limit: limit)
        }
        switch result ?? .failure(.unavailable) {
        case .success(let scenes):
            state.withLock { $0.progress.wasListed() }
            return SceneOrder.byRestoration(scenes)
        case .failure(let error):
            parts.log.logger.warning("The stored scenes cannot be listed: \(error)")
            return nil
        }
    }

    /// Restores a scene. Returns whether it is restored.
    @discardableResult
    private func restore(
        _ scene: StoredScene, hasRoom: Bool, by end: MonotonicInstant?, into manager: SceneManager,
        _ result: inout SceneRestoration
    ) async -> Bool {
        let observer = state.withLock { $0.observer }?(scene)
        guard let observer, manager[scene.identifier] == nil else { return false }
        let connection = SceneConnection(
            identifier: scene.identifier, origin: .restoration, expectedBytes: scene.expectedBytes,
            priority: scene.priority, observer: observer, hasRoom: hasRoom, latest: end)
        do throws(SceneRefusal) {
            _ = try await manager.connect(connection)
            result.restored.append(scene.identifier)
            return true
        } catch {
            if error.isForCrashLoop {
                result.skipped.append(scene.identifier)
            } else if error.isForWantOfRoom || error.storeError?.isUnavailability == true {
                result.postponed.append(scene.identifier)
                state.withLock { $0.progress.postpone([scene]) }
            } else {
                result.failed[scene.identifier] = error
            }
            return false
        }
    }
}
