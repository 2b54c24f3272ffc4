internal import MemoryPressure

/// An end that has begun, with its grace period. It is not taken back. Pure.
struct ProcessEnding: Sendable, Equatable {
    enum Manner: Sendable, Equatable {
        /// The group shuts down, or is to.
        case shutdown
        /// The process ends instead of suspending: it passes through neither background nor suspended. By itself where
        /// there is no gate that would have the group shut down.
        case insteadOfSuspending(LifecycleCause, byItself: Bool)
    }

    let clock: TerminationClock
    let manner: Manner
    /// The time from which the work that was under way when it began is waited for no longer.
    let workEnd: MonotonicInstant

    init(_ manner: Manner, clock: TerminationClock, backgroundDeadline: Duration) {
        self.manner = manner
        self.clock = clock
        workEnd = min(clock.backgroundEnd(from: clock.began, deadline: backgroundDeadline), clock.backgroundStart)
    }

    var cause: LifecycleCause {
        switch manner {
        case .shutdown: .shutdown
        case .insteadOfSuspending(let cause, _): cause
        }
    }

    var skipsBackground: Bool {
        if case .insteadOfSuspending = manner { true } else { false }
    }

    var isByItself: Bool {
        if case .insteadOfSuspending(_, byItself: true) = manner { true } else { false }
    }
}

/// The wait of the manager until it has something to do about its end: its turn in the group has come, or the time for it has, or the
/// process ends instead of suspending.
final class EndWait: Sendable {
    private let wait = TimedWait()
    private let timer = Lock<UInt64?>(nil)
    private let deadlines: Deadlines

    init(deadlines: Deadlines) {
        self.deadlines = deadlines
    }

    func resolve() {
        wait.resolve(.done)
    }

    /// Servers that do not stop hold up nothing that has to be saved: the wait is over at `instant`.
    func expire(at instant: MonotonicInstant) {
        let id = deadlines.add(instant) { [wait] in wait.resolve(.expired) }
        timer.withLock { $0 = id }
        if !wait.isOpen { deadlines.cancel(id) }
    }

    /// For one caller.
    func end() async {
        _ = await wait.outcome()
        if let id = timer.withLock({ $0 }) { deadlines.cancel(id) }
    }
}
