internal import MemoryPressure
internal import Synchronization

/// Marks the task that runs a life-cycle callback, so that a change that would wait for itself is refused.
final class LifecycleCallbackToken: Sendable {
    @TaskLocal static var current: LifecycleCallbackToken?

    private let lifecycle: ObjectIdentifier
    private let isRunning = Atomic<Bool>(true)

    private let deadline: (@Sendable () -> MonotonicInstant)?

    /// - Parameter deadline: When the callback of a change is waited for no longer; nil for a callback of no change.
    init(_ lifecycle: ProcessLifecycle, deadline: (@Sendable () -> MonotonicInstant)?) {
        self.lifecycle = ObjectIdentifier(lifecycle)
        self.deadline = deadline
    }

    /// Tasks that the callback leaves behind may ask for changes from here on.
    func end() {
        isRunning.store(false, ordering: .relaxed)
    }

    static func isInside(_ lifecycle: ProcessLifecycle) -> Bool {
        guard let current else { return false }
        return current.lifecycle == ObjectIdentifier(lifecycle) && current.isRunning.load(ordering: .relaxed)
    }

    /// When the callback of a change that the present task runs is waited for no longer; nil where it runs none.
    static var deadline: MonotonicInstant? {
        guard let current, current.isRunning.load(ordering: .relaxed) else { return nil }
        return current.deadline?()
    }
}
