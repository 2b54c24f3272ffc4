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
        restorer.observe(by: observer)
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
        await restorer.restoreAll(.init(time: deadline, headroomBytes: headroomBytes), into: self)
    }

    /// Restores what is stored, as ``restoreAll(deadline:headroomBytes:)`` does.
    ///
    /// - Parameter spareBytes: The bytes that can be taken before memory is short, asked before each scene: a scene may take more
    ///   than it was said to.
    @discardableResult
    func restoreAll(spareBytes: @escaping @Sendable () -> Int) async -> SceneRestoration {
        await restorer.restoreAll(.init(spareBytes: spareBytes), into: self)
    }

    /// Restores what an earlier restoration has left for later, as far as room can be made for it now. The manager calls it
    /// when the process becomes active and when the state store can be used again.
    @discardableResult
    public func restorePostponed() async -> SceneRestoration {
        await restorer.restorePostponed(into: self)
    }

    /// Says whether states can be stored: for what the application knows before an attempt fails, such as a key that is not
    /// there yet or a volume that is about to be unmounted.
    ///
    /// While it says no, nothing is read or written. When it says yes, what waits is stored and restored.
    public func stateStoreBecame(available: Bool) async {
        parts.storage.allow(available)
        if available { await catchUp() }
    }

    /// Stores the states that could not be stored, and restores what waits.
    func catchUp() async {
        for scene in scenes where scene.saving.waiting != nil {
            guard !CallbackToken.isInside(scene) else { continue }
            await scene.turn.acquire()
            defer { scene.turn.release() }
            guard let waiting = scene.saving.waiting, canSave else { continue }
            await scene.store(waiting, by: parts.transitionDeadline)
        }
        _ = await restorePostponed()
    }
}
