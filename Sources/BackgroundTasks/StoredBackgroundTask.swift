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

    /// The background task whose body the present Swift task, or a parent of it, runs: of
    /// ``withBackgroundTask(_:priority:expiry:scene:fileID:line:onExpiration:body:)`` or
    /// ``BackgroundTaskRegistry/start(_:priority:expiry:scene:fileID:line:onExpiration:body:)``, the innermost. Nil outside such a
    /// body. It ends with its body: do not end it.
    public static var current: StoredBackgroundTask? { running }

    @TaskLocal static var running: StoredBackgroundTask?

    /// Tells that the work moves: see ``BackgroundTask/progress()``.
    public func progress() {
        registry.table.noteProgress(identifier.value)
    }

    /// The reason why the task expires; nil if it was not notified yet, and if it has ended. A body that was cancelled finds it
    /// in ``current``. It is nil there if something else cancelled the body.
    public var expiryReason: BackgroundTaskExpiry.Reason? { registry.table.expiryReason(identifier.value) }

    /// Until the deadline: its own or the process's. Nil where there is none; zero where it has passed or the task has ended.
    public var backgroundTimeRemaining: Duration? { registry.backgroundTimeRemaining(of: identifier) }
}
