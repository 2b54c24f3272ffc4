internal import ArgumentParser
internal import CommandOutput
internal import Jetsam
internal import JetsamConfiguration
internal import JetsamTrace
internal import MemoryPressure
internal import SystemPackage

/// A trace under another configuration, beside what was recorded.
struct TrialRun {
    let trace: String
    let config: String
    let output: String?

    func run(json: Bool) throws {
        let settings = try ConfigurationInput.read(config)
        var sink = output.map { OutputFile($0, madeFrom: [trace, config], permissions: .ownerReadWrite) }
        var recorded: Trial?
        var trial: Trial?
        var first: MonotonicInstant?
        var progress = ProgressReport(reading: trace)
        try TraceInput(path: trace).forEach { event, instant in
            if case .trace(let header) = event, trial == nil {
                first = instant
                recorded = Trial(nil, header: header)
                trial = Trial(settings, header: header, writesTrace: sink != nil)
            }
            recorded?.feed(event, at: instant)
            trial?.feed(event, at: instant)
            if let bytes = trial?.writer?.bytes, !bytes.isEmpty {
                try sink?.write(bytes)
                trial?.dropLines()
            }
            if let readings = trial?.outcome.readings, readings & 0xffff == 0 { progress.tick("\(readings) readings") }
        }
        recorded?.finish()
        trial?.finish()
        try sink?.finish()
        guard let recorded, let trial, let first else { return }
        if json {
            print(
                JSONText.object([
                    ("trace", .string(trace)), ("recorded", recorded.outcome.json), ("trial", trial.outcome.json),
                ]))
        } else if output != "-" {
            report(recorded.outcome, trial.outcome, from: first)
        }
    }

    private func report(_ recorded: Trial.Outcome, _ trial: Trial.Outcome, from first: MonotonicInstant) {
        var rows = [["", "recorded", "trial"]]
        for (name, value) in Trial.Outcome.figures { rows.append([name, value(recorded), value(trial)]) }
        print(Columns.aligned(rows).joined(separator: "\n"))
        if let begin = trial.modelBegins {
            let time = first.duration(to: begin).shortText
            print(
                "\nThe two part \(time) after the beginning. Up to there the trial is exact; from there on it is a model."
            )
        } else {
            print("\nNo step differs from the recorded ones: all of it is exact.")
        }
    }
}

extension Trial.Outcome {
    /// The figures that can be told of a trial, with their names.
    static let figures: [(name: String, value: @Sendable (Trial.Outcome) -> String)] = [
        ("readings", { "\($0.readings)" }),
        ("level changes", { "\($0.levelChanges)" }),
        ("steps", { "\($0.steps)" }),
        ("asked of caches", { ByteCount($0.purgedBytes).description }),
        ("released", { ByteCount($0.releases.releasedBytes).description }),
        ("needed", { ByteCount($0.releases.neededBytes).description }),
        ("wasted", { "\(ByteCount($0.releases.wastedBytes)) (\(FigureText.wastedShare($0.releases)))" }),
        ("time at warning", { Duration.nanoseconds($0.warningTime).shortText }),
        ("time at critical", { Duration.nanoseconds($0.criticalTime).shortText }),
        ("least headroom", { "\($0.leastHeadroomPercent) %" }),
        ("without headroom", { $0.kills.counted("time", "times") }),
        ("later stages", { "\($0.ladderActions)" }),
    ]

    var json: JSONText {
        .object([
            ("readings", .integer(readings)), ("levelChanges", .integer(levelChanges)), ("steps", .integer(steps)),
            ("purgedBytes", .integer(purgedBytes)), ("releasedBytes", .integer(releases.releasedBytes)),
            ("neededBytes", .integer(releases.neededBytes)), ("refetchedBytes", .integer(releases.refetchedBytes)),
            ("wastedBytes", .integer(releases.wastedBytes)), ("wastedShare", .number(releases.wastedShare)),
            ("warningNanoseconds", .integer(Int(warningTime))),
            ("criticalNanoseconds", .integer(Int(criticalTime))), ("kills", .integer(kills)),
            ("leastHeadroomPercent", .integer(leastHeadroomPercent)), ("ladderActions", .integer(ladderActions)),
            ("modelBegins", .integer(modelBegins.map { Int($0.nanoseconds) })),
        ])
    }
}

/// A configuration file that a command is given.
enum ConfigurationInput {
    /// - Throws: `ExitCode` 66 where it cannot be read and 65 where it cannot be used, after every fault was said.
    static func read(_ path: String) throws -> ManagerConfiguration {
        let report: CheckReport
        do {
            report = try CheckReport(checking: FilePath(path))
        } catch {
            StandardError.write("\(path): error: cannot be read: \(error)")
            throw ExitCode(66)
        }
        for warning in report.warnings { StandardError.write("\(path):\(warning)") }
        guard let settings = report.settings else {
            for problem in report.problems { StandardError.write("\(path):\(problem)") }
            throw ExitCode(65)
        }
        return settings.manager
    }
}
