internal import Dispatch
internal import MemoryPressure

/// One notification on its way to all observers.
final class Delivery: Sendable {
    private struct State {
        var calls: [ObserverMailbox.Call] = []
        /// One more than are under way until all have been posted, so that it does not end too soon.
        var outstanding = 1
    }

    let callback: LifecycleCallback
    let wait = TimedWait()
    private let state = Lock(State())

    /// Posts to each observer in turn. Deliveries of one life cycle are made one after another.
    init(
        _ callback: LifecycleCallback, to mailboxes: [ObserverMailbox],
        _ body: @escaping @Sendable (any LifecycleObserver) async -> Void
    ) {
        self.callback = callback
        for mailbox in mailboxes {
            state.withLock { $0.outstanding += 1 }
            if let call = mailbox.post(onReturn: { self.returned() }, body) {
                state.withLock { $0.calls.append(call) }
            } else {
                returned()
            }
        }
        returned()
    }

    private func returned() {
        // The calls hold the delivery: let go of them, or none of it, nor the observers, ever goes.
        let ended = state.withLock { state -> [ObserverMailbox.Call]? in
            state.outstanding -= 1
            guard state.outstanding == 0 else { return nil }
            defer { state.calls = [] }
            return state.calls
        }
        if ended != nil { wait.resolve(.done) }
    }

    /// Cancels what is still running, and gives the names of those that have not returned.
    func giveUp() -> [String] {
        let late = state.withLock { $0.calls }.filter { !$0.hasReturned }
        // Not on the timer's thread: cancellation runs code of the application's.
        DispatchQueue.global().async { for call in late { call.cancel() } }
        return late.map(\.name)
    }
}
