/// The background tasks that belong to scenes, as far as scenes need them.
protocol SceneTasks: Sendable {
    /// Calls the expiry handlers of all that the scene holds, now.
    func expireAll(of scene: SceneIdentifier)
    /// Ends all that the scene holds.
    func endAll(of scene: SceneIdentifier)
}

extension BackgroundTaskRegistry: SceneTasks {}

/// The background tasks of scenes where there are none.
struct NoSceneTasks: SceneTasks {
    func expireAll(of scene: SceneIdentifier) {}
    func endAll(of scene: SceneIdentifier) {}
}
