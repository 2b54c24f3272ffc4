internal import Dispatch
internal import MemoryPressure
internal import Synchronization

/// Calls that follow one another, each with a deadline after which its caller goes on without it.
///
/// The next is not called before the one before it has returned. Callers come one at a time.
final class SerialCalls: Sendable {
    enum Outcome: Sendable {
        case returned
        /// It is cancelled, and runs on if it does not care.
        case late
    }

    private let last = Lock<Task<Void, Never>?>(nil)

    func call(
        on executor: (any TaskExecutor)? = nil, by deadline: MonotonicInstant, _ deadlines: SceneDeadlines,
        _ body: @escaping @Sendable () async -> Void
    ) async -> Outcome {
        let wait = CallWait()
        let previous = last.withLock { $0 }
        let task = Task(executorPreference: executor) {
            await previous?.value
            // Given up before its turn came: it must not be called after what its caller did next.
            guard wait.begin() else { return }
            await body()
            wait.resolve(.returned)
        }
        let replaced = last.withLock { last in
            defer { last = task }
            return last
        }
        _ = replaced
        let id = deadlines.add(deadline) {
            // Not on the timer's thread: cancellation runs code of the application's.
            if wait.resolve(.late) { DispatchQueue.global().async { task.cancel() } }
        }
        let outcome = await wait.outcome()
        deadlines.cancel(id)
        return outcome
    }
}

/// Who of two comes first: the call that returns, or its deadline.
private final class CallWait: Sendable {
    private enum State {
        case open
        case waiting(CheckedContinuation<SerialCalls.Outcome, Never>)
        case resolved(SerialCalls.Outcome)
    }

    private let state = Lock(State.open)

    /// False where the caller has gone on.
    func begin() -> Bool {
        state.withLock { if case .resolved = $0 { false } else { true } }
    }

    /// Whether this was the first.
    @discardableResult
    func resolve(_ outcome: SerialCalls.Outcome) -> Bool {
        let (isFirst, waiter) = state.withLock {
            state -> (Bool, CheckedContinuation<SerialCalls.Outcome, Never>?) in
            switch state {
            case .open:
                state = .resolved(outcome)
                return (true, nil)
            case .waiting(let continuation):
                state = .resolved(outcome)
                return (true, continuation)
            case .resolved: return (false, nil)
            }
        }
        waiter?.resume(returning: outcome)
        return isFirst
    }

    func outcome() async -> SerialCalls.Outcome {
        await withCheckedContinuation { continuation in
            let known = state.withLock { state -> SerialCalls.Outcome? in
                if case .resolved(let outcome) = state { return outcome }
                state = .waiting(continuation)
                return nil
            }
            if let known { continuation.resume(returning: known) }
        }
    }
}
