extension Suite {
    static let caches = Suite(
        name: "caches",
        abstract: "Compares the caches with what a server would use in their place.",
        discussion: """
            PurgeableCache (jetsam) and PurgeableByteCache (jetsam-bytes) stand beside NSCache, a dictionary behind a \
            lock, and a dictionary of linked nodes as an LRU behind a lock; otherwise as in tasks. It takes about five \
            minutes. Hit rates follow, of three published traces, which are fetched (81 MB) and kept in .build-traces: \
            Jetsam's, and those of LRU, ARC, SIEVE, S3-FIFO and the optimum (Belady's). With --trace or --generate only \
            hit rates are shown; over three or more traces --check holds Jetsam against the best of the four.
            """,
        series: [
            Series(
                program: "Caches",
                cases: [
                    Case("hit-10k", "finding what is there, keys at random, of 10,000 entries: ns"),
                    Case(
                        "hit-two-threads",
                        "the same of 10,000 that both threads share: ns of wall time a hit over all threads"),
                    Case("hit-two-apart", "the same by two threads, each with 10,000 of its own"),
                    Case("hit-eight-threads", "the same of 10,000 that eight threads share"),
                ], ways: ways, rounds: .usually(11)),
            Series(
                program: "Caches", cases: [Case("hit-1M", "the same of a million")], ways: ways, rounds: .usually(9)),
            Series(
                program: "Caches",
                cases: [
                    Case(
                        "insert-worst",
                        "the longest of six million insertions into a cache of two million entries, with values of 32 bytes "
                            + "in segments of 1 MiB: ms. Of the machine: the longest first access to so many huge pages"
                    )
                ], ways: ["machine", "jetsam", "jetsam-bytes"], rounds: .usually(5)),
            Series(
                program: "Caches", cases: [Case("insert-worst-16MiB", "the same in segments of 16 MiB")],
                ways: ["jetsam-bytes"],
                rounds: .usually(5)),
            Series(
                program: "LockHolds",
                cases: [
                    Case(
                        "lock-worst",
                        "the longest time that a lock is held during these insertions and the release of everything after "
                            + "them: ms, in a build with a clock in every lock")
                ], ways: ["jetsam", "jetsam-bytes"], rounds: .usually(5), clocksLocks: true),
            Series(
                program: "LockHolds", cases: [Case("lock-worst-16MiB", "the same in segments of 16 MiB")],
                ways: ["jetsam-bytes"], rounds: .usually(5), clocksLocks: true),
            Series(
                program: "Caches",
                cases: [
                    Case(
                        "lookup-worst",
                        "the longest lookup beside a thread that inserts these: ms. It has no bound: waking up and interrupts "
                            + "of the machine are in it")
                ], ways: ["jetsam", "jetsam-bytes"], rounds: .usually(5)),
            Series(
                program: "Caches", cases: [Case("lookup-worst-16MiB", "the same in segments of 16 MiB")],
                ways: ["jetsam-bytes"],
                rounds: .usually(5)),
            Series(
                program: "Caches",
                cases: [
                    Case(
                        "bytes-entry", "resident bytes of a million entries, beside their keys and values: bytes each"),
                    Case(
                        "hitrate-zipf",
                        "what is found, in percent, with room for 100,000 of a million keys of which some are popular (Zipf 0.99)"
                    ),
                    Case("hitrate-shift", "the same of the million accesses after others became popular"),
                    Case("hitrate-scan", "the same of those between scans over 100,000 other keys"),
                ], ways: ways, rounds: .always(1)),
        ],
        bounds: [
            .share("hit-10k, share of dictionary and lock", "hit-10k", of: "dictionary", .atMost(1.1, "<= 1.1")),
            .share("hit-10k, share of NSCache", "hit-10k", of: "nscache", .atMost(0.1, "<= 1/10")),
            .share("hit-1M, share of dictionary and lock", "hit-1M", of: "dictionary", .atMost(1.7, "<= 1.7")),
            .apart(
                "two threads, hits on one cache against a cache each", "hit-two-apart", "hit-two-threads",
                .atLeast(0.85, ">= 0.85")),
            .crowd("eight threads, time a hit against two", "hit-eight-threads", "hit-two-threads"),
            .figure("bytes-entry", "bytes-entry", .atMost(48, "<= 48 B")),
            .figure("bytes-entry, byte cache", "bytes-entry", of: bytes, .atMost(16, "<= 16 B")),
            .share(
                "hit-10k, byte cache as a share of PurgeableCache", "hit-10k", of: "jetsam", .atMost(1.05, "<= 1.05"),
                who: bytes),
            // Where one access to fresh memory takes longer than that, no insertion that needs it can be shorter.
            Bound("longest insertion, or what the first access to memory takes") { (figures) throws(MissingFigure) in
                try figures.median("insert-worst")
            } limit: { (figures) throws(MissingFigure) in
                let limit = max(5, 1.25 * (try figures.median("insert-worst", "machine")))
                return .atMost(limit, "<= \((limit * 100).rounded() / 100) ms")
            },
            .figure("longest insertion, byte cache", "insert-worst", of: bytes, .atMost(5, "<= 5 ms")),
            .figure(
                "longest insertion, byte cache, 16 MiB segments", "insert-worst-16MiB", of: bytes, .atMost(5, "<= 5 ms")
            ),
            .figure("longest hold of a lock", "lock-worst", .atMost(1, "<= 1 ms")),
            .figure("longest hold of a lock, byte cache", "lock-worst", of: bytes, .atMost(1, "<= 1 ms")),
            .figure(
                "longest hold of a lock, byte cache, 16 MiB segments", "lock-worst-16MiB", of: bytes,
                .atMost(1, "<= 1 ms")),
            .aheadOfLRU("hitrate-zipf", by: 3),
            .aheadOfLRU("hitrate-shift", by: 0),
            .aheadOfLRU("hitrate-scan", by: 10),
        ])

    private static let ways = ["jetsam", bytes, "nscache", "dictionary", "lru"]
    private static let bytes = "jetsam-bytes"
}

extension Bound {
    fileprivate static func aheadOfLRU(_ name: String, by points: Double) -> Bound {
        Bound("\(name), points ahead of LRU", .atLeast(points, ">= \(Int(points))")) {
            (figures) throws(MissingFigure) in
            try figures.median(name) - figures.median(name, "lru")
        }
    }
}
