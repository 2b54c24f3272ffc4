/// A background task that can be kept in an array, a queue or an actor: it ends when it is ended, or when the last reference to
/// it is gone.
///
/// For work that outlives the call that accepted it: see <doc:BackgroundTasks>. Within one function ``BackgroundTask`` is enough, and
/// costs no allocation.
public final class StoredBackgroundTask: Sendable {
    /// The identifier of the task in the registry.
    package let identifier: BackgroundTaskIdentifier
    private let registry: BackgroundTaskRegistry

    init(_ identifier: BackgroundTaskIdentifier, registry: BackgroundTaskRegistry) {
        self.identifier = identifier
        self.registry = registry
    }

    deinit {
        registry.endBackgroundTask(identifier)
    }

    /// Ends the task. Does nothing the second time.
    public func end() {
        registry.endBackgroundTask(identifier)
    }

    /// Until the deadline: its own or the process's. Nil where there is none; zero where it has passed or the task has ended.
    public var backgroundTimeRemaining: Duration? { registry.backgroundTimeRemaining(of: identifier) }
}
