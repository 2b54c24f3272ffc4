import MemoryPressure

@testable import Jetsam

/// Where a handler can be held until the test lets it go, and where the test can await that handlers have come.
final class Gate: Sendable {
    private struct State {
        var arrivals = 0
        var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
        var isOpen = false
    }

    private let state = Lock(State())
    private let spot = ParkingSpot()

    var arrivals: Int { state.withLock { $0.arrivals } }

    func arrive() {
        let ready = state.withLock { state in
            state.arrivals += 1
            let arrivals = state.arrivals
            defer { state.waiters.removeAll { $0.count <= arrivals } }
            return state.waiters.filter { $0.count <= arrivals }
        }
        for waiter in ready { waiter.continuation.resume() }
    }

    func waitForArrivals(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isReady = state.withLock { state in
                if state.arrivals < count { state.waiters.append((count, continuation)) }
                return state.arrivals >= count
            }
            if isReady { continuation.resume() }
        }
    }

    func waitUntilOpen() {
        while !state.withLock({ $0.isOpen }) { spot.wait(for: nil) }
        spot.signal()
    }

    func open() {
        state.withLock { $0.isOpen = true }
        spot.signal()
    }
}

/// Returns when the task that waits here is cancelled, and not before.
func waitForCancellation() async {
    let (stream, continuation) = AsyncStream<Void>.makeStream()
    for await _ in stream {}
    withExtendedLifetime(continuation) {}
}
