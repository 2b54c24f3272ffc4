internal import ArgumentParser
internal import Foundation

/// The options that all comparisons have.
struct CompareOptions: ParsableArguments {
    @Option(help: ArgumentHelp("How often each case is measured, from 1 to 999.", valueName: "N"))
    var rounds: Int?

    @Flag(help: "Exit status 1 if a bound is missed.")
    var check = false

    @Option(help: ArgumentHelp(#"Also write {"rows": [{"case", "who", "value", "unit"}]} to FILE."#, valueName: "FILE"))
    var json: String?

    @Option(help: .hidden)
    var jemalloc: String?

    @Option(help: .hidden)
    var lockHolds: String?

    /// Ends when the options were read: `tools/bench` says a wrong one before it builds what is measured.
    @Flag(help: .hidden)
    var onlyOptions = false

    func validate() throws {
        if let rounds, !(1...999).contains(rounds) {
            throw ValidationError("--rounds takes a number from 1 to 999, not \(rounds)")
        }
        if let json, !FileManager.default.createFile(atPath: json, contents: nil) {
            throw ValidationError("\(json) cannot be written")
        }
    }

    var measuring: Measuring {
        Measuring(rounds: rounds, jemalloc: jemalloc, lockHolds: lockHolds)
    }

    /// Measures the suite, shows its figures, and compares them with its bounds.
    func compare(_ suite: Suite) throws {
        if onlyOptions { return }
        let figures = try measuring.measure(suite)
        Report.show(figures)
        try write(figures.rows)
        try conclude([Report.judge(suite.bounds, figures)])
    }

    func write(_ rows: [Row]) throws {
        guard let json else { return }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let lines = try rows.map { "  " + String(decoding: try encoder.encode($0), as: UTF8.self) }
        try "{\"rows\":[\n\(lines.joined(separator: ",\n"))\n]}\n".write(
            toFile: json, atomically: true, encoding: .utf8)
        print("written to \(json)")
    }

    func conclude(_ verdicts: [Bool]) throws {
        if check, verdicts.contains(false) { throw ExitCode.failure }
    }
}
