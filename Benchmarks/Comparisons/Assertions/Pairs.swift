import ComparisonSupport

/// What it costs to begin and end, with some already held.
enum Pairs {
    /// Roughly how long one measurement takes.
    private static let budget: Int64 = 500_000_000

    /// Nanoseconds of wall time a pair over all threads, each with `live` of its own, ended in random order.
    static func nanoseconds<C: Contender>(_: C.Type, live: Int, threads: Int = 1) -> Double {
        let contender = C(slots: live * threads, threads: threads)
        for slot in 0..<live * threads { contender.begin(slot) }
        contender.settle()
        // As many as fit into the time, by how long a few take; where that is long already, they are the measurement.
        var pairs = 1000
        var elapsed: Int64 = 0
        while true {
            let count = pairs
            elapsed = onThreads(threads) { thread in
                run(contender, live: live, thread: thread, pairs: count)
                contender.settle()
            }
            if elapsed >= budget / 2 { break }
            let fitting = Double(budget) / Double(max(elapsed, 1)) * Double(pairs)
            pairs = max(pairs * 2, min(pairs * 20, Int(fitting)))
        }
        guard Firings.fired == 0 else { stop("\(Firings.fired) expired 30 s early") }
        return Double(elapsed) / Double(pairs * threads)
    }

    /// Allocations a pair, of the whole process.
    static func allocationsEach<C: Contender>(_: C.Type) -> Double {
        let live = 1000
        let pairs = 50_000
        let contender = C(slots: live, threads: 1)
        for slot in 0..<live { contender.begin(slot) }
        run(contender, live: live, thread: 0, pairs: pairs)
        contender.settle()
        guard let before = allocations() else { stop("the library that counts allocations is not preloaded") }
        run(contender, live: live, thread: 0, pairs: pairs)
        contender.settle()
        guard let after = allocations(), after > before else { stop("allocations are not counted") }
        return Double(after - before) / Double(pairs)
    }

    private static func run<C: Contender>(_ contender: C, live: Int, thread: Int, pairs: Int) {
        var random = UInt64(truncatingIfNeeded: thread &* 77 &+ 12345)
        let first = thread * live
        for _ in 0..<pairs {
            // Knuth's MMIX generator: its upper bits are random enough, and it costs a nanosecond.
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let slot = first + Int(((random >> 32) &* UInt64(live)) >> 32)
            contender.end(slot)
            contender.begin(slot)
        }
    }
}
