internal import JetsamSystem

/// One load that is under way, and who waits for it.
///
/// The load is cancelled when the last who waits is; who comes then begins another one.
final class CacheFlight<Value: Sendable>: Sendable {
    private struct State {
        /// Those who joined and did neither get an answer nor give up.
        var members = 1
        var waiters: [UInt64: CheckedContinuation<Value, any Error>] = [:]
        /// Cancelled before they began to wait.
        var cancelled: Set<UInt64> = []
        var nextID: UInt64 = 0
        var result: Result<Value, any Error>?
        var task: Task<Void, Never>?
        /// Everybody gave up.
        var isDead = false
    }

    private let state = Lock(State())

    /// Returns whether one more can wait for it.
    func join() -> Bool {
        state.withLock { state in
            guard !state.isDead else { return false }
            state.members += 1
            return true
        }
    }

    /// The task that loads.
    func begin(_ task: Task<Void, Never>) {
        let isDead = state.withLock { state in
            state.task = task
            return state.isDead
        }
        if isDead { task.cancel() }
    }

    /// Waits for the answer, as one who joined. Throws `CancellationError` where the calling task is cancelled first.
    func value() async throws -> Value {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let answer = state.withLock { state -> Result<Value, any Error>? in
                    if let result = state.result { return result }
                    if state.cancelled.remove(id) != nil { return .failure(CancellationError()) }
                    state.waiters[id] = continuation
                    return nil
                }
                if let answer { continuation.resume(with: answer) }
            }
        } onCancel: {
            giveUp(id)
        }
    }

    private func giveUp(_ id: UInt64) {
        let (waiter, task) = state.withLock { state -> (CheckedContinuation<Value, any Error>?, Task<Void, Never>?) in
            guard state.result == nil else { return (nil, nil) }
            let waiter = state.waiters.removeValue(forKey: id)
            if waiter == nil { state.cancelled.insert(id) }
            state.members -= 1
            state.isDead = state.members == 0
            return (waiter, state.isDead ? state.task : nil)
        }
        task?.cancel()
        waiter?.resume(throwing: CancellationError())
    }

    func end(_ result: Result<Value, any Error>) {
        let waiters = state.withLock { state in
            state.result = result
            state.task = nil
            let waiters = state.waiters
            state.waiters = [:]
            return waiters
        }
        for waiter in waiters.values { waiter.resume(with: result) }
    }

    var waiting: Int { state.withLock { $0.waiters.count } }
}
