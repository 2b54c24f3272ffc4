internal import MemoryPressure

/// When each handler was called, and how often.
final class HandlerRecord: Sendable {
    private struct Entry {
        var due: MonotonicInstant
        var calls = 0
        var lateness: Duration?
    }

    /// What the calls came to.
    struct Summary: Equatable {
        /// Background tasks whose handler was called.
        var called = 0
        /// Of these, more than once.
        var calledTwice = 0
        /// Before the expiry was up.
        var early = 0
        /// Not called although the expiry was up long ago.
        var missing = 0
        /// Of those that were not early, in ascending order.
        var lateness: [Duration] = []

        /// Whether each was called once, and in time. Under pressure they are called early: then that is no fault.
        func isInOrder(mayBeEarly: Bool) -> Bool {
            calledTwice == 0 && missing == 0 && (mayBeEarly || early == 0)
        }
    }

    /// So much later a handler must have been called, on whatever machine.
    static let patience = Duration.seconds(1)

    private let entries = Lock<[Entry]>([])
    private let clock: any MonotonicClock

    init(clock: any MonotonicClock = SystemMonotonicClock()) {
        self.clock = clock
    }

    /// Adds a background task that begins now; gives its number.
    func expect(after expiry: Duration) -> Int {
        let due = clock.now.advanced(by: expiry)
        return entries.withLock { entries in
            entries.append(Entry(due: due))
            return entries.count - 1
        }
    }

    func call(_ number: Int) {
        let now = clock.now
        entries.withLock { entries in
            entries[number].calls += 1
            guard entries[number].lateness == nil else { return }
            entries[number].lateness = entries[number].due.duration(to: now)
        }
    }

    func summary() -> Summary {
        let now = clock.now
        return entries.withLock { entries in
            var summary = Summary()
            for entry in entries {
                if entry.calls > 1 { summary.calledTwice += 1 }
                if let lateness = entry.lateness {
                    summary.called += 1
                    if lateness < .zero { summary.early += 1 } else { summary.lateness.append(lateness) }
                } else if entry.due.advanced(by: Self.patience) < now {
                    summary.missing += 1
                }
            }
            summary.lateness.sort()
            return summary
        }
    }
}
