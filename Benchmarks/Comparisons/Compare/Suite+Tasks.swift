extension Suite {
    static let tasks = Suite(
        name: "tasks",
        abstract: "Compares a background task with the means that a server has without Jetsam.",
        discussion: """
            They are a DispatchSourceTimer, a task that sleeps, and an event loop's scheduleCallback, in turn and each in \
            its own process. It takes about five minutes. The machine should have nothing else to do. It prints medians, \
            and compares each figure that has a bound with it. A ratio is the median of the ratios of the rounds. Loops \
            are measured in slices of 2 ms, or 60 ms with several threads. The result is the time below which a tenth of \
            the slices stay, because other programs on a shared machine make some slices slower by half, and none faster.
            """,
        series: [
            Series(
                program: "Tasks",
                cases: [
                    Case("pair-1000", "begin and end with a 30 s expiry, 1,000 live, in random order: ns a pair"),
                    Case(
                        "pair-two-threads",
                        "the same by two threads, among which 1,000 live are divided: ns of wall time a pair over all threads"
                    ),
                    Case(
                        "pair-two-apart",
                        "the same by two threads that have nothing in common: what pair-two-threads can come to on this "
                            + "machine, whose two processors may be one core"),
                    Case("pair-eight-threads", "the same by eight threads"),
                ], ways: ways, rounds: .usually(7)),
            Series(
                program: "Tasks",
                cases: [
                    // Measured just before Jetsam's pairs: it changes from one second to the next.
                    Case(
                        "load-12MiB", of: ["machine"],
                        "of the machine: a load whose address the one before gave, from as much memory as 100,000 take. An idle one's "
                            + "is 15 to 40 ns; where others fill a shared cache it is 150 ns, and pair-100k, which waits for up to three "
                            + "of them, slower by that"),
                    Case("pair-100k", "the same as pair-1000 with 100,000 live"),
                ], ways: ways, rounds: .usually(7)),
            Series(
                program: "Tasks",
                cases: [
                    Case(
                        "allocations-pair",
                        "allocations of the process a pair; Jetsam's one is the caller's own closure")
                ], ways: ways, rounds: .always(1), preload: .allocationCount),
            Series(
                program: "Tasks",
                cases: [
                    Case("bytes-live-1M", run: "memory", "resident bytes of each of a million"),
                    Case(
                        "kept-share-after-end", run: "memory",
                        "the share of them that stays when all are ended and the allocator has given back what it holds free"
                    ),
                    Case("due-at-once-100k", "ms from the common deadline of 100,000 to the last handler"),
                    Case(
                        "late-p99-sparse", run: "sparse",
                        "20,000 at random over 5 s: 99th percentile of their lateness in ms"),
                    Case("cpu-sparse", run: "sparse", "processor time of each of these in µs"),
                ], ways: ways, rounds: .usually(3)),
        ],
        bounds: [
            .share(
                "pair-1000, share of a DispatchSourceTimer", "pair-1000", of: "dispatch-timer", .atMost(1 / 7, "<= 1/7")
            ),
            .share("pair-1000, share of Task.sleep", "pair-1000", of: "task-sleep", .atMost(1 / 9, "<= 1/9")),
            .share("pair-100k, share of scheduleCallback", "pair-100k", of: "nio-callback", .atMost(1 / 80, "<= 1/80")),
            // What it takes more than with few tasks is memory that no cache of the processor has: three loads of it.
            Bound("pair-100k, share of pair-1000 and three of load-12MiB", .atMost(1, "<= 1")) {
                (figures) throws(MissingFigure) in
                let few = try figures.median("pair-1000")
                return try figures.ratio(
                    .init(name: "pair-100k", who: "jetsam"), to: .init(name: "load-12MiB", who: "machine")
                ) { many, load in many / (few + 3 * load) }
            },
            .apart(
                "two threads, pairs in one table against a table each", "pair-two-apart", "pair-two-threads",
                .atLeast(0.9, ">= 0.9")),
            .crowd("eight threads, time a pair against two", "pair-eight-threads", "pair-two-threads"),
            .figure("allocations-pair, the closure included", "allocations-pair", .atMost(1.001, "<= 1")),
            .figure("bytes-live-1M, the closure included", "bytes-live-1M", .atMost(96, "<= 96 B")),
            .figure("kept-share-after-end", "kept-share-after-end", .atMost(5, "<= 5 %")),
            .figure("due-at-once-100k", "due-at-once-100k", .atMost(10, "<= 10 ms")),
            .figure("late-p99-sparse", "late-p99-sparse", .atMost(1.5, "<= 1.5 ms")),
            .share(
                "cpu-sparse, share of a DispatchSourceTimer", "cpu-sparse", of: "dispatch-timer",
                .atMost(1 / 3, "<= 1/3")),
        ])

    private static let ways = ["jetsam", "dispatch-timer", "task-sleep", "nio-callback"]
}

extension Bound {
    /// What two threads do in common against what two that have nothing in common do here: two processors may be one core.
    static func apart(_ what: String, _ apart: String, _ common: String, _ limit: Limit) -> Bound {
        share(what, .init(name: apart, who: "jetsam"), of: .init(name: common, who: "jetsam"), limit)
    }

    /// No worse, but for what a median of them differs from the next.
    static func crowd(_ what: String, _ eight: String, _ two: String) -> Bound {
        share(what, .init(name: eight, who: "jetsam"), of: .init(name: two, who: "jetsam"), .atMost(1.05, "<= 1.05"))
    }
}
