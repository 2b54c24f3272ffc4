import Foundation

/// This program once more, with a part of the seeds.
///
/// It runs on one processor, and with the same hashes each time: both are part of what makes a world repeat exactly.
final class WorkerProcess: @unchecked Sendable {
    private let process = Process()
    private let output = Pipe()

    init(_ seeds: [UInt64], seconds: Int, number: Int) throws {
        var variables = ProcessInfo.processInfo.environment
        variables["SWIFT_DETERMINISTIC_HASHING"] = "1"
        variables["JETSAM_SEED"] = nil
        process.environment = variables
        process.executableURL = URL(fileURLWithPath: "/usr/bin/taskset")
        let processors = max(1, ProcessInfo.processInfo.activeProcessorCount)
        process.arguments =
            ["-c", "\(number % processors)", Bundle.main.executablePath ?? CommandLine.arguments[0]]
            + ["--list", seeds.map(String.init).joined(separator: ","), "--seconds", "\(seconds)"]
        process.standardOutput = output
        try process.run()
    }

    /// Reads what it tells until it has ended.
    func read(_ take: (Worker.Report) -> Void) {
        let decoder = JSONDecoder()
        var rest = Data()
        while true {
            let data = output.fileHandleForReading.availableData
            if data.isEmpty { break }
            rest.append(data)
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                if let report = try? decoder.decode(Worker.Report.self, from: rest[rest.startIndex..<end]) {
                    take(report)
                }
                rest.removeSubrange(rest.startIndex...end)
            }
        }
        process.waitUntilExit()
    }
}
