/// An observer of the process's life cycle: cancel it, and it is called no more. Dropping it changes nothing: the manager
/// keeps the observer.
public final class LifecycleObservation: Sendable {
    private let onCancel: @Sendable () -> Void

    init(onCancel: @escaping @Sendable () -> Void) {
        self.onCancel = onCancel
    }

    /// Calls the observer no more; a call that is running is not waited for.
    public func cancel() {
        onCancel()
    }
}
