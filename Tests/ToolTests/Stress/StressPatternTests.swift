import Testing

@testable import _StressPatterns

@Suite struct StressPatternTests {
    @Test("The words of jetsam-stress are a pattern, and its description is the words")
    func words() throws {
        let words = "--pattern  ramp --rate 50MB/s --limit 200MiB --delay 4s --hold 5s"
        #expect(try StressPattern(words).description == words)
    }

    @Test("It takes memory in the process itself, and comes back when the pattern has ended")
    func run() throws {
        try StressPattern("--pattern ramp --limit 4MiB --rate max --hold 0s").run()
    }

    @Test(
        "Wrong words are answered as the command answers them",
        arguments: [
            ("", ["--pattern"]), ("--pattern ramp", ["--limit"]), ("--limit 5MiB", ["--limit", "--pattern"]),
            ("--pattern flood --limit 1MiB", ["--pattern", "flood", "sawtooth"]),
            ("--pattern ramp --limit 1MiB --rate 5", ["--rate", "200MB/s"]),
            ("--pattern ramp --limit 1MiB --managed", ["--managed"]),
        ])
    func wrong(words: String, mentions: [String]) {
        let error = #expect(throws: StressError.self) { try StressPattern(words) }
        for mention in mentions { #expect(error?.description.contains(mention) == true, "\(error?.description ?? "")") }
    }
}
