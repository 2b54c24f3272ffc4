internal import ArgumentParser
internal import CommandOutput
internal import Jetsam
internal import JetsamTrace
internal import MemoryPressure
internal import SystemPackage

/// `jetsam record`: a trace of another process, from outside.
struct RecordCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Records the memory signals of another process as a trace, from outside.",
        discussion: """
            The process need not use Jetsam. The trace also has the decisions that a manager in it would have made without caches, \
            because caches cannot be seen from outside. A process with a manager writes a fuller trace itself, to \
            recorder.traceFile.

            The recording ends with the process, after --for, or when you interrupt the command. Whole lines are written, once a \
            second.

            EXIT STATUS
              0     it was recorded until the process ended, --for was over, or it was interrupted
              64    usage
              65    the configuration cannot be used
              66    the configuration, or the process's memory, cannot be read
              73    the trace cannot be written
            """
    )

    @Option(help: .init("The process: its id, a whole number above 0.", valueName: "pid"))
    var pid: Int32?

    @Option(
        help: .init(
            "A cgroup's directory, such as /sys/fs/cgroup/system.slice/web.service. One of its processes is recorded, with its "
                + "footprint.", valueName: "directory"))
    var cgroup: String?

    @Option(
        name: .shortAndLong,
        help: .init("The trace. An existing file is replaced. - for standard output.", valueName: "file"))
    var output: String

    @Option(help: .init("Milliseconds from one reading to the next: 10…60000.", valueName: "milliseconds"))
    var interval = 100

    @Option(name: .customLong("for"), help: .init("End after this many seconds: 1…31536000.", valueName: "seconds"))
    var seconds: Int?

    @Option(help: .init("Decide by this configuration: a YAML or JSON file.", valueName: "file"))
    var config: String?

    @Flag(
        inversion: .prefixedNo,
        help:
            "Read stall times too, or not. Reading them delays PSI triggers of unprivileged processes in the same cgroup."
    )
    var stall = true

    func validate() throws {
        guard (pid == nil) != (cgroup == nil) else { throw ValidationError("Either --pid or --cgroup is needed.") }
        if let pid, pid <= 0 { throw ValidationError("--pid must be a whole number above 0, not \(pid).") }
        guard (10...60_000).contains(interval) else {
            throw ValidationError("--interval must be in 10…60000 milliseconds, not \(interval).")
        }
        if let seconds, !(1...31_536_000).contains(seconds) {
            throw ValidationError("--for must be in 1…31536000 seconds, not \(seconds).")
        }
    }

    func run() throws {
        let configuration = try config.map(ConfigurationInput.read) ?? ManagerConfiguration()
        guard let process = pid ?? cgroup.flatMap(TracedProcess.first(in:)) else {
            StandardError.write("\(cgroup ?? ""): error: no process is in it, or it is no cgroup")
            throw ExitCode(66)
        }
        guard TracedProcess.isRunning(process) else {
            StandardError.write("error: there is no process \(process)")
            throw ExitCode(66)
        }
        let clock = SystemMonotonicClock()
        var trace: OutsideTrace
        do {
            trace = try OutsideTrace(
                of: KernelRoot(processIdentifier: process), configuration: configuration,
                wallClock: wallClockNanoseconds(), at: clock.now)
        } catch {
            StandardError.write("process \(process): error: its memory cannot be read: \(error)")
            throw ExitCode(66)
        }
        var sink = OutputFile(output, madeFrom: config.map { [$0] } ?? [], permissions: .ownerReadWrite)
        var signals = EndingSignals()
        var isInterrupted = false
        let end = seconds.map { clock.now.advanced(by: .seconds($0)) }
        var next = clock.now
        var nextFlush = next
        var count = 0
        while TracedProcess.isRunning(process), !isInterrupted, end.map({ clock.now < $0 }) ?? true {
            let now = clock.now
            trace.recordReading(at: now, includingStall: stall)
            count += 1
            if now >= nextFlush {
                nextFlush = now.advanced(by: .seconds(1))
                try sink.write(trace.writer.bytes)
                try sink.flush()
                trace.dropLines()
            }
            next = max(next.advanced(by: .milliseconds(interval)), clock.now)
            isInterrupted = signals.wait(for: clock.now.duration(to: next)) != nil
        }
        try sink.write(trace.writer.bytes)
        try sink.finish()
        StandardError.write("\(count.counted("reading was", "readings were")) recorded")
    }
}

/// The process that is looked at.
enum TracedProcess {
    /// Whether it has memory: one that has ended has none, even while nobody has asked how it ended.
    static func isRunning(_ process: Int32) -> Bool {
        guard let text = beginning(of: FilePath("/proc/\(process)/statm")) else { return false }
        return !text.hasPrefix("0 ")
    }

    /// The first process of a cgroup; nil where there is none.
    static func first(in directory: String) -> Int32? {
        beginning(of: FilePath(directory).appending("cgroup.procs")).flatMap { text in
            Int32(text.prefix { $0 != "\n" })
        }
    }

    private static func beginning(of path: FilePath) -> String? {
        guard let file = try? FileDescriptor.open(path, .readOnly) else { return nil }
        defer { try? file.close() }
        var bytes = [UInt8](repeating: 0, count: 64)
        guard let count = try? unsafe bytes.withUnsafeMutableBytes({ unsafe try file.read(into: $0) }) else {
            return nil
        }
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}
