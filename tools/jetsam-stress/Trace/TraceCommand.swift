internal import ArgumentParser
internal import CommandOutput
internal import Jetsam
internal import JetsamTrace
internal import MemoryPressure
internal import SystemPackage

/// `jetsam-stress trace`: a trace of a server that never was.
struct TraceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trace",
        abstract: "Writes a made-up trace, for trying `jetsam replay`, `tune` and `report` on the length of a day.",
        discussion: """
            The memory of requests follows the time of day, and comes in bursts. A cache fills the memory that it may, and gives the \
            bytes that it is asked for. A manager with the default configuration decides. The same seed makes the same trace.

            EXIT STATUS
              0     it was written
              64    usage
              73    the file cannot be written
            """
    )

    @Argument(help: "The file. An existing file is replaced.")
    var file: String

    @Option(help: .init("The number of readings: 1…100000000. A day with ten a second has 864000.", valueName: "count"))
    var readings = 864_000

    @Option(help: .init("Milliseconds from one reading to the next: 1…60000.", valueName: "milliseconds"))
    var interval = 100

    @Option(help: .init("The hard limit in MiB: 64…1048576.", valueName: "MiB"))
    var limit = 2048

    @Option(help: .init("Another number makes another day.", valueName: "number"))
    var seed: UInt64 = 1

    func validate() throws {
        guard (1...100_000_000).contains(readings) else {
            throw ValidationError("--readings must be in 1…100000000, not \(readings).")
        }
        guard (1...60_000).contains(interval) else {
            throw ValidationError("--interval must be in 1…60000 milliseconds, not \(interval).")
        }
        guard (64...1 << 20).contains(limit) else {
            throw ValidationError("--limit must be in 64…1048576 MiB, not \(limit).")
        }
    }

    func run() throws {
        do {
            let descriptor = try FileDescriptor.open(
                FilePath(file), .writeOnly, options: [.create, .truncate, .closeOnExec],
                permissions: [.ownerReadWrite, .groupRead, .otherRead])
            try descriptor.closeAfter { try write(to: descriptor) }
        } catch let error as Errno {
            StandardError.write("\(file): error: cannot be written: \(error)")
            throw ExitCode(73)
        }
    }

    private func write(to descriptor: FileDescriptor) throws {
        var server = MadeUpServer(limitBytes: limit << 20, interval: .milliseconds(interval))
        var random = SplitMix(state: seed)
        let clock = SystemMonotonicClock()
        var progress = ProgressReport(from: clock.now, every: .seconds(2))
        for count in 1...readings {
            server.advance(using: &random)
            guard server.writer.bytes.count >= 1 << 18 || count == readings else { continue }
            try descriptor.writeAll(server.writer.bytes)
            server.dropLines()
            progress.tick(at: clock.now) { "\(count) of \(readings.counted("reading", "readings"))" }
        }
    }
}
