internal import ArgumentParser
internal import Foundation

/// Starts the measuring programs, one process a figure.
struct Measuring: Sendable {
    let rounds: Int?
    let jemalloc: String?
    let lockHolds: String?

    private static let start = ContinuousClock.now

    static func secondsSinceStart() -> Int {
        Int(start.duration(to: .now).components.seconds)
    }

    func measure(_ suite: Suite) throws -> Figures {
        let load = (try? String(contentsOfFile: "/proc/loadavg", encoding: .utf8))?.prefix { $0 != " " } ?? "unknown"
        let most = String(format: "%.2f", ParallelLimit.measure())
        Report.step("\(suite.name): measuring; two threads that share nothing do \(most) x of one here, load \(load)")
        var figures = Figures()
        for series in suite.series { try measure(series, into: &figures) }
        return figures
    }

    private func measure(_ series: Series, into figures: inout Figures) throws {
        let rounds =
            switch series.rounds {
            case .always(let rounds): rounds
            case .usually(let usual): self.rounds ?? usual
            }
        // One run may give the figures of several cases.
        var runs: [Case] = []
        for one in series.cases where !runs.contains(where: { $0.run == one.run }) { runs.append(one) }
        for round in 1...rounds {
            for one in runs {
                for way in series.ways(of: one) {
                    for row in try rows(series.program, one.run, way, series) { figures.add(row) }
                }
                let second = String(format: "%4d", Self.secondsSinceStart())
                print("[\(second) s] \(one.run): round \(round) of \(rounds)")
                fflush(nil)
            }
        }
    }

    private func rows(_ program: String, _ name: String, _ way: String, _ series: Series) throws -> [Row] {
        var folder = Self.programs
        if series.clocksLocks {
            guard let lockHolds else { throw ValidationError("--lock-holds is needed: start this by tools/bench") }
            folder = lockHolds
        }
        var preload: String?
        switch series.preload {
        case .none: break
        case .allocationCount: preload = "\(Self.programs)/libAllocationCount.so"
        case .jemallocFor(let ways):
            guard let jemalloc else { throw ValidationError("--jemalloc is needed: start this by tools/bench") }
            if ways.contains(way) { preload = jemalloc }
        }
        return try Self.output(of: "\(folder)/\(program)", [name, way], preload: preload)
            .split(separator: "\n").compactMap(Row.init)
    }

    /// The folder of this program, where the build puts the others, too.
    static var programs: String {
        URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent().path
    }

    /// Runs a program for at most two minutes, and returns what it printed.
    static func output(of program: String, _ arguments: [String], preload: String? = nil) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let environment = preload.map { ["LD_PRELOAD=\($0)"] } ?? []
        // It is in a process group of its own, which an interrupt from the keyboard does not reach: it ends when this process does.
        process.arguments =
            ["setpriv", "--pdeathsig", "TERM", "timeout", "120", "env"] + environment + [program] + arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            let reason =
                process.terminationStatus == 124 ? "it took over two minutes" : "status \(process.terminationStatus)"
            throw ValidationError("\(arguments.joined(separator: " ")) could not be measured: \(reason)")
        }
        return String(decoding: data, as: UTF8.self)
    }
}
