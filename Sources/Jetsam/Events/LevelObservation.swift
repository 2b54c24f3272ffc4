/// An observer of level changes that calls a function: cancel it, and it is called no more. Dropping it
/// changes nothing: the manager calls the handler for as long as it runs.
public final class LevelObservation: Sendable {
    private let task: Task<Void, Never>

    init(
        _ changes: LevelChanges, executor: (any TaskExecutor)?,
        handler: @escaping @Sendable (LevelChange) async -> Void
    ) {
        // Listening begins here, not when the task first runs: nothing in between is missed.
        let stream = changes.broadcast.subscribe()
        task = Task(executorPreference: executor) {
            var iterator = LevelChanges.Iterator(base: stream.makeAsyncIterator())
            while let change = await iterator.next() { await handler(change) }
        }
    }

    /// Calls the handler no more; one that is running is not waited for.
    public func cancel() {
        task.cancel()
    }
}
