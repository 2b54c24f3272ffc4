/// The background-task assertions that belong to scenes, as far as scenes need them.
protocol SceneAssertions: Sendable {
    /// Calls the expiry handlers of all that the scene holds, now.
    func expireAll(of scene: SceneIdentifier)
    /// Ends all that the scene holds.
    func endAll(of scene: SceneIdentifier)
}

extension BackgroundTaskRegistry: SceneAssertions {}

/// The background tasks of scenes where there are none.
struct NoSceneAssertions: SceneAssertions {
    func expireAll(of scene: SceneIdentifier) {}
    func endAll(of scene: SceneIdentifier) {}
}
