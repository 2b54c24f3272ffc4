extension Suite {
    static let reclaim = Suite(
        name: "reclaim",
        abstract: "Compares what comes back when memory is short.",
        discussion: """
            PurgeableByteCache (jetsam-bytes) and PurgeableCache with jemalloc (jetsam) stand beside blocks of glibc's \
            allocator (glibc, then malloc_trim) and of jemalloc (jemalloc, then a purge) that are freed one by one, and bare \
            pages (madvise: the kernel's own rate, 4 KiB pages, a mebibyte a call). Each is measured in a process of its \
            own. It needs libjemalloc2 and 1.5 GiB, and takes about three minutes.
            """,
        series: [
            series(
                [
                    Case(
                        "resident-over-live-small",
                        "1 GiB of values of 16 to 1,024 bytes, nine tenths dropped: what is resident then, over the values that "
                            + "are left"),
                    Case("resident-over-live-large", "the same of values of 1 to 64 KiB"),
                ], heaps, .always(1)),
            series(
                [
                    Case("release-rate", "everything released, of 900 MiB in values of 16 KiB: MiB a second"),
                    Case(
                        "give-back-900MiB",
                        "ms from the decision until the bytes are back; for caches a whole step of a manager"),
                ], heaps + ["madvise"], .usually(5)),
            series(
                [
                    Case("promised-over-returned", "half of 900 MiB released: what was promised over what came back")
                ], heaps, .always(1)),
            series(
                [
                    Case(
                        "foreign-stall-p999",
                        "another thread allocates every 20 µs while 900 MiB are given back: how late the 99.9th percentile "
                            + "comes, beyond what it does beside a thread that spins; each on a processor of its own, the "
                            + "median of eleven releases: ms")
                ], heaps + ["madvise"], .usually(3)),
        ],
        bounds: [
            .figure(
                "resident-over-live-small, byte cache", "resident-over-live-small", of: bytes, .atMost(1.2, "<= 1.2 x")),
            .figure(
                "resident-over-live-large, byte cache", "resident-over-live-large", of: bytes, .atMost(1.2, "<= 1.2 x")),
            .share(
                "release-rate, byte cache as a share of madvise", "release-rate", of: "madvise",
                .atLeast(0.8, ">= 0.8"),
                who: bytes),
            .figure(
                "promised-over-returned, byte cache", "promised-over-returned", of: bytes, .atMost(1.1, "<= 1.1 x")),
            .figure(
                "promised-over-returned, byte cache", "promised-over-returned", of: bytes, .atLeast(0.9, ">= 0.9 x")),
            .figure("give-back-900MiB, byte cache", "give-back-900MiB", of: bytes, .atMost(150, "<= 150 ms")),
            .share(
                "give-back-900MiB, values with jemalloc, share of by hand", "give-back-900MiB", of: "jemalloc",
                .atMost(1.25, "<= 1.25 x")),
            .figure("foreign-stall-p999, byte cache", "foreign-stall-p999", of: bytes, .atMost(1, "<= 1 ms")),
            .figure("foreign-stall-p999, values with jemalloc", "foreign-stall-p999", .atMost(1, "<= 1 ms")),
        ])

    private static let bytes = "jetsam-bytes"
    private static let heaps = [bytes, "jetsam", "glibc", "jemalloc"]

    private static func series(_ cases: [Case], _ ways: [String], _ rounds: Series.Rounds) -> Series {
        Series(
            program: "Reclaim", cases: cases, ways: ways, rounds: rounds, preload: .jemallocFor(["jetsam", "jemalloc"]))
    }
}
