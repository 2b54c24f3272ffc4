package import Dispatch

/// Hands events to the handler on the queue, at most one a source and 10 ms, and none once it is cancelled.
package final class EventDelivery: Sendable {
    private struct State {
        var limits: [MemorySignalSource: RateLimit] = [:]
        var isCancelled = false
    }

    private let queue: DispatchQueue
    private let clock: any MonotonicClock
    private let handler: @Sendable (KernelEvent) -> Void
    private let state = Lock(State())

    package init(queue: DispatchQueue, clock: any MonotonicClock, handler: @escaping @Sendable (KernelEvent) -> Void) {
        self.queue = queue
        self.clock = clock
        self.handler = handler
    }

    /// Takes an event; called on the queue.
    package func add(_ event: KernelEvent) {
        let now = clock.now
        let action = state.withLock { state in
            state.isCancelled ? .merged : state.limits[event.source, default: RateLimit()].add(event, at: now)
        }
        switch action {
        case .deliver(let event): handler(event)
        case .merged: break
        case .wait(let duration):
            queue.asyncAfter(deadline: .now() + .nanoseconds(Int(duration.nanoseconds))) { [self] in
                deliverWaiting(of: event.source)
            }
        }
    }

    package func cancel() {
        state.withLock { $0.isCancelled = true }
    }

    private func deliverWaiting(of source: MemorySignalSource) {
        let now = clock.now
        let event = state.withLock { state in
            state.isCancelled ? nil : state.limits[source]?.due(at: now)
        }
        if let event { handler(event) }
    }
}
