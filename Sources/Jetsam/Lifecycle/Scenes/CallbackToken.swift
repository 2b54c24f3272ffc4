internal import MemoryPressure
internal import Synchronization

/// Marks the task that runs a scene's callback, so that a change that would wait for itself is refused: of the scene, or of the
/// process, which takes its scenes along.
final class CallbackToken: Sendable {
    @TaskLocal static var current: CallbackToken?

    private let scene: ObjectIdentifier
    private let manager: ObjectIdentifier
    private let outer: CallbackToken?
    private let deadline: MonotonicInstant?
    private let isRunning = Atomic<Bool>(true)

    /// - Parameter deadline: When the callback of a change is waited for no longer; nil for a callback of no change.
    init(scene: Scene, of manager: SceneManager, deadline: MonotonicInstant? = nil) {
        self.deadline = deadline
        self.scene = ObjectIdentifier(scene)
        self.manager = ObjectIdentifier(manager)
        // Tasks that a callback leaves behind carry its token on: only those that still run are kept.
        var token = Self.current
        while let ended = token, !ended.isRunning.load(ordering: .relaxed) { token = ended.outer }
        outer = token
    }

    /// Runs a callback, which is marked for as long as it does.
    func hold(_ body: @Sendable () async -> Void) async {
        await Self.$current.withValue(self) { await body() }
        isRunning.store(false, ordering: .relaxed)
    }

    /// Whether the present task, or one that waits for it, is a callback of `scene` that has not returned.
    static func isInside(_ scene: Scene) -> Bool {
        isInside { $0.scene == ObjectIdentifier(scene) }
    }

    /// Whether the present task, or one that waits for it, is a callback of any scene of `manager` that has not returned.
    static func isInside(_ manager: SceneManager) -> Bool {
        isInside { $0.manager == ObjectIdentifier(manager) }
    }

    private static func isInside(_ matches: (CallbackToken) -> Bool) -> Bool {
        var token = current
        while let inner = token {
            if matches(inner), inner.isRunning.load(ordering: .relaxed) { return true }
            token = inner.outer
        }
        return false
    }

    /// When the callback of a scene's change that the present task runs is waited for no longer; nil where it runs none.
    static var deadline: MonotonicInstant? {
        guard let current, current.isRunning.load(ordering: .relaxed) else { return nil }
        return current.deadline
    }
}
