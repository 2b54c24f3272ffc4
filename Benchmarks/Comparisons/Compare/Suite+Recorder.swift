extension Suite {
    static let recorder = Suite(
        name: "recorder",
        abstract: "Measures what a record of the flight recorder costs.",
        discussion: """
            It stands beside an atomic addition and a copy into a slot, which keep no promises (copy). It takes a minute.
            """,
        series: [
            Series(
                program: "Recorder",
                cases: [
                    Case("record-40", "a record of 40 bytes of payload: ns"),
                    Case("record-224", "a record of 224 bytes of payload: ns"),
                    Case("record-two-threads", "the same from two threads: ns of wall time a record over all"),
                    Case("record-eight-threads", "the same from eight threads"),
                ], ways: ["jetsam", "copy"], rounds: .usually(7))
        ],
        bounds: [
            .figure("a record of 40 bytes", "record-40", .atMost(100, "<= 100 ns")),
            .figure("a record of 224 bytes", "record-224", .atMost(100, "<= 100 ns")),
            // What several threads write goes from processor to processor. How long that takes, 40 or 100 ns, the machine decides.
            .share("two threads, share of a bare copy", "record-two-threads", of: "copy", .atMost(3.5, "<= 3.5 x")),
            .share("eight threads, share of a bare copy", "record-eight-threads", of: "copy", .atMost(3.5, "<= 3.5 x")),
        ])
}
