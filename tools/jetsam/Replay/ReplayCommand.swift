internal import ArgumentParser
internal import CommandOutput
internal import Jetsam
internal import JetsamConfiguration
internal import JetsamTrace
internal import MemoryPressure
internal import SystemPackage

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// `jetsam replay`: comes to every decision of a trace again, or tries another configuration on it.
struct ReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Decides a trace again, exactly or under another configuration.",
        discussion: """
            A manager writes a trace to recorder.traceFile, and `jetsam record` writes one from outside. Without an option, every \
            decision is made again from its recorded input, and compared with the recorded decision: each line must come out the \
            same, byte for byte. Traces before version 4 came from other rules: they can be read, but differ.

            With --config the same readings are judged under another configuration. The result is exact until the first step that \
            differs. After that it is a model, and the output says where the model begins. The model corrects the readings by the \
            bytes that caches would have given. A step takes as long as the recorded ones. Caches that gave more fill up again as \
            fast as the recorded ones grew, within the limits of the trial. The share of these bytes that counts as fetched again \
            is that of the recording in the ten seconds after releases, or all if the recording has no release. Wasted are bytes \
            that were fetched again although memory lay idle. Needed are the bytes that had to be released. The page "Metrics, \
            alerts and the control socket" of the documentation explains both.

            With --compare the decisions of two traces are compared.

            EXIT STATUS
              0     every decision came out the same; with --config: the trial was made
              1     there is a difference
              64    usage
              65    the trace, or the configuration, cannot be used
              66    a file cannot be read
              73    the output cannot be written

            JSON, one object on one line:
              trace, readings, identical, differences, lostRecords, cutOff
              or, with --config: trace, recorded and trial, each with readings, levelChanges, steps, purgedBytes,
              releasedBytes, neededBytes, refetchedBytes, wastedBytes, wastedShare (0…1), warningNanoseconds, criticalNanoseconds, kills, leastHeadroomPercent, ladderActions, modelBegins
              or, with --compare: first, second, identical, firstDifference (t, first, second)
            """
    )

    @Argument(help: "The trace; - for standard input.")
    var trace: String

    @Option(help: .init("Try this configuration on it: a YAML or JSON file.", valueName: "file"))
    var config: String?

    @Option(help: .init("Compare its decisions with those of another trace.", valueName: "trace"))
    var compare: String?

    @Option(help: .init("Write the decisions as a trace; - for standard output.", valueName: "file"))
    var output: String?

    @Flag(help: "The result as JSON.")
    var json = false

    func validate() throws {
        if config != nil, compare != nil { throw ValidationError("--config and --compare exclude each other.") }
        if compare != nil, output != nil { throw ValidationError("--compare writes no trace; leave --output out.") }
        if output == "-", json { throw ValidationError("--output - and --json would both write to standard output.") }
    }

    func run() throws {
        if let compare { return try Comparison(first: trace, second: compare).run(json: json) }
        if let config { return try TrialRun(trace: trace, config: config, output: output).run(json: json) }
        try ExactReplay(trace: trace, output: output).run(json: json)
    }
}

/// Every decision again, under the recorded configuration.
private struct ExactReplay {
    let trace: String
    let output: String?

    func run(json: Bool) throws {
        var replay = Replay()
        var sink = output.map { OutputFile($0, madeFrom: [trace], permissions: .ownerReadWrite) }
        var differing: [(recorded: String, again: String)] = []
        var differingLines = 0
        var progress = ProgressReport(reading: trace)
        let isWhole = try unsafe TraceInput(path: trace).forEachLine { event, instant, line in
            try replay.feed(event, at: instant)
            if unsafe !Self.isSame(replay.writer.bytes, line) {
                differingLines += 1
                if differing.count < 5 {
                    unsafe differing.append((String(decoding: line, as: UTF8.self), Self.text(replay.writer.bytes)))
                }
            }
            try sink?.write(replay.writer.bytes)
            replay.dropLines()
            if replay.readings & 0xffff == 0 { progress.tick("\(replay.readings) readings") }
        }
        replay.finish()
        try sink?.finish()
        let isIdentical = differingLines == 0 && replay.differences == 0
        if json {
            print(
                JSONText.object([
                    ("trace", .string(trace)), ("readings", .integer(replay.readings)),
                    ("identical", .bool(isIdentical)),
                    ("differences", .integer(max(differingLines, replay.differences))),
                    ("lostRecords", .integer(replay.lostRecords)), ("cutOff", .bool(!isWhole)),
                ]))
        } else if output != "-" {
            report(replay, differing, differingLines, isWhole)
        }
        throw ExitCode(isIdentical ? 0 : 1)
    }

    private func report(
        _ replay: Replay, _ differing: [(recorded: String, again: String)], _ count: Int, _ isWhole: Bool
    ) {
        if !isWhole { print("The last line was cut off and is left out.") }
        if replay.lostRecords > 0 {
            let lost = replay.lostRecords.counted("record was", "records were")
            print("\(lost) lost while the trace was recorded: what follows need not agree.")
        }
        let readings = replay.readings.counted("reading", "readings")
        if count == 0, replay.differences == 0 {
            return print("\(readings): every decision came out the same, byte for byte.")
        }
        let decisions = replay.differences.counted("decision differs", "decisions differ")
        print("\(readings): \(count.counted("line", "lines")) came out otherwise, \(decisions).")
        if let version = replay.version, version < 4 {
            print(
                """
                The trace is of version \(version) of the schema: it came from rules without lead times, so its decisions differ from \
                today's. Its readings can be used: --config tries a configuration on them.
                """)
        } else if replay.version == 4 {
            print(
                "The trace is of version 4 of the schema: it calls background tasks assertions, so the lines that name them differ."
            )
        }
        for (recorded, again) in differing {
            print("  recorded  \(recorded)")
            print("  replayed  \(again.isEmpty ? "(nothing)" : again)")
        }
    }

    private static func isSame(_ bytes: [UInt8], _ line: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count == line.count + 1, let base = line.baseAddress else { return false }
        return unsafe bytes.withUnsafeBytes { written in
            unsafe written.baseAddress.map { unsafe memcmp($0, base, line.count) == 0 } ?? false
        }
    }

    private static func text(_ bytes: [UInt8]) -> String {
        String(decoding: bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes[...], as: UTF8.self)
    }
}
