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

    private struct State {
        var waiting: [Call] = []
        /// A task is at work that makes the calls.
        var isCalling = false
    }

    let name: String
    let observer: any LifecycleObserver
    private let executor: (any TaskExecutor)?
    private let isCancelled = Atomic<Bool>(false)
    private let state = Lock(State())

    init(name: String, observer: any LifecycleObserver, executor: (any TaskExecutor)?) {
        self.name = name
        self.observer = observer
        self.executor = executor
    }

    /// - Returns: Nil where the observer is to be called no more.
    func post(
        onReturn: @escaping @Sendable () -> Void,
        _ body: @escaping @Sendable (any LifecycleObserver) async -> Void
    ) -> Call? {
        guard !isCancelled.load(ordering: .acquiring) else { return nil }
        let call = Call(name: name, onReturn: onReturn) { [self] in
            if !isCancelled.load(ordering: .acquiring) { await body(observer) }
        }
        let isFirst = state.withLock { state in
            state.waiting.append(call)
            defer { state.isCalling = true }
            return !state.isCalling
        }
        // Detached: what is local to the caller's task is nothing to an observer.
        if isFirst { Task.detached(executorPreference: executor) { await self.makeCalls() } }
        return call
    }

    private func makeCalls() async {
        while let call = nextCall() { await call.run(on: executor) }
    }

    private func nextCall() -> Call? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.isCalling = false
                return nil
            }
            return state.waiting.removeFirst()
        }
    }

    /// Calls the observer no more; a call that is running is not waited for.
    func cancel() {
        isCancelled.store(true, ordering: .releasing)
    }
}
