import ComparisonSupport

/// How late those are told that do expire, and at what cost.
enum Expiries {
    /// Milliseconds from one common deadline to the last of 100,000 handlers.
    static func lastOfMany<C: Contender>(_: C.Type) -> Double {
        let count = 100_000
        let contender = C(slots: count, threads: 1)
        Firings.expect(count)
        let due = monotonicNanoseconds() + 3_000_000_000
        for slot in 0..<count { contender.begin(slot, due: due, word: slot) }
        guard monotonicNanoseconds() < due - 500_000_000 else { stop("the machine is too slow to begin them in time") }
        Firings.wait(until: due + 20_000_000_000)
        guard Firings.first >= due else { stop("the first expired \(due - Firings.first) ns early") }
        return Double(Firings.last - due) / 1e6
    }

    /// 20,000 at random over five seconds: the 99th percentile of their lateness in milliseconds, and microseconds of CPU
    /// time each, from the first deadline to the last.
    static func sparse<C: Contender>(_: C.Type) -> (lateMilliseconds: Double, cpuMicroseconds: Double) {
        let count = 20_000
        let contender = C(slots: count, threads: 1)
        var random = Shuffle(state: 7)
        let start = monotonicNanoseconds() + 1_500_000_000
        let dues = (0..<count).map { _ in start + Int64.random(in: 0..<5_000_000_000, using: &random) }
        Firings.expect(count, dues: dues)
        for slot in 0..<count { contender.begin(slot, due: dues[slot], word: slot) }
        let left = start - monotonicNanoseconds() - 100_000_000
        guard left > 0 else { stop("the machine is too slow to begin them in time") }
        pause(nanoseconds: left)
        let before = processCPUNanoseconds()
        Firings.wait(until: start + 20_000_000_000)
        let used = processCPUNanoseconds() - before
        let lateness = Firings.sortedLateness
        guard lateness[0] >= 0 else { stop("one expired \(-lateness[0]) ns early") }
        return (Double(lateness[count * 99 / 100]) / 1e6, Double(used) / 1e3 / Double(count))
    }
}
