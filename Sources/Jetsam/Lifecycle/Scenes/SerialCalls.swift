internal import Dispatch
internal import MemoryPressure

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
        on executor: (any TaskExecutor)? = nil, by deadline: MonotonicInstant, _ deadlines: Deadlines,
        _ body: @escaping @Sendable () async -> Void
    ) async -> Outcome {
        let wait = TimedWait()
        let started = Lock<Task<Void, Never>?>(nil)
        // Before it starts: the time may be over when it has only just begun.
        let id = deadlines.add(deadline) {
            guard wait.resolve(.expired) else { return }
            // Not on the timer's thread: cancellation runs code of the application's.
            DispatchQueue.global().async { started.withLock { $0 }?.cancel() }
        }
        let previous = last.withLock { $0 }
        let task = Task(executorPreference: executor) {
            await previous?.value
            // Given up before its turn came: it must not be called after what its caller did next.
            guard wait.isOpen else { return }
            await body()
            wait.resolve(.done)
        }
        let replaced = last.withLock { last in
            defer { last = task }
            return last
        }
        _ = replaced
        started.withLock { $0 = task }
        // The code that found the time over may not have found the task yet.
        if !wait.isOpen { task.cancel() }
        let outcome = await wait.outcome()
        deadlines.cancel(id)
        return outcome == .done ? .returned : .late
    }

    /// Calls something that answers. Returns nil where it has not answered in time.
    func answer<Answer: Sendable>(
        by deadline: MonotonicInstant, _ deadlines: Deadlines, _ body: @escaping @Sendable () async -> Answer
    ) async -> Answer? {
        let answer = Lock<Answer?>(nil)
        _ = await call(by: deadline, deadlines) {
            let given = await body()
            answer.withLock { $0 = given }
        }
        return answer.withLock { $0 }
    }

    /// Calls something that answers or throws. Returns nil where it has done neither in time.
    func result<Answer: Sendable, Failure: Error>(
        by deadline: MonotonicInstant, _ deadlines: Deadlines,
        _ body: @escaping @Sendable () async throws(Failure) -> Answer
    ) async -> Result<Answer, Failure>? {
        await answer(by: deadline, deadlines) {
            do throws(Failure) {
                return Result<Answer, Failure>.success(try await body())
            } catch {
                return .failure(error)
            }
        }
    }
}

/// Lets one task at a time through, in the order in which they came.
final class AsyncTurn: Sendable {
    private struct State {
        var isHeld = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Lock(State())

    /// The number of tasks that wait for it.
    var waiting: Int { state.withLock { $0.waiters.count } }

    func acquire() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if state.isHeld {
                    state.waiters.append(continuation)
                    return false
                }
                state.isHeld = true
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    func release() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard !state.waiters.isEmpty else {
                state.isHeld = false
                return nil
            }
            return state.waiters.removeFirst()
        }
        next?.resume()
    }
}
