internal import Jetsam
internal import MemoryPressure
internal import SystemPackage

/// Calls the sampler when the test moves the time, on the test's own thread.
final class ManualTicker: Ticker {
    private struct State {
        var tick: (@Sendable () -> Duration)?
        var due: MonotonicInstant?
        var waiters: [CheckedContinuation<Void, Never>] = []
        var ticks = 0
        var attached: [any TimeDriven] = []
    }

    private let state = Lock(State())
    private let clock: ManualClock

    init(clock: ManualClock) {
        self.clock = clock
    }

    func start(_ tick: @escaping @Sendable () -> Duration) throws(Errno) {
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

    /// The number of times that the sampler was called.
    var ticks: Int { state.withLock { $0.ticks } }

    var drivesDeadlines: Bool { true }

    func attach(_ work: any TimeDriven) {
        state.withLock { $0.attached.append(work) }
    }

    func advance(to end: MonotonicInstant) {
        // An entry that stays due after it ran, because it waits for another thread, does not stop the time.
        var stuck: MonotonicInstant?
        while true {
            let (tickDue, attached) = state.withLock { ($0.due, $0.attached) }
            let due = attached.compactMap(\.nextDue).min()
            if let due, due <= end, due != stuck, due <= tickDue ?? due {
                clock.advance(to: due)
                for work in attached { work.runDue() }
                stuck = attached.compactMap(\.nextDue).min() == due ? due : nil
                continue
            }
            guard let tickDue, tickDue <= end else { break }
            clock.advance(to: tickDue)
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
