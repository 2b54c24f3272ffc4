internal import MemoryPressure
internal import Synchronization

/// The notifications of one observer: called one after another, never dropped, each in a task of its own.
final class ObserverMailbox: Sendable {
    /// One call of an observer, which may still be waiting for those before it.
    final class Call: Sendable {
        private enum State {
            case waiting
            case running(Task<Void, Never>)
            case returned
        }

        let name: String
        private let state = Lock(State.waiting)
        private let body: @Sendable () async -> Void
        private let onReturn: @Sendable () -> Void

        init(name: String, onReturn: @escaping @Sendable () -> Void, _ body: @escaping @Sendable () async -> Void) {
            self.name = name
            self.body = body
            self.onReturn = onReturn
        }

        func run(on executor: (any TaskExecutor)?) async {
            let task = Task(executorPreference: executor) { [body] in await body() }
            state.withLock { $0 = .running(task) }
            await task.value
            let running = state.withLock { state in
                defer { state = .returned }
                return state
            }
            _ = running
            onReturn()
        }

        var hasReturned: Bool { state.withLock { if case .returned = $0 { true } else { false } } }

        /// Cancels the call where it is running; one whose turn has not come is left alone: it is not late by its own doing.
        func cancel() {
            let task = state.withLock { state -> Task<Void, Never>? in
                if case .running(let task) = state { task } else { nil }
            }
            task?.cancel()
        }
    }

    /// Outlives the mailbox with the calls that wait for their turn.
    private final class Ending: Sendable {
        private let flag = Atomic<Bool>(false)

        var isCancelled: Bool { flag.load(ordering: .acquiring) }

        func cancel() { flag.store(true, ordering: .releasing) }
    }

    let name: String
    let observer: any LifecycleObserver
    private let calls: AsyncStream<Call>.Continuation
    private let ending = Ending()

    init(name: String, observer: any LifecycleObserver, executor: (any TaskExecutor)?) {
        self.name = name
        self.observer = observer
        let (stream, continuation) = AsyncStream.makeStream(of: Call.self, bufferingPolicy: .unbounded)
        calls = continuation
        // It holds the stream alone: the mailbox ends it when it goes.
        Task {
            for await call in stream { await call.run(on: executor) }
        }
    }

    deinit {
        calls.finish()
    }

    /// - Returns: Nil where the observer is to be called no more.
    func post(
        onReturn: @escaping @Sendable () -> Void,
        _ body: @escaping @Sendable (any LifecycleObserver) async -> Void
    ) -> Call? {
        guard !ending.isCancelled else { return nil }
        let call = Call(name: name, onReturn: onReturn) { [ending, observer] in
            if !ending.isCancelled { await body(observer) }
        }
        calls.yield(call)
        return call
    }

    /// Calls the observer no more; a call that is running is not waited for.
    func cancel() {
        ending.cancel()
    }
}
