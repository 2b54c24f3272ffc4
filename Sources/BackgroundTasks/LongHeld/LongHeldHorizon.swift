/// Tells which tasks have been held for long and were not reported yet, by when they began. Pure.
///
/// Time in which the process did not run does not count: what began before a pause is reported that much later, and nothing
/// begins in a pause.
struct LongHeldHorizon: Sendable {
    private struct Pause: Sendable {
        var start: Int64
        var length: Int64
    }

    /// The tasks to report: those that began at `after` or later, and before `upTo`. Monotonic nanoseconds; `.min` for no bound.
    struct Range: Sendable, Equatable {
        var after: Int64
        var upTo: Int64
    }

    /// After so many nanoseconds a task has been held for long.
    let span: Int64
    /// The time before which a task must have begun to count as held for long.
    private var horizon: Int64
    private var looked: Int64
    private var paused: Int64
    /// The time before which every task was reported.
    private var reported = Int64.min
    /// Pauses that the horizon has not reached yet, in their order.
    private var pauses: [Pause] = []

    /// - Parameters:
    ///   - now: Monotonic nanoseconds.
    ///   - paused: All the nanoseconds in which the process did not run so far.
    init(span: Int64, now: Int64, paused: Int64) {
        self.span = span
        self.paused = paused
        looked = now
        horizon = now - span
    }

    /// Moves on to `now`, and gives what is to be reported then. Each instant is in one range only.
    mutating func advance(to now: Int64, paused total: Int64) -> Range {
        let lost = max(0, total - paused)
        if lost > 0 { pauses.append(Pause(start: now - lost, length: lost)) }
        horizon += max(0, now - looked - lost)
        looked = now
        paused = total
        while let pause = pauses.first, horizon >= pause.start {
            horizon += pause.length
            pauses.removeFirst()
        }
        defer { reported = max(reported, horizon) }
        return Range(after: reported, upTo: max(reported, horizon))
    }

    /// Returns the time when a task that began then will have been held for long, unless the process is stopped meanwhile.
    func due(began: Int64) -> Int64 {
        looked + max(0, began - horizon)
    }
}
