import Foundation

/// This program once more, with a part of the seeds.
///
/// It runs on one processor, and with the same hashes each time: both are part of what makes a world repeat exactly.
final class WorkerProcess: @unchecked Sendable {
    private static let hashing = "SWIFT_DETERMINISTIC_HASHING"

    private let process: Process
    private let output = Pipe()

    init(_ seeds: [UInt64], _ options: Options, number: Int) throws {
        let list = seeds.map(String.init).joined(separator: ",")
        let config = options.config.map { ["--config", $0] } ?? []
        process = Self.prepared(["--list", list, "--seconds", "\(options.seconds)"] + config, number: number)
        process.standardOutput = output
        try process.run()
    }

    private static func prepared(_ arguments: [String], number: Int) -> Process {
        let process = Process()
        var variables = ProcessInfo.processInfo.environment
        variables[hashing] = "1"
        process.environment = variables
        process.executableURL = URL(fileURLWithPath: "/usr/bin/taskset")
        let processors = max(1, ProcessInfo.processInfo.activeProcessorCount)
        process.arguments =
            ["-c", "\(number % processors)", Bundle.main.executablePath ?? CommandLine.arguments[0]] + arguments
        return process
    }

    /// Whether this process is one in which a world repeats exactly.
    static var isPrepared: Bool { ProcessInfo.processInfo.environment[hashing] == "1" }

    /// Runs what the command line says in such a process, and gives its exit code.
    static func runAgain() throws -> Int32 {
        let process = prepared(Array(CommandLine.arguments.dropFirst()), number: 0)
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// Reads what it tells until it has ended.
    func read(_ handle: (Worker.Report) -> Void) {
        let decoder = JSONDecoder()
        var rest = Data()
        while true {
            let data = output.fileHandleForReading.availableData
            if data.isEmpty { break }
            rest.append(data)
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                if let report = try? decoder.decode(Worker.Report.self, from: rest[rest.startIndex..<end]) {
                    handle(report)
                }
                rest.removeSubrange(rest.startIndex...end)
            }
        }
        process.waitUntilExit()
    }
}
