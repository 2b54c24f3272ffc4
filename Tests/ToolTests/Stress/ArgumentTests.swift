import ArgumentParser
import Testing

@testable import _StressPatterns
@testable import jetsam_stress

@Suite struct ArgumentTests {
    @Test(
        "A time is read as people write it",
        arguments: [
            ("5s", Duration.seconds(5)), ("5", .seconds(5)), ("500ms", .milliseconds(500)),
            ("1.5s", .milliseconds(1500)),
            ("2m", .seconds(120)), ("2min", .seconds(120)), ("1h", .seconds(3600)), ("0", .zero),
            ("250us", .microseconds(250)),
        ]
    )
    func span(text: String, expected: Duration) {
        #expect(Span(argument: text)?.duration == expected)
    }

    @Test(
        "What is no time is refused", arguments: ["", "s", "5 parsecs", "-1s", "1..2s", "5ss", "9999999999999h", "nan"])
    func notASpan(text: String) {
        #expect(Span(argument: text) == nil)
    }

    @Test(
        "A rate is a size a second, or max",
        arguments: [
            ("200MB/s", 200_000_000), ("1GiB/s", 1 << 30), ("4096/s", 4096), ("max", nil),
        ] as [(String, Int?)]
    )
    func rate(text: String, expected: Int?) {
        #expect(Rate(argument: text) == Rate(bytesPerSecond: expected))
    }

    @Test("What is no rate is refused", arguments: ["", "200MB", "/s", "0/s", "-1MB/s", "200MB/m", "MB/s", "maximum"])
    func notARate(text: String) {
        #expect(Rate(argument: text) == nil)
    }

    @Test(
        "An amount is a size, or the headroom and a size more or less",
        arguments: [
            ("512MiB", .bytes(512 << 20)), ("0", .bytes(0)), ("headroom", .headroom(plus: 0)),
            ("headroom+102MiB", .headroom(plus: 102 << 20)), ("headroom-1GB", .headroom(plus: -1_000_000_000)),
        ] as [(String, Amount)]
    )
    func amount(text: String, expected: Amount) {
        #expect(Amount(argument: text) == expected)
    }

    @Test(
        "What is no amount is refused",
        arguments: ["", "-5", "512QiB", "headroom*2", "headroom+", "headroomy", "9999999T"])
    func notAnAmount(text: String) {
        #expect(Amount(argument: text) == nil)
    }

    @Test(
        "A share is a fraction or a percentage",
        arguments: [("0", 0), ("0.25", 0.25), ("25%", 0.25), ("1", 1), ("100%", 1), (".5", 0.5)]
    )
    func share(text: String, expected: Double) {
        #expect(Share(argument: text) == Share(expected))
    }

    @Test("What is no share is refused", arguments: ["", "%", "1.01", "101%", "-0.1", "half", "0x1p-2", "nan", "1e-2"])
    func notAShare(text: String) {
        #expect(Share(argument: text) == nil)
    }

    @Test(
        "A share of a count is rounded to the nearest", arguments: [(0.25, 10, 3), (0, 7, 0), (1, 7, 7), (0.1, 4, 0)])
    func shareOfCount(fraction: Double, count: Int, expected: Int) {
        #expect(Share(fraction).of(count) == expected)
    }

    @Test("An amount over the headroom is never negative")
    func amountIsNotNegative() {
        #expect(Amount.headroom(plus: -100).resolved { 60 } == 0)
        #expect(Amount.headroom(plus: 100).resolved { 60 } == 160)
        #expect(Amount.bytes(7).resolved { 60 } == 7)
    }

