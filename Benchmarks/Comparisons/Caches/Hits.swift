import ComparisonSupport

/// What it costs to find what is there.
enum Hits {
    /// Nanoseconds of wall time an access over all threads, to keys at random of those that are there, all of them.
    ///
    /// - Parameter isShared: True where all threads access the same entries; false where each has as many of its own.
    static func nanoseconds<C: Contender>(
        _: C.Type, entries: Int, threads: Int = 1, isShared: Bool = true
    ) -> Double {
        let contenders = (0..<(isShared ? 1 : threads)).map { _ in C(capacity: nil, keys: entries) }
        var random = RandomIndices(below: entries, thread: threads)
        for contender in contenders {
            for key in 0..<entries { contender.put(key) }
            run(contender, &random, accesses: entries)
        }
        let slices = Slices(threads: threads)
        return slices.quiet { slice in
            let done = Counter()
            // By the clock, and not by a number that was found to fit: a lock may take a thousand times longer once threads queue.
            let elapsed = onThreads(threads) { thread in
                let contender = contenders[thread % contenders.count]
                var random = RandomIndices(below: entries, thread: slice * threads + thread)
                var accesses = 0
                let end = monotonicNanoseconds() + slices.nanoseconds
                repeat {
                    run(contender, &random, accesses: batch)
                    accesses += batch
                } while monotonicNanoseconds() < end
                done.increment(by: accesses)
            }
            return Double(elapsed) / Double(done.value)
        }
    }

    /// Accesses between two looks at the clock.
    private static let batch = 1000

    /// Resident bytes that an entry takes of a million, beside its key and value.
    static func bytesEach<C: Contender>(_: C.Type) -> Double {
        let entries = 1_000_000
        let contender = C(capacity: nil, keys: entries)
        let empty = residentBytesAfterTrim()
        for key in 0..<entries { contender.put(key) }
        let full = residentBytesAfterTrim()
        // Until here it is held.
        guard contender.find(entries - 1) != nil else { stop("\(C.self) does not hold what was put into it") }
        return Double(full - empty) / Double(entries) - Double(C.contentBytes)
    }

    private static func run<C: Contender>(_ contender: C, _ keys: inout RandomIndices, accesses: Int) {
        for _ in 0..<accesses {
            let key = keys.next()
            guard contender.find(key) == key else { stop("\(C.self) does not hold what was put into it") }
        }
    }
}
