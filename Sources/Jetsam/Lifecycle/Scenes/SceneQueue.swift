internal import MemoryPressure

/// Scenes that are called in order, several at a time, each in its turn among its own changes.
final class SceneQueue: Sendable {
    /// So many at a time that ten thousand scenes are not ten thousand tasks at once; one that is stuck keeps nobody from the
    /// next. A store that writes 64 states together has as many that wait meanwhile.
    static let lanes = 128

    /// The number of scenes in all.
    let count: Int
    private let left: Lock<ArraySlice<ServerScene>>

    init(_ scenes: [ServerScene]) {
        count = scenes.count
        left = Lock(scenes[...])
    }

    /// The number of scenes that nobody has begun with.
    var leftCount: Int { left.withLock { $0.count } }

    /// Calls `body` for each scene. Returns when all calls have returned.
    func run(lanes: Int = SceneQueue.lanes, _ body: @escaping @Sendable (ServerScene) async -> Void) async {
        await withDiscardingTaskGroup { group in
            for _ in 0..<min(lanes, count) {
                group.addTask { [self] in
                    while let scene = left.withLock({ $0.popFirst() }) {
                        await scene.turn.acquire()
                        await body(scene)
                        scene.turn.release()
                    }
                }
            }
        }
    }
}

/// The memory warnings that scenes are told.
final class SceneWarnings: Sendable {
    /// So many scenes are told at a time: memory is short, and tasks take some.
    private static let lanes = 8

    /// The number of the warning that came last.
    private let latest = Lock<UInt64?>(nil)

    /// Tells the observers of all scenes that are not suspended, in the given order.
    ///
    /// - Parameters:
    ///   - change: One that is overtaken by another goes to nobody else.
    ///   - scenes: Gives the scenes, those of high priority first.
    func tell(_ change: LevelChange, to scenes: () -> [ServerScene]) async {
        latest.withLock { $0 = change.sequence }
        await SceneQueue(scenes()).run(lanes: Self.lanes) { [self] scene in
            guard latest.withLock({ $0 == change.sequence }) else { return }
            await scene.warn(of: change)
        }
    }
}
