internal import MemoryPressure
internal import Synchronization

/// The time that the process may still stay in the background. The sampler asks it at each turn: nothing in it allocates or
/// waits.
final class BackgroundTimeLimit: Sendable {
    private static let none = Int64.max
    /// Once more after so long, should suspension be refused.
    private static let retry = Int64(1_000_000_000)

    private let tasks: any TaskHolder
    /// So long after the end of the time the process is suspended with whatever is held then.
    private let patience: Int64
    /// The time when the limit is over, in nanoseconds of running time; `none` while it has no limit.
    private let end = Atomic<Int64>(none)
    /// The time when it may be told that the limit is over, in the same time.
    private let nextTelling = Atomic<Int64>(.min)
    /// One renewal at a time: the last to come sees all that has changed.
    private let renewal = Lock(())

    init(tasks: any TaskHolder) {
        self.tasks = tasks
        patience = tasks.overdueGrace.nanoseconds + Self.retry
    }

    private func running(_ now: MonotonicInstant) -> Int64 { now.nanoseconds - tasks.pausedNanoseconds }

    /// The time begins, and is over after so long. Held tasks expire by then.
    ///
    /// - Returns: The time when they are to be told.
    func begin(_ limit: Duration, at now: MonotonicInstant) -> MonotonicInstant? {
        nextTelling.store(.min, ordering: .relaxed)
        end.store(running(now) + limit.nanoseconds, ordering: .releasing)
        return tasks.setBackgroundDeadline(now.advanced(by: limit))
    }

    /// There is no limit from here on.
    func cancel() {
        guard end.exchange(Self.none, ordering: .acquiringAndReleasing) != Self.none else { return }
        _ = tasks.setBackgroundDeadline(nil)
    }

    /// Begins the time anew, or ends it: the state, the modes, or both are others now.
    ///
    /// - Parameter start: Called under a lock. Returns the present time where the process spends its time in the background, and nil
    ///   where it does not.
    /// - Returns: The time when held tasks are to be told.
    func renew(_ limit: Duration, from start: () -> MonotonicInstant?) -> MonotonicInstant? {
        renewal.withLock { _ in
            if let now = start() { return begin(limit, at: now) }
            cancel()
            return nil
        }
    }

    /// Returns the time that is left; nil without a limit, zero where it is over.
    func remaining(at now: MonotonicInstant) -> Duration? {
        let end = end.load(ordering: .acquiring)
        return end == Self.none ? nil : .nanoseconds(max(0, end - running(now)))
    }

    /// Returns whether the process is to be suspended: its time is over, and nothing holds it any more.
    ///
    /// Tasks that were told have their grace. A task that begins meanwhile does not hold the process longer than that: it is work
    /// for a process that wakes.
    func isOver(at now: MonotonicInstant) -> Bool {
        let end = end.load(ordering: .acquiring)
        guard end != Self.none else { return false }
        let past = running(now) - end
        return past >= 0 && (tasks.heldCount == 0 || (past >= patience && !tasks.overdueTasksHold))
    }

    /// One turn of the sampler.
    ///
    /// - Returns: True where suspension is due, and the nanoseconds until the next look; `Int64.max` for never.
    func look(at now: MonotonicInstant) -> (isDue: Bool, sleep: Int64) {
        let end = end.load(ordering: .acquiring)
        guard end != Self.none else { return (false, .max) }
        let running = running(now)
        guard running >= end else { return (false, end - running) }
        guard isOver(at: now) else {
            // Those that have been told may end at any time: the sampler's own pace is near enough.
            return (false, running < end + patience ? end + patience - running : .max)
        }
        guard running >= nextTelling.load(ordering: .relaxed) else { return (false, Self.retry) }
        nextTelling.store(running + Self.retry, ordering: .relaxed)
        return (true, Self.retry)
    }
}
