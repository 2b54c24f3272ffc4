public import JetsamSystem

extension BackgroundTaskRegistry {
    /// Runs `body` as a child task that holds a background task for as long as it takes.
    ///
    /// When it expires, the child task is cancelled, that and nothing else of the caller's, and `onExpiration` is called.
    /// A body that heeds its cancellation ends in time; one that does not goes on and is reported as overdue after its grace.
    /// The body finds its task in ``StoredBackgroundTask/current``: it tells progress there, and reads why it was cancelled.
    /// Nested and overlapping ones are independent of each other.
    ///
    /// - Parameters:
    ///   - name: The name in logs and reports.
    ///   - priority: Lower ones are refused first and expire first when memory is short.
    ///   - expiry: The time when it expires if the body has not returned.
    ///   - scene: The scene that it belongs to.
    ///   - fileID: The file where it is begun; leave it to the compiler.
    ///   - line: The line where it is begun; leave it to the compiler.
    ///   - onExpiration: Called once when it expires, on a thread of the registry's, when the child task was cancelled.
    ///   - body: The work. It runs in a child task, on whatever executor such a task has.
    /// - Returns: The result of the body, also after it expired.
    /// - Throws: ``BackgroundTaskRefusal`` where it may not begin, and the body is not run; otherwise any error that the body
    ///   throws.
    public func withBackgroundTask<Result: Sendable>(
        _ name: BackgroundTaskName, priority: ResourcePriority = .normal,
        expiry: BackgroundTaskExpiry = .atTermination, scene: SceneIdentifier? = nil, fileID: StaticString = #fileID,
        line: UInt = #line, onExpiration: @escaping @Sendable () -> Void = {},
        body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let signal = ExpirySignal()
        let task = try begin(signal, name, priority, expiry, scene, fileID, line, onExpiration)
        defer { task.end() }
        return try await signal.run(body, holding: task)
    }

    /// Begins a background task now and runs `body` in a Swift task of its own, which the background task lasts as long as: for a
    /// request that is answered before its work is done.
    ///
    /// When it expires, the body is cancelled, and `onExpiration` is called. A body that heeds its cancellation ends in time;
    /// one that does not goes on and is reported as overdue after its grace. It finds its task in
    /// ``StoredBackgroundTask/current``: it tells progress there, and reads why it was cancelled.
    ///
    /// - Parameters:
    ///   - name: The name in logs and reports.
    ///   - priority: Lower ones are refused first and expire first when memory is short.
    ///   - expiry: The time when it expires if the body has not returned.
    ///   - scene: The scene that it belongs to.
    ///   - fileID: The file where it is begun; leave it to the compiler.
    ///   - line: The line where it is begun; leave it to the compiler.
    ///   - onExpiration: Called once when it expires, on a thread of the registry's, when the body was cancelled.
    ///   - body: The work. It runs on the global concurrent executor, unless it is isolated otherwise.
    /// - Returns: The Swift task. It can be cancelled, and be waited for. If nobody awaits it, an error of the body is lost.
    /// - Throws: ``BackgroundTaskRefusal`` where it may not begin, and the body is not run.
    @discardableResult
    public func start(
        _ name: BackgroundTaskName, priority: ResourcePriority = .normal,
        expiry: BackgroundTaskExpiry = .atTermination, scene: SceneIdentifier? = nil, fileID: StaticString = #fileID,
        line: UInt = #line, onExpiration: @escaping @Sendable () -> Void = {},
        body: @escaping @Sendable () async throws -> Void
    ) throws(BackgroundTaskRefusal) -> Task<Void, any Error> {
        let signal = ExpirySignal()
        let task = try begin(signal, name, priority, expiry, scene, fileID, line, onExpiration)
        return Task {
            defer { task.end() }
            try await signal.run(body, holding: task)
        }
    }

    /// Begins a background task that fires the signal when it expires.
    private func begin(
        _ signal: ExpirySignal, _ name: BackgroundTaskName, _ priority: ResourcePriority,
        _ expiry: BackgroundTaskExpiry, _ scene: SceneIdentifier?, _ fileID: StaticString, _ line: UInt,
        _ onExpiration: @escaping @Sendable () -> Void
    ) throws(BackgroundTaskRefusal) -> StoredBackgroundTask {
        try begin(
            name, priority: priority, expiry: expiry, scene: scene, fileID: fileID, line: line,
            onExpiration: {
                // First: a handler that hangs keeps nobody from ending.
                signal.fire()
                onExpiration()
            }
        ).stored()
    }
}

/// Runs `body` as a child task that holds a background task of ``BackgroundTaskRegistry/shared`` for as long as it takes.
///
/// Parameters and result are those of
/// ``BackgroundTaskRegistry/withBackgroundTask(_:priority:expiry:scene:fileID:line:onExpiration:body:)``.
///
/// - Throws: ``BackgroundTaskRefusal`` where it may not begin, and the body is not run; what the body throws.
public func withBackgroundTask<Result: Sendable>(
    _ name: BackgroundTaskName, priority: ResourcePriority = .normal,
    expiry: BackgroundTaskExpiry = .atTermination, scene: SceneIdentifier? = nil, fileID: StaticString = #fileID,
    line: UInt = #line, onExpiration: @escaping @Sendable () -> Void = {},
    body: @escaping @Sendable () async throws -> Result
) async throws -> Result {
    try await BackgroundTaskRegistry.shared.withBackgroundTask(
        name, priority: priority, expiry: expiry, scene: scene, fileID: fileID, line: line, onExpiration: onExpiration,
        body: body)
}

/// Something that happens once, and one task that waits for it.
private final class ExpirySignal: Sendable {
    private enum State {
        case idle
        case fired
        case waiting(CheckedContinuation<Void, Never>)
    }

    private let state = Lock(State.idle)

    func fire() {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            defer { state = .fired }
            if case .waiting(let continuation) = state { return continuation }
            return nil
        }
        waiter?.resume()
    }

    /// Runs `body` in a child task that finds its background task, and cancels that child when the signal fires.
    ///
    /// - Returns: The result of the body, also after it was cancelled.
    func run<Result: Sendable>(
        _ body: @escaping @Sendable () async throws -> Result, holding task: StoredBackgroundTask
    ) async throws -> Result {
        try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask { try await StoredBackgroundTask.$running.withValue(task, operation: body) }
            group.addTask {
                await self.wait()
                return nil
            }
            defer { group.cancelAll() }
            while let result = try await group.next() {
                if let result { return result }
                // Expired: the body is the only one left.
                group.cancelAll()
            }
            // The body's task gives a result or throws, and comes before the end of the group.
            throw CancellationError()
        }
    }

    /// Returns once it has fired or the task is cancelled.
    private func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let hasFired = state.withLock { state in
                    if case .fired = state { return true }
                    state = .waiting(continuation)
                    return false
                }
                if hasFired { continuation.resume() }
            }
        } onCancel: {
            fire()
        }
    }
}
