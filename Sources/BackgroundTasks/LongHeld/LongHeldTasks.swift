internal import JetsamSystem
internal import Synchronization

/// Finds background tasks that are held for so long that somebody may have forgotten to end them, each of them once.
package final class LongHeldTasks: Sendable {
    /// The tasks that one look found.
    package struct Finding: Sendable, Equatable {
        package var count: Int
        /// The first of them, a line each.
        package var first: [String]
        /// The time that each of them has been held at least.
        package var span: Duration
    }

    /// So many are named in a line.
    private static let mostNamed = 10

    private let tasks: BackgroundTaskRegistry
    private let span: Duration
    private let horizon: Lock<LongHeldHorizon>
    /// The time of the next look, in monotonic nanoseconds.
    private let next: Atomic<Int64>

    /// Nil where nobody wants to know.
    package init?(tasks: BackgroundTaskRegistry) {
        guard let span = tasks.configuration.longHeldAfter else { return nil }
        self.tasks = tasks
        self.span = span
        let table = tasks.table
        horizon = Lock(
            LongHeldHorizon(span: span.nanoseconds, now: table.now, paused: table.pauses.pausedNanoseconds))
        // Tasks that began before the manager may already be old.
        next = Atomic(.min)
    }

    /// Indicates whether there may be something to report. Costs one load and one look at the clock, because the sampler asks at
    /// each turn.
    package var isDue: Bool { tasks.table.now >= next.load(ordering: .relaxed) }

    /// Returns the tasks that have become long-held since the last call; nil where there are none. Walks through all tasks, and
    /// allocates.
    package func collect() -> Finding? {
        let table = tasks.table
        return horizon.withLock { horizon -> Finding? in
            let range = horizon.advance(to: table.now, paused: table.pauses.pausedNanoseconds)
            let found = table.findLongHeld(range, naming: Self.mostNamed)
            table.longHeld.add(found.count, ordering: .relaxed)
            // The oldest of the others comes next. Where many are held, several are reported together.
            let earliest = table.now + HeldTasksWatch.interval(among: table.holding)
            next.store(
                found.oldestLeft.map { max(earliest, horizon.due(began: $0)) } ?? table.now + horizon.span,
                ordering: .relaxed)
            guard found.count > 0 else { return nil }
            let first = found.first.compactMap { table.held($0)?.description }
            return Finding(count: found.count, first: first, span: span)
        }
    }
}

extension TaskTable {
    /// The tasks that a walk has found.
    struct LongHeldWalk {
        var count = 0
        var first: [Identifier] = []
        /// The time when the oldest task that is not in the range yet began, in monotonic nanoseconds.
        var oldestLeft: Int64?
    }

    /// The tasks that began in `range` and still hold the process. Those that are overdue were reported already.
    ///
    /// Beginnings are known to 17 ms: they count as so much later, for nothing is reported early.
    func findLongHeld(_ range: LongHeldHorizon.Range, naming most: Int) -> LongHeldWalk {
        let unit = unit
        func age(_ instant: Int64) -> Int64 { Int64(unit) - ((instant - start) >> TaskEntry.beginShift) }
        let youngest = age(range.upTo)
        let oldest = range.after == .min ? Int64.max : age(range.after)
        var walk = LongHeldWalk()
        var oldestLeft = Int64.min
        forEach { entry, identifier, _ in
            guard entry.phase == .held || entry.phase == .expiring else { return }
            let age = Int64(TaskEntry.age(entry.begunAt, at: unit))
            if age <= youngest {
                oldestLeft = max(oldestLeft, age)
            } else if age <= oldest {
                walk.count += 1
                if walk.first.count < most { walk.first.append(identifier) }
            }
        }
        if oldestLeft != .min {
            walk.oldestLeft = start + ((Int64(unit) - oldestLeft + 1) << TaskEntry.beginShift)
        }
        return walk
    }
}
