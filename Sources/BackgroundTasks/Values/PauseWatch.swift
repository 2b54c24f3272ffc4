package import JetsamSystem
internal import Synchronization

/// Tells time in which the process did not run (SIGSTOP, the freezer, a paused machine) from time in which it did.
///
/// The sampler says at each turn when it will come again. If it is missing for longer than twice that time, and for longer than
/// a second, there was a pause; it is accounted for once. All the time since that turn counts, because the moment of the stop
/// is not known, and nothing may come early. Off until a sampler has said something.
package final class PauseWatch: Sendable {
    private let last = Atomic<Int64>(.min)
    private let interval = Atomic<Int64>(0)
    private let paused = Atomic<Int64>(0)
    /// Indicates whether a pause was found since the sampler's last turn. After a real pause the sampler comes at once. A sampler
    /// that does not come hangs, and no more time is taken for a pause because of it.
    private let isAccountedFor = Atomic<Bool>(false)
    /// Found, and not told by the sampler's turn yet. Held for a few words only.
    private let untold = Lock<Int64>(0)

    package init() {}

    /// All the nanoseconds in which the process was found not to run. Running time is monotonic time less these.
    package var pausedNanoseconds: Int64 { paused.load(ordering: .acquiring) }

    /// The sampler's turn begins.
    /// - Returns: The pause that was found since its last turn, by whomever.
    package func beginTurn(_ now: MonotonicInstant) -> Duration? {
        check(now)
        let found = untold.withLock { untold in
            defer { untold = 0 }
            return untold
        }
        return found > 0 ? .nanoseconds(found) : nil
    }

    /// The sampler's turn ends: it says when it will come again.
    ///
    /// - Parameter now: The time when the turn began. A pause that another thread found meanwhile is not forgotten.
    package func expect(_ now: MonotonicInstant, next: Duration) {
        // Together, for a look at the one and then at the other could find a pause that was none.
        untold.withLock { _ in
            last.max(now.nanoseconds, ordering: .releasing)
            interval.store(next.nanoseconds, ordering: .relaxed)
            isAccountedFor.store(false, ordering: .releasing)
        }
    }

    /// Returns whether ``check(_:)`` may find something: the sampler has not come for more than a second. Costs next to nothing.
    @inline(__always)
    package func isLate(_ now: Int64) -> Bool {
        let last = last.load(ordering: .relaxed)
        return last != .min && now - last > 1_000_000_000 && !isAccountedFor.load(ordering: .relaxed)
    }

    /// Accounts for a pause that nobody has found yet. Called before anything is taken for due, and before a deadline is set.
    package func check(_ now: MonotonicInstant) {
        guard gap(now) != nil else { return }
        untold.withLock { untold in
            // Another may have been faster.
            guard let gap = gap(now) else { return }
            untold += gap
            isAccountedFor.store(true, ordering: .relaxed)
            paused.add(gap, ordering: .releasing)
            // A thread that sees this also sees the time that was added before it.
            last.store(now.nanoseconds, ordering: .releasing)
        }
    }

    /// Nobody says any more when the sampler will come.
    package func stop() {
        last.store(.min, ordering: .releasing)
    }

    private func gap(_ now: MonotonicInstant) -> Int64? {
        let before = last.load(ordering: .acquiring)
        guard before != .min, !isAccountedFor.load(ordering: .acquiring) else { return nil }
        let interval = interval.load(ordering: .relaxed)
        let (twice, overflow) = interval.multipliedReportingOverflow(by: 2)
        let away = now.nanoseconds - before
        return !overflow && away > max(twice, 1_000_000_000) ? away : nil
    }
}