    @Test(
        "A wrong command line is answered with the option and what is allowed",
        arguments: [
            (["--limit", "1MiB"], ["--pattern"]),
            ([], ["--pattern", "--tasks"]),
            (["--tasks", "5", "--limit", "1MiB"], ["--limit", "--pattern"]),
            (["--tasks", "0"], ["--tasks", "from 1 to"]),
            (["--tasks", "5", "--overdue", "1.5"], ["--overdue", "from 0 to 1"]),
            (["--tasks", "5", "--expiry", "0s"], ["--expiry", "more than 0"]),
            (["--tasks", "5", "--turnover", "-1"], ["--turnover"]),
            (["--tasks", "5", "--seed", "4"], ["--seed", "fragment"]),
            (["--pattern", "ramp", "--limit", "1MiB", "--overdue", "0.5"], ["--overdue", "--tasks"]),
            (["--pattern", "ramp"], ["--limit"]),
            (["--pattern", "flood", "--limit", "1MiB"], ["--pattern", "ramp", "sawtooth", "pagecache"]),
            (["--pattern", "ramp", "--limit", "a lot"], ["--limit", "a size such as 512MiB"]),
            (["--pattern", "ramp", "--limit", "0"], ["--limit", "at least 1 byte"]),
            (["--pattern", "ramp", "--limit", "1MiB", "--rate", "5"], ["--rate", "200MB/s"]),
            (["--pattern", "ramp", "--limit", "1MiB", "--hold", "long"], ["--hold", "500ms"]),
            (["--pattern", "ramp", "--limit", "1MiB", "--duration", "ever"], ["--duration", "500ms"]),
            (["--pattern", "ramp", "--limit", "1MiB", "--delay", "ever"], ["--delay", "500ms"]),
            (["--pattern", "spike", "--limit", "1MiB", "--rate", "1MB/s"], ["--rate", "spike"]),
            (["--pattern", "leak", "--limit", "1MiB", "--hold", "1s"], ["--hold", "--duration"]),
            (["--pattern", "ramp", "--limit", "1MiB", "--seed", "4"], ["--seed", "fragment"]),
            (["--pattern", "ramp", "--limit", "1MiB", "--reread"], ["--reread", "pagecache"]),
            (["--pattern", "ramp", "--limit", "1MiB", "--directory", "/"], ["--directory", "pagecache"]),
            (["--pattern", "ramp", "--limit", "1MiB", "--anonymous", "1"], ["--anonymous", "pagecache"]),
            (["--pattern", "pagecache", "--limit", "1MiB", "--random-order"], ["--random-order", "--reread"]),
            (["--pattern", "pagecache", "--limit", "1MiB", "--reread", "--hold", "1s"], ["--hold", "--reread"]),
            (["--pattern", "ramp", "--limit", "1MiB", "--sped", "4"], ["--sped"]),
            (["--pattern", "ramp", "--limit", "1MiB", "--managed"], ["--managed", "--purgeable", "--tasks"]),
            (["--pattern", "ramp", "--limit", "1MiB", "--trace", "/tmp/t"], ["--trace", "--managed"]),
            (
                ["--pattern", "ramp", "--limit", "1MiB", "--purgeable", "1MiB", "--managed", "--trace", "t"],
                ["--trace", "absolute path", "/tmp/trace.jsonl"]
            ),
            (["--pattern", "ramp", "--limit", "1MiB", "--purgeable", "x"], ["--purgeable", "512MiB"]),
            (["run", "--", "true"], ["--limit"]),
            (["run", "--limit", "64MiB"], ["COMMAND"]),
            (["run", "--limit", "64KiB", "--", "true"], ["--limit", "at least 1MiB"]),
            (["run", "--limit", "64MiB", "--high", "65MiB", "--", "true"], ["--high", "--limit"]),
            (["run", "--limit", "64MiB", "--resize", "32MiB", "--", "true"], ["--resize", "--resize-after"]),
            (["run", "--limit", "64MiB", "--resize-after", "1s", "--", "true"], ["--resize", "--resize-after"]),
            (["run", "--limit", "64MiB", "--before-resize", "true", "--", "true"], ["--before-resize needs --resize"]),
            (
                ["run", "--limit", "64MiB", "--resize", "1KiB", "--resize-after", "1s", "--", "true"],
                ["--resize", "at least 1MiB"]
            ),
            (["run", "--limit", "64MiB", "--grace", "x", "--", "true"], ["--grace", "500ms"]),
        ]
    )
    func wrongCommandLine(arguments: [String], words: [String]) {
        let error = #expect(throws: (any Error).self) { try JetsamStress.parseAsRoot(arguments) }
        guard let error else { return }
        #expect(JetsamStress.exitCode(for: error) == .validationFailure)
        let message = JetsamStress.fullMessage(for: error)
        for word in words { #expect(message.contains(word)) }
    }

    @Test("The help of allocate describes every pattern, and that of run every exit status")
    func help() {
        let allocate = JetsamStress.helpMessage(for: AllocateCommand.self)
        for pattern in Pattern.allCases { #expect(allocate.contains("\n  \(pattern.rawValue) ")) }
        let run = JetsamStress.helpMessage(for: RunCommand.self)
        for status in ["0 ", "1 ", "2 ", "3 ", "64 ", "128+N "] { #expect(run.contains("\n  \(status)")) }
    }
}
