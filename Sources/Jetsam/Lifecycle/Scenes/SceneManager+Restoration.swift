internal import Logging
internal import MemoryPressure

/// The results of a restoration.
public struct SceneRestoration: Sendable, Equatable {
    /// Scenes that stand in the background again.
    public var restored: [SceneIdentifier] = []
    /// Scenes for which there was no time or room yet, or whose store cannot be used now: they come later.
    public var postponed: [SceneIdentifier] = []
    /// Scenes whose restoration was under way in too many starts that crashed. They can be connected explicitly.
    public var skipped: [SceneIdentifier] = []
    /// Scenes that could not be restored, with the reason. Their stored states stay.
    public var failed: [SceneIdentifier: SceneRefusal] = [:]

    /// Nothing.
    public init() {}
}

extension SceneManager {
    /// Says who observes scenes that are restored. Without it nothing is restored.
    ///
    /// - Parameter observer: Called for each stored scene; nil leaves that one stored.
    public func restoreScenes(observedBy observer: @escaping @Sendable (StoredScene) -> (any SceneObserver)?) {
        let before = state.withLock { state in
            defer { state.observerForRestoring = observer }
            return state.observerForRestoring
        }
        _ = before
    }

    /// Restores the stored scenes into the background: those of high priority first, one at a time. Meant for the launch,
    /// before the process is ready. Scenes that do not fit wait until it is ready.
    ///
    /// One at a time, because a crash must say whose restoration it was.
    /// - Parameters:
    ///   - deadline: The time that it may take in all; nil for the configured time.
    ///   - headroomBytes: The bytes that it may take, by what the scenes took when they were stored; nil for no bound.
    /// - Returns: The result for each scene.
    @discardableResult
    public func restoreAll(deadline: Duration? = nil, headroomBytes: Int? = nil) async -> SceneRestoration {
        await restoreStored(deadline: deadline, headroomBytes: headroomBytes, hasRoom: true)
    }

    /// Restores what is stored, as ``restoreAll(deadline:headroomBytes:)`` does.
    ///
    /// - Parameter spareBytes: The bytes that can be taken before memory is short, asked before each scene: a scene may take more
    ///   than it was said to.
    @discardableResult
    func restoreAll(spareBytes: @escaping @Sendable () -> Int) async -> SceneRestoration {
        await restoreStored(spareBytes: spareBytes, hasRoom: true)
    }

    /// - Parameter hasRoom: True where there is room for as much; otherwise it is made for each.
    private func restoreStored(
        deadline: Duration? = nil, headroomBytes: Int? = nil, spareBytes: (@Sendable () -> Int)? = nil, hasRoom: Bool
    ) async -> SceneRestoration {
        guard let store = dependencies.store, state.withLock({ $0.observerForRestoring != nil }) else {
            return SceneRestoration()
        }
        await restorationTurn.acquire()
        defer { restorationTurn.release() }
        let end = now.advanced(by: deadline ?? configuration.restorationDeadline)
        state.withLock { $0.restorationIsDue = true }
        guard canSave, let stored = await list(store, by: end) else { return SceneRestoration() }
        var room = headroomBytes
        var result = SceneRestoration()
        for (index, scene) in stored.enumerated() {
            // If one has no room or time, all later ones wait too: else many small ones would take its place.
            let spare = spareBytes?() ?? .max
            guard now < end, scene.expectedBytes <= min(room ?? .max, spare) else {
                result.postponed = stored[index...].map(\.identifier)
                postpone(Array(stored[index...]))
                break
            }
            if await restore(scene, hasRoom: hasRoom, by: end, &result) { room? -= scene.expectedBytes }
        }
        return result
    }

    /// Restores what an earlier restoration has left for later, as far as room can be made for it now. The manager calls it
    /// when the process becomes active and when the state store can be used again.
    @discardableResult
    public func restorePostponed() async -> SceneRestoration {
        if state.withLock({ $0.restorationIsDue }) { return await restoreStored(hasRoom: false) }
        guard hasPostponed, canSave else { return SceneRestoration() }
        // A scene that is tried now may be postponed again if the room is not enough.
        await restorationTurn.acquire()
        defer { restorationTurn.release() }
        let waiting = state.withLock { state in
            defer { state.postponed = [] }
            state.areTried = true
            return state.postponed
        }
        defer { state.withLock { $0.areTried = false } }
        var result = SceneRestoration()
        for scene in waiting { await restore(scene, hasRoom: false, by: nil, &result) }
        return result
    }

    private func list(_ store: any SceneStateStore, by end: MonotonicInstant) async -> [StoredScene]? {
        let answer = Lock<Result<[StoredScene], SceneStateStoreError>>(.failure(.unavailable))
        _ = await SerialCalls().call(by: end, deadlines) { [limit = configuration.maximumCount] in
            let result: Result<[StoredScene], SceneStateStoreError>
            do throws(SceneStateStoreError) {
                result = .success(try await store.list(limit: limit))
            } catch {
                result = .failure(error)
            }
            answer.withLock { $0 = result }
        }
        switch answer.withLock({ $0 }) {
        case .success(let scenes):
            state.withLock { state in
                state.restorationIsDue = false
                state.postponed = []
            }
            return SceneOrder.byRestoration(scenes)
        case .failure(let error):
            logger.warning("The stored scenes cannot be listed: \(error)")
            return nil
        }
    }

    /// Restores a scene. Returns whether it is restored.
    @discardableResult
    private func restore(
        _ scene: StoredScene, hasRoom: Bool, by end: MonotonicInstant?, _ result: inout SceneRestoration
    ) async -> Bool {
        let observer = state.withLock { $0.observerForRestoring }?(scene)
        guard let observer, self[scene.identifier] == nil else { return false }
        let connection = SceneConnection(
            identifier: scene.identifier, origin: .restoration, expectedBytes: scene.expectedBytes,
            priority: scene.priority, observer: observer, hasRoom: hasRoom, latest: end)
        do throws(SceneRefusal) {
            _ = try await connect(connection)
            result.restored.append(scene.identifier)
            return true
        } catch {
            if error.isForCrashLoop {
                result.skipped.append(scene.identifier)
            } else if error.isForWantOfRoom || error.storeError?.isUnavailability == true {
                result.postponed.append(scene.identifier)
                postpone([scene])
            } else {
                result.failed[scene.identifier] = error
            }
            return false
        }
    }

    private func postpone(_ scenes: [StoredScene]) {
        state.withLock { $0.postponed += scenes }
    }
}
