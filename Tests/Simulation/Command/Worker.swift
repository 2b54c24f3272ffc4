import Foundation

/// The program as a worker: it runs seeds one after another, and prints a line of JSON for each.
enum Worker {
    /// What a worker tells of one seed.
    struct Report: Codable {
        struct Violation: Codable {
            var kind: String
            var seconds: Double
            var text: String
        }

        var seed: UInt64
        var digest: String
        var milliseconds: Int
        var killed: Int
        var lastResorts: Int
        var steps: Int
        /// By the name of the invariant; the texts are left out but for the first.
        var violations: [String: [Violation]]
    }

    static func run(_ seeds: [UInt64], _ options: Options) throws {
        let encoder = JSONEncoder()
        for seed in seeds {
            let result = try WorldResult.of(seed: seed, seconds: options.seconds, configuration: options.configuration)
            var line = try encoder.encode(report(result))
            line.append(UInt8(ascii: "\n"))
            FileHandle.standardOutput.write(line)
        }
    }

    static func follow(_ seed: UInt64, _ options: Options) throws {
        let result = try WorldResult.of(seed: seed, seconds: options.seconds, configuration: options.configuration) {
            print($0)
        }
        print("seed \(seed), digest \(result.digest), \(result.record.violations.count) violations")
    }

    private static func report(_ result: WorldResult) -> Report {
        var violations: [String: [Report.Violation]] = [:]
        for violation in result.record.violations {
            let name = violation.invariant.rawValue
            let isFirst = violations[name] == nil
            violations[name, default: []].append(
                Report.Violation(
                    kind: violation.kind, seconds: Double(violation.instant) * 1e-9,
                    text: isFirst ? violation.text : ""))
        }
        return Report(
            seed: result.seed, digest: result.digest, milliseconds: result.milliseconds,
            killed: result.record.killed, lastResorts: result.record.lastResorts, steps: result.record.steps,
            violations: violations)
    }
}
