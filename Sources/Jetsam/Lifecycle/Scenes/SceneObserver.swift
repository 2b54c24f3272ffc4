/// The callbacks of a scene. All of them have defaults that do nothing.
///
/// Calls for one scene come one at a time, in the order of the changes. Each runs in a task on the executor that was named when
/// the scene connected, and under no lock. Each has a deadline; one that misses it is cancelled, recorded and named in a log
/// line, and the change goes on without it. The next is not called before it has returned: one that never returns is called no
/// more. A change of the same scene, or of the process's state, cannot be awaited from inside: it is refused.
public protocol SceneObserver: Sendable {
    /// The scene connects. Make what it needs, from its stored state where there is one.
    ///
    /// If it throws or misses its deadline, the connection is refused.
    func willConnect(_ scene: ServerScene, restoring state: SceneStateData?) async throws
    /// The scene serves now.
    func didBecomeActive(_ scene: ServerScene, _ transition: SceneTransition) async
    /// The scene is about to stop serving. Its state is asked for next.
    func willResignActive(_ scene: ServerScene, _ transition: SceneTransition) async
    /// The scene stands in the background. Nothing is owed to it after this: it may be suspended, lost or killed.
    func didEnterBackground(_ scene: ServerScene, _ transition: SceneTransition) async
    /// The scene is about to leave the background.
    func willEnterForeground(_ scene: ServerScene, _ transition: SceneTransition) async
    /// The scene is about to be taken away, because memory is short or the process ends. A suspended one is not told beforehand.
    func willTerminate(_ scene: ServerScene, _ transition: SceneTransition) async
    /// The scene is gone: as the application asked, handed over, or, where it was suspended, taken away. Clean up what it shared. It can
    /// be connected again.
    func didDisconnect(_ scene: ServerScene, _ transition: SceneTransition) async
    /// Memory is short, or still is: free what can be made again. Called beside the changes, in their order; a suspended scene is
    /// not told.
    func didReceiveMemoryWarning(_ scene: ServerScene, _ change: LevelChange) async
    /// The state to store; nil where nothing has changed since it was asked for last. Called at each step down: resigning,
    /// entering the background, suspension.
    ///
    /// Longer states than ``ManagerConfiguration/Scenes/maximumStateBytes`` are not stored, which is recorded.
    func encodeState(of scene: ServerScene) async throws -> SceneStateData?
}

extension SceneObserver {
    /// Does nothing.
    public func willConnect(_ scene: ServerScene, restoring state: SceneStateData?) async throws {}
    /// Does nothing.
    public func didBecomeActive(_ scene: ServerScene, _ transition: SceneTransition) async {}
    /// Does nothing.
    public func willResignActive(_ scene: ServerScene, _ transition: SceneTransition) async {}
    /// Does nothing.
    public func didEnterBackground(_ scene: ServerScene, _ transition: SceneTransition) async {}
    /// Does nothing.
    public func willEnterForeground(_ scene: ServerScene, _ transition: SceneTransition) async {}
    /// Does nothing.
    public func willTerminate(_ scene: ServerScene, _ transition: SceneTransition) async {}
    /// Does nothing.
    public func didDisconnect(_ scene: ServerScene, _ transition: SceneTransition) async {}
    /// Does nothing.
    public func didReceiveMemoryWarning(_ scene: ServerScene, _ change: LevelChange) async {}
    /// Has no state.
    public func encodeState(of scene: ServerScene) async throws -> SceneStateData? { nil }
}

/// The callbacks by name, for logs and statistics.
enum SceneCallback: String, Sendable, CaseIterable {
    case willConnect, didBecomeActive, willResignActive, didEnterBackground, willEnterForeground, willTerminate
    case didDisconnect, didReceiveMemoryWarning, encodeState
    /// Not the observer's: the store was asked to write.
    case storeState
    /// Not the observer's: a cache's handlers were called.
    case cacheHandlers

    /// Indicates whether the callback belongs to a change of the scene's state: what it begins has its deadline.
    var isOfAChange: Bool { self != .willConnect && self != .didReceiveMemoryWarning && self != .cacheHandlers }
}
