import Dispatch

@testable import MemoryPressure

/// Keeps the events that a ``KernelEvents`` hands over, to be waited for.
final class EventLog: Sendable {
    private struct State {
        var events: [KernelEvent] = []
        var waiters: [(condition: @Sendable ([KernelEvent]) -> Bool, go: @Sendable (Bool) -> Void)] = []
    }

    private let state = Lock(State())

    var events: [KernelEvent] { state.withLock { $0.events } }

    func add(_ event: KernelEvent) {
        let ready: [@Sendable (Bool) -> Void] = state.withLock { state in
            state.events.append(event)
            let events = state.events
            let ready = state.waiters.filter { $0.condition(events) }.map(\.go)
            state.waiters.removeAll { $0.condition(events) }
            return ready
        }
        for go in ready { go(true) }
    }

    /// Waits until the events so far fulfil `condition`; false where that takes longer than `seconds`, which is far more
    /// than it ever should.
    func wait(seconds: Int = 60, until condition: @escaping @Sendable ([KernelEvent]) -> Bool) async -> Bool {
        await withCheckedContinuation { continuation in
            let once = Once { continuation.resume(returning: $0) }
            let isReady = state.withLock { state in
                if condition(state.events) { return true }
                state.waiters.append((condition, once.callAsFunction))
                return false
            }
            if isReady { return once(true) }
            DispatchQueue(label: "deadline").asyncAfter(deadline: .now() + .seconds(seconds)) { once(false) }
        }
    }
}

/// Calls a function the first time only.
private final class Once: Sendable {
    private let body: @Sendable (Bool) -> Void
    private let isDone = Lock(false)

    init(_ body: @escaping @Sendable (Bool) -> Void) {
        self.body = body
    }

    @Sendable func callAsFunction(_ value: Bool) {
        let isFirst = isDone.withLock { done in
            defer { done = true }
            return !done
        }
        if isFirst { body(value) }
    }
}

/// Looks at `condition` on the queue, again and again, until it holds; false where that takes a minute.
func becomesTrue(on queue: DispatchQueue, _ condition: @escaping @Sendable () -> Bool) async -> Bool {
    let deadline = DispatchTime.now() + .seconds(60)
    while DispatchTime.now() < deadline {
        // A turn through the queue lets what was queued before, such as a cancel handler, run first.
        let holds = await withCheckedContinuation { continuation in
            queue.asyncAfter(deadline: .now() + .milliseconds(1)) { continuation.resume(returning: condition()) }
        }
        if holds { return true }
    }
    return false
}
