internal import Jetsam
internal import MemoryPressure

/// Calls the sampler when the test moves the time, on the test's own thread.
final class ManualTicker: Ticker {
    private struct State {
        var tick: (@Sendable () -> Duration)?
        var due: MonotonicInstant?
        var waiters: [CheckedContinuation<Void, Never>] = []
        var ticks = 0
    }

    private let state = Lock(State())
    private let clock: ManualClock

    init(clock: ManualClock) {
        self.clock = clock
    }

    func start(_ tick: @escaping @Sendable () -> Duration) throws(ResourceManagerError) {
        let interval = tick()
        let waiters = state.withLock { state in
            state.tick = tick
            state.due = clock.now.advanced(by: interval)
            state.ticks += 1
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    func wake() {
        state.withLock { state in
            if state.tick != nil { state.due = clock.now }
        }
    }

    func stop() async {
        state.withLock { state in
            state.tick = nil
            state.due = nil
        }
    }

    /// Returns once a manager has begun to use this ticker.
    func waitUntilStarted() async {
        await withCheckedContinuation { continuation in
            let hasStarted = state.withLock { state in
                if state.tick == nil { state.waiters.append(continuation) }
                return state.tick != nil
            }
            if hasStarted { continuation.resume() }
        }
    }

    /// How often the sampler was called.
    var ticks: Int { state.withLock { $0.ticks } }

    func advance(to end: MonotonicInstant) {
        while let due = state.withLock({ $0.due }), due <= end {
            clock.advance(to: due)
            guard let tick = state.withLock({ $0.tick }) else { break }
            let interval = tick()
            state.withLock { state in
                state.ticks += 1
                if state.tick != nil { state.due = clock.now.advanced(by: max(.nanoseconds(1), interval)) }
            }
        }
        clock.advance(to: end)
    }
}
