extension SceneManager {
    /// The number of times that a scene which is going away meanwhile is connected anew.
    private static let attempts = 3

    /// The scene of that name, serving: one that is connected or was restored is activated, else it is connected.
    ///
    /// - Parameters:
    ///   - identifier: The name of the scene.
    ///   - expectedBytes: The bytes that it will take outside of its caches, where it has to be connected.
    ///   - priority: Its band, where it has to be connected.
    ///   - targets: The targets that it is activated for, where it has to be connected.
    ///   - executor: The executor of its callbacks, where it has to be connected; nil for the global concurrent executor.
    ///   - observer: Makes its observer, where it has to be connected.
    /// - Throws: ``SceneRefusal`` where it does not serve.
    public func scene(
        for identifier: SceneIdentifier, expectedBytes: Int = 0, priority: ResourcePriority = .normal,
        targets: SceneTargets = SceneTargets(), on executor: (any TaskExecutor)? = nil,
        observer: () -> any SceneObserver
    ) async throws(SceneRefusal) -> ServerScene {
        var attempt = 1
        while true {
            do throws(SceneRefusal) {
                if let scene = self[identifier] {
                    try await scene.activate()
                    return scene
                }
                return try await connect(
                    identifier, expectedBytes: expectedBytes, priority: priority, targets: targets, on: executor,
                    observer: observer())
            } catch {
                // It was on its way out, or somebody else connected it first.
                guard error == .notConnected || error == .alreadyConnected, attempt < Self.attempts else { throw error }
                attempt += 1
            }
        }
    }
}
