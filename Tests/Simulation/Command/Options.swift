import Foundation
import Jetsam
import JetsamConfiguration
import SystemPackage

/// What the command was called with.
struct Options {
    struct Wrong: Error {
        var text: String
    }

    /// The seeds that are counted in the file of today's violations.
    static let fixedSeeds: ClosedRange<UInt64> = 1...100
    static let hour = 3600

    var seeds = fixedSeeds
    var followed: UInt64?
    var seconds = hour
    var workers = max(1, ProcessInfo.processInfo.activeProcessorCount)
    /// The file of today's violations.
    var baseline: String?
    var records = false
    /// The file of the managers' configuration; nil for the defaults.
    var config: String?
    var configuration = ManagerConfiguration()
    /// The seeds of a worker, which is this program once more.
    var list: [UInt64]?
    var showsHelp = false

    static let help = """
        usage: tools/simulate [--seeds N] [--first SEED] [--follow SEED] [--seconds N] [--workers N]
                              [--config FILE] [--record]

        Runs managers in made-up worlds, an hour of simulated time for each seed: caches, background tasks and scenes with a
        made-up kernel, on a clock that is moved by hand. Memory grows, comes and goes, limits are cut, handlers are slow, hang,
        throw and lie. In each world eleven invariants are watched. Those that hold must go on to hold. The others may be violated no
        more often than is written down in Tests/Simulation/Baseline.txt, over the seeds 1 to 100. Some seeds run twice and must
        give the same digest.

        It ends with 1 where something does not hold, and says which seed shows it. The same seed gives the same world, so that
        --follow shows what happened.

          --seeds N       how many seeds; the variable JETSAM_SEEDS, else 100
          --first SEED    the first of them, 1 by default
          --follow SEED   runs one seed and prints everything that happens; the variable JETSAM_SEED does the same
          --seconds N     how long a world is, in simulated seconds, instead of 3600
          --workers N     how many seeds run at once, instead of one for each processor
          --config FILE   the managers' configuration, as 'jetsam check' accepts it, instead of the defaults; then nothing has
                          to hold, and the numbers of processes killed can be compared
          --record        writes what is counted into Tests/Simulation/Baseline.txt
          --help          prints this

        Exit codes: 0 everything holds; 1 something does not; 64 wrong usage.
        """

    init(_ arguments: ArraySlice<String>) throws {
        let variables = ProcessInfo.processInfo.environment
        var count = try variables["JETSAM_SEEDS"].map { try Self.number("JETSAM_SEEDS", $0) } ?? 100
        followed = try variables["JETSAM_SEED"].map { try Self.number("JETSAM_SEED", $0) }
        var first: UInt64 = 1
        var rest = arguments
        func next(_ option: String) throws -> String {
            guard let value = rest.popFirst() else { throw Wrong(text: "\(option) takes a value") }
            return value
        }
        while let option = rest.popFirst() {
            switch option {
            case "--seeds": count = try Self.number(option, next(option))
            case "--first": first = try Self.number(option, next(option))
            case "--follow": followed = try Self.number(option, next(option))
            case "--seconds": seconds = Int(try Self.number(option, next(option)))
            case "--workers": workers = Int(try Self.number(option, next(option)))
            case "--baseline": baseline = try next(option)
            case "--config": config = try next(option)
            case "--record": records = true
            case "--list": list = try next(option).split(separator: ",").map { try Self.number(option, String($0)) }
            case "-h", "--help": showsHelp = true
            default:
                let allowed = "--seeds, --first, --follow, --seconds, --workers, --config, --record and --help"
                throw Wrong(text: "unknown option '\(option)'; allowed are \(allowed)")
            }
        }
        seeds = first...first + count - 1
        if records, !isFixed {
            throw Wrong(text: "--record goes with the seeds 1 to 100, whole hours and the defaults only")
        }
        if let config { configuration = try Self.configuration(in: config) }
    }

    /// Whether these are the worlds that the file of today's violations counts.
    var isFixed: Bool { seeds == Self.fixedSeeds && seconds == Self.hour && config == nil }

    private static func configuration(in file: String) throws -> ManagerConfiguration {
        let report: CheckReport
        do { report = try CheckReport(checking: FilePath(file)) } catch {
            throw Wrong(text: "--config: \(file) cannot be read: \(error)")
        }
        guard let settings = report.settings else {
            let problems = report.problems.map { "\n  \(file):\($0)" }.joined()
            throw Wrong(text: "--config: \(file) cannot be used:\(problems)")
        }
        return settings.manager
    }

    private static func number(_ option: String, _ text: String) throws -> UInt64 {
        guard let number = UInt64(text), number > 0, number <= 1_000_000_000 else {
            throw Wrong(text: "\(option) takes a whole number from 1 to 1000000000, not '\(text)'")
        }
        return number
    }
}
