/// Waiting for one thing that somebody resolves, a deadline, or that waiting is given up: whichever comes first.
package final class TimedWait: Sendable {
    package enum Outcome: Sendable {
        case done, expired, abandoned
    }

    private enum State {
        /// Nobody has resolved it.
        case open
        /// Nobody has resolved it, and its caller waits.
        case waiting(CheckedContinuation<Outcome, Never>)
        /// It is resolved; its caller may not go on yet, and may not have come yet.
        case resolving(CheckedContinuation<Outcome, Never>?)
        /// It is over.
        case resolved(Outcome)
    }

    private let state = Lock(State.open)

    package init() {}

    /// Indicates whether nobody has resolved it yet.
    package var isOpen: Bool {
        state.withLock { state in
            switch state {
            case .open, .waiting: true
            case .resolving, .resolved: false
            }
        }
    }

    /// Indicates whether its caller has begun to wait.
    package var isAwaited: Bool {
        state.withLock { state in
            switch state {
            case .waiting, .resolving(.some): true
            case .open, .resolving(.none), .resolved: false
            }
        }
    }

    /// Resolves it. Returns whether this call was the first.
    ///
    /// - Parameter first: Called before the waiting task goes on, where this call was the first.
    @discardableResult
    package func resolve(_ outcome: Outcome, first: () -> Void = {}) -> Bool {
        let isFirst = state.withLock { state in
            switch state {
            case .open: state = .resolving(nil)
            case .waiting(let continuation): state = .resolving(continuation)
            case .resolving, .resolved: return false
            }
            return true
        }
        guard isFirst else { return false }
        first()
        let waiter = state.withLock { state -> CheckedContinuation<Outcome, Never>? in
            defer { state = .resolved(outcome) }
            return if case .resolving(let continuation) = state { continuation } else { nil }
        }
        waiter?.resume(returning: outcome)
        return true
    }

    /// For one caller.
    package func outcome() async -> Outcome {
        await withCheckedContinuation { continuation in
            let known = state.withLock { state -> Outcome? in
                switch state {
                case .open, .waiting: state = .waiting(continuation)
                case .resolving: state = .resolving(continuation)
                case .resolved(let outcome): return outcome
                }
                return nil
            }
            if let known { continuation.resume(returning: known) }
        }
    }
}

/// The waits that are under way, so that all of them can be given up at once.
package final class TimedWaits: Sendable {
    private struct Entry {
        let wait: TimedWait
        let onExpiry: @Sendable () -> Void
        /// The timer that `hurry` set.
        var hurried: UInt64?
    }

    private struct State {
        var waits: [UInt64: Entry] = [:]
        var nextID: UInt64 = 0
        var areAbandoned = false
    }

    /// A timer that fires later than this after its instant did not run meanwhile: the process was stopped.
    private static let pause = Duration.seconds(1)

    private let state = Lock(State())
    private let clock: any MonotonicClock
    package let deadlines: Deadlines

    package init(clock: any MonotonicClock, deadlines: Deadlines) {
        self.clock = clock
        self.deadlines = deadlines
    }

    /// Waits until `wait` is resolved or its deadline has passed.
    ///
    /// - Parameters:
    ///   - deadline: Asked again when it has passed: it may have moved.
    ///   - movesWithPauses: True where a process that was stopped meanwhile has the whole time once more after it goes on.
    ///   - onExpiry: Called at expiry before the waiting task goes on, on the timer's thread.
    package func run(
        _ wait: TimedWait, until deadline: @escaping @Sendable () -> MonotonicInstant, movesWithPauses: Bool,
        onExpiry: @escaping @Sendable () -> Void = {}
    ) async -> TimedWait.Outcome {
        let id = state.withLock { state -> UInt64? in
            guard !state.areAbandoned else { return nil }
            state.nextID += 1
            state.waits[state.nextID] = Entry(wait: wait, onExpiry: onExpiry)
            return state.nextID
        }
        guard let id else {
            wait.resolve(.abandoned)
            return await wait.outcome()
        }
        let timer = Lock<UInt64?>(nil)
        arm(wait, timer, deadline, movesWithPauses ? clock.now.duration(to: deadline()) : nil, onExpiry)
        let outcome = await wait.outcome()
        if let armed = timer.withLock({ $0 }) { deadlines.cancel(armed) }
        let removed = state.withLock { $0.waits.removeValue(forKey: id) }
        if let hurried = removed?.hurried { deadlines.cancel(hurried) }
        return outcome
    }

    private func arm(
        _ wait: TimedWait, _ timer: Lock<UInt64?>, _ deadline: @escaping @Sendable () -> MonotonicInstant,
        _ again: Duration?, _ onExpiry: @escaping @Sendable () -> Void, at instant: MonotonicInstant? = nil
    ) {
        let due = instant ?? deadline()
        let id = deadlines.add(due) { [self] in
            let now = clock.now
            if let again, due.duration(to: now) > Self.pause {
                arm(wait, timer, deadline, nil, onExpiry, at: now.advanced(by: again))
            } else if deadline() > now {
                arm(wait, timer, deadline, again, onExpiry)
            } else {
                wait.resolve(.expired, first: onExpiry)
            }
        }
        timer.withLock { $0 = id }
    }

    /// Those that are under way expire at `instant`, if not before. Pauses do not move it.
    package func hurry(to instant: MonotonicInstant) {
        for (id, entry) in state.withLock({ $0.waits }) {
            let timer = deadlines.add(instant) { entry.wait.resolve(.expired, first: entry.onExpiry) }
            let isWaiting = state.withLock { state in
                state.waits[id]?.hurried = timer
                return state.waits[id] != nil
            }
            if !isWaiting { deadlines.cancel(timer) }
        }
    }

    /// Gives up every wait, and those to come.
    package func abandon() {
        let waits = state.withLock { state in
            state.areAbandoned = true
            return state.waits.values.map(\.wait)
        }
        for wait in waits { wait.resolve(.abandoned) }
    }

    package var areAbandoned: Bool { state.withLock { $0.areAbandoned } }
}
