internal import Synchronization

/// Marks the task that runs a scene's callback, so that a change that would wait for itself is refused.
final class CallbackToken: Sendable {
    @TaskLocal static var current: CallbackToken?

    private let scene: ObjectIdentifier
    private let outer: CallbackToken?
    private let isRunning = Atomic<Bool>(true)

    init(scene: Scene) {
        self.scene = ObjectIdentifier(scene)
        // Tasks that a callback leaves behind carry its token on: only those that still run are kept.
        var token = Self.current
        while let ended = token, !ended.isRunning.load(ordering: .relaxed) { token = ended.outer }
        outer = token
    }

    func end() {
        isRunning.store(false, ordering: .relaxed)
    }

    /// Whether the present task, or one that waits for it, is a callback of `scene` that has not returned.
    static func isInside(_ scene: Scene) -> Bool {
        var token = current
        while let inner = token {
            if inner.scene == ObjectIdentifier(scene), inner.isRunning.load(ordering: .relaxed) { return true }
            token = inner.outer
        }
        return false
    }
}
