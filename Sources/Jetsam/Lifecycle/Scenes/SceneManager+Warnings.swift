internal import MemoryPressure

extension SceneManager {
    /// So many scenes are told at a time: memory is short, and tasks take some.
    private static let warningLanes = 8

    /// Tells the observers of all scenes that are not suspended, those of high priority first, each in its turn among its changes.
    ///
    /// - Parameter change: One that is overtaken by another goes to nobody else.
    func warn(of change: LevelChange) async {
        let hasScenes = state.withLock { state in
            state.lastWarning = change.sequence
            return !state.scenes.isEmpty
        }
        guard hasScenes else { return }
        let ordered = scenes.map { (facts($0), $0) }.sorted { SceneOrder.isActivated($0.0, before: $1.0) }.map(\.1)
        let left = Lock(ordered[...])
        await withDiscardingTaskGroup { group in
            for _ in 0..<min(Self.warningLanes, ordered.count) {
                group.addTask { [self] in
                    while let scene = left.withLock({ $0.popFirst() }) { await warn(scene, of: change) }
                }
            }
        }
    }

    private func warn(_ scene: ServerScene, of change: LevelChange) async {
        await scene.turn.acquire()
        defer { scene.turn.release() }
        guard state.withLock({ $0.lastWarning == change.sequence }), scene.sceneState != .suspended,
            let observer = scene.observer
        else { return }
        await call(.didReceiveMemoryWarning, scene, by: now.advanced(by: configuration.transitionDeadline)) {
            await observer.didReceiveMemoryWarning(scene, change)
        }
    }
}
