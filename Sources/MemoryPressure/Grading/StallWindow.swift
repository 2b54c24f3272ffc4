/// The share of the last two seconds that was stalled, from deltas of PSI's `total`.
///
/// The kernel's own averages lag both ways; deltas of the running total do not.
package struct StallWindow: Sendable {
    /// The kernel's averaging tick, and the only window that an unprivileged trigger may have (kernel/sched/psi.c).
    package static let length: Int64 = 2_000_000_000

    package init() {}

    private struct Point {
        var nanoseconds: Int64
        var total: UInt64
    }

    private static let capacity = 64
    private static let spacing = length / 40
    private var points = [Point](repeating: Point(nanoseconds: 0, total: 0), count: capacity)
    private var count = 0
    private var next = 0
    private var newest: Point?
    private var triggered: (percent: Int, until: Int64)?

    package mutating func reset() {
        count = 0
        next = 0
        newest = nil
        triggered = nil
    }

    package mutating func append(totalMicroseconds total: UInt64, at instant: MonotonicInstant) {
        let point = Point(nanoseconds: instant.nanoseconds, total: total)
        newest = point
        if count > 0 {
            let last = points[(next + Self.capacity - 1) % Self.capacity]
            if total < last.total {  // Another file, or the cgroup was made anew: earlier totals mean nothing.
                count = 0
            } else if point.nanoseconds - last.nanoseconds < Self.spacing {
                return
            }
        }
        points[next] = point
        next = (next + 1) % Self.capacity
        count = min(count + 1, Self.capacity)
    }

    /// A trigger fired: the kernel saw at least this share within its window, which no reading of ours may have covered.
    package mutating func noteTrigger(percent: Int, at instant: MonotonicInstant) {
        triggered = (percent, instant.nanoseconds + Self.length)
    }

    /// Percent of the last two seconds in which some task waited for memory.
    package func percent(at instant: MonotonicInstant) -> Int {
        var result = 0
        if let triggered, instant.nanoseconds < triggered.until { result = triggered.percent }
        guard let newest else { return result }
        var base = newest.total
        for age in 1...Self.capacity where age <= count {
            let point = points[(next - age + Self.capacity) % Self.capacity]
            if instant.nanoseconds - point.nanoseconds > Self.length { break }
            base = point.total
        }
        let stalled = Int(clamping: newest.total - base) * 1000
        return max(result, min(100, stalled / (Int(Self.length) / 100)))
    }
}
