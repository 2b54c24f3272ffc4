import ComparisonSupport

/// What it costs to begin and end, with some already held.
enum Pairs {
    /// What a thread does before it looks what is left. They draw from one store, so that one that is held up does less and
    /// does not keep the others waiting at the end.
    private static let portion = 100

    /// Nanoseconds of wall time a pair over all threads, each with `live` of its own, ended in random order.
    ///
    /// - Parameter isShared: True where all threads use one contender; false where each has its own.
    static func nanoseconds<C: Contender>(
        _: C.Type, live: Int, threads: Int = 1, isShared: Bool = true
    ) -> Double {
        let contenders =
            isShared
            ? [C(slots: live * threads, threads: threads)] : (0..<threads).map { _ in C(slots: live, threads: 1) }
        for contender in contenders {
            for slot in 0..<live * threads / contenders.count { contender.begin(slot) }
            contender.settle()
        }
        var turn = 0
        func measure(_ portions: Int) -> Int64 {
            let drawn = Counter()
            let seed = turn * threads
            turn += 1
            return onThreads(threads) { thread in
                let contender = contenders[thread % contenders.count]
                var indices = RandomIndices(below: live, thread: seed + thread)
                while drawn.next() < portions {
                    run(contender, from: isShared ? thread * live : 0, &indices, pairs: portion)
                }
                contender.settle()
            }
        }
        let slices = Slices(threads: threads)
        // As many as fit into a slice, by how long a few take.
        var portions = threads
        while true {
            let elapsed = measure(portions)
            if elapsed >= slices.nanoseconds / 2 { break }
            let fitting = Double(slices.nanoseconds) / Double(max(elapsed, 1)) * Double(portions)
            portions = max(portions * 2, min(portions * 20, Int(fitting)))
        }
        let pairs = Double(portions * portion)
        let value = slices.quiet { _ in Double(measure(portions)) / pairs }
        guard Firings.fired == 0 else { stop("\(Firings.fired) expired 30 s early") }
        return value
    }

    /// Allocations a pair, of the whole process.
    static func allocationsEach<C: Contender>(_: C.Type) -> Double {
        let live = 1000
        let pairs = 50_000
        let contender = C(slots: live, threads: 1)
        for slot in 0..<live { contender.begin(slot) }
        var indices = RandomIndices(below: live, thread: 0)
        run(contender, &indices, pairs: pairs)
        contender.settle()
        guard let before = allocations() else { stop("the library that counts allocations is not preloaded") }
        run(contender, &indices, pairs: pairs)
        contender.settle()
        guard let after = allocations(), after > before else { stop("allocations are not counted") }
        return Double(after - before) / Double(pairs)
    }

    private static func run<C: Contender>(
        _ contender: C, from first: Int = 0, _ indices: inout RandomIndices, pairs: Int
    ) {
        for _ in 0..<pairs {
            let slot = first + indices.next()
            contender.end(slot)
            contender.begin(slot)
        }
    }
}
