import ComparisonSupport

/// What it costs to find what is there.
enum Hits {
    /// Roughly how long one measurement takes.
    private static let budget: Int64 = 500_000_000

    /// Nanoseconds of wall time an access over all threads, to keys at random of those that are there, all of them.
    static func nanoseconds<C: Contender>(_: C.Type, entries: Int, threads: Int = 1) -> Double {
        let contender = filled(C.self, entries: entries)
        run(contender, entries: entries, thread: 0, accesses: entries)
        var accesses = 10_000
        while true {
            let count = accesses
            let elapsed = onThreads(threads) { thread in
                run(contender, entries: entries, thread: thread, accesses: count)
            }
            if elapsed >= budget / 2 { return Double(elapsed) / Double(accesses * threads) }
            let fitting = Double(budget) / Double(max(elapsed, 1)) * Double(accesses)
            accesses = max(accesses * 2, min(accesses * 20, Int(fitting)))
        }
    }

    /// Resident bytes that an entry takes of a million, beside its key and value.
    static func bytesEach<C: Contender>(_: C.Type) -> Double {
        let entries = 1_000_000
        let contender = C(capacity: nil, keys: entries)
        let empty = residentBytes()
        for key in 0..<entries { contender.put(key) }
        let full = residentBytes()
        run(contender, entries: entries, thread: 0, accesses: entries)
        return Double(full - empty) / Double(entries) - Double(C.contentBytes)
    }

    private static func filled<C: Contender>(_: C.Type, entries: Int) -> C {
        let contender = C(capacity: nil, keys: entries)
        for key in 0..<entries { contender.put(key) }
        return contender
    }

    private static func run<C: Contender>(_ contender: C, entries: Int, thread: Int, accesses: Int) {
        var random = UInt64(truncatingIfNeeded: thread &* 77 &+ 12345)
        for _ in 0..<accesses {
            // Knuth's MMIX generator: its upper bits are random enough, and it costs a nanosecond.
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let key = Int(((random >> 32) &* UInt64(entries)) >> 32)
            guard contender.find(key) == key else { stop("\(C.self) does not hold what was put into it") }
        }
    }
}
