internal import Synchronization

/// Marks the task that runs a life-cycle callback, so that a change that would wait for itself is refused.
final class LifecycleCallbackToken: Sendable {
    @TaskLocal static var current: LifecycleCallbackToken?

    private let lifecycle: ObjectIdentifier
    private let isRunning = Atomic<Bool>(true)

    init(_ lifecycle: ProcessLifecycle) {
        self.lifecycle = ObjectIdentifier(lifecycle)
    }

    /// Tasks that the callback leaves behind may ask for changes from here on.
    func end() {
        isRunning.store(false, ordering: .relaxed)
    }

    static func isInside(_ lifecycle: ProcessLifecycle) -> Bool {
        guard let current else { return false }
        return current.lifecycle == ObjectIdentifier(lifecycle) && current.isRunning.load(ordering: .relaxed)
    }
}
