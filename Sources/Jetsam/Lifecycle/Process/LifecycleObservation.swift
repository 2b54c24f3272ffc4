/// An observer of the process's life cycle: cancel it or drop it, and it is called no more.
public final class LifecycleObservation: Sendable {
    private let onCancel: @Sendable () -> Void

    init(onCancel: @escaping @Sendable () -> Void) {
        self.onCancel = onCancel
    }

    deinit {
        onCancel()
    }

    /// Calls the observer no more; a call that is running is not waited for.
    public func cancel() {
        onCancel()
    }
}
