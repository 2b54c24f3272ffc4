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
}
