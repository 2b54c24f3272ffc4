internal import ArgumentParser
internal import CommandOutput
internal import MemoryPressure
internal import _StressPatterns

/// `jetsam-stress run`: a command under a memory limit of its own.
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Runs a command in its own cgroup with a memory limit, and says whether it lived.",
        discussion: """
            The cgroup is created on version 2 if the memory controller is available there, else on version 1; the result says \
            which. On a host with both, the command is also put into a version 2 cgroup, so that it has its own memory.pressure. \
            It gets no swap unless you pass --swap. The cgroup is named jetsam-stress-PID. At the end it is removed, with all \
            processes in it. If a run was killed, the next run removes its cgroup.

            SIGINT, SIGTERM, SIGHUP and SIGQUIT are passed on to the command. If it has not ended --grace later, everything in \
            the group is killed.

            --resize changes the limit in place, as an orchestrator does, when the command has run for --resize-after. Version 2 \
            sets the new limit at once; if the group uses more and nothing can be reclaimed, the OOM killer comes. Version 1 \
            refuses a limit if usage cannot be reclaimed below it. It is then tried again every 10 ms, and the result shows how often \
            it was refused and how long it took. --before-resize first runs a line in the shell, in which $1 is the process id of \
            the command. If it does not end with status 0, the limit stays.

            EXIT STATUS
              0     lived: the command ended with status 0, and the OOM killer took nothing
              1     failed: the command ended with another status, or by a signal
              2     the tool failed: no cgroup can be limited here, or the command does not exist
              3     killed: the OOM killer took a process of the group
              64    usage
              128+N the tool was asked to stop by signal N, and the OOM killer took nothing

            JSON, one object on one line: outcome ("lived", "failed", "killed"), status and signal (of the command, one of them \
            null), stoppedBy (signal that the tool was sent, or null), cgroup ("v1", "v2"), path, pressurePath (or null), \
            limitBytes, highBytes (or null), swapBytes, peakBytes (page cache included), oomKills, stallMicroseconds (`some` \
            of memory.pressure, or null), seconds. It is the last line of the standard output, after what the command wrote; \
            --report writes it to a file as well. resize is null without \
            --resize; else: limitBytes, preparationStatus and preparationMilliseconds (of --before-resize, or null), seconds (when it was first written, since the start; null where the command ended \
            before), usageBytes (then), refusals, milliseconds (until it was set; null where it never was).
            """
    )

    @Option(help: .init("The memory limit of the group, page cache included: \(Size.allowed).", valueName: "size"))
    var limit: Size

    @Option(
        help: .init(
            "Throttle the group above this many bytes (memory.high; cgroup v2 only): \(Size.allowed).",
            valueName: "size")
    )
    var high: Size?

    @Option(help: .init("The swap that the group may use in addition: \(Size.allowed).", valueName: "size"))
    var swap = Size(bytes: 0)

    @Option(help: .init("Set the limit to this while the command runs: \(Size.allowed).", valueName: "size"))
    var resize: Size?

    @Option(help: .init("The time from the command's start to --resize: \(Span.allowed).", valueName: "time"))
    var resizeAfter: Span?

    @Option(
        help: .init(
            "Run this line in the shell before --resize; $1 is the process id of the command.", valueName: "line"))
    var beforeResize: String?

    @Option(
        help: .init("The time from a signal to the tool until the group is killed: \(Span.allowed).", valueName: "time")
    )
    var grace = Span(.seconds(10))

    @Flag(help: "The result as JSON.")
    var json = false

    @Option(help: .init("Also write the result as JSON to this file.", valueName: "file"))
    var report: String?

    @Flag(help: "Print a line each second on standard error, even if it is not a terminal.")
    var progress = false

    @Argument(parsing: .postTerminator, help: .init("The command and its arguments, after --.", valueName: "command"))
    var command: [String] = []

    func validate() throws {
        guard !command.isEmpty else {
            throw ValidationError("After -- a COMMAND is needed: run --limit 512MiB -- COMMAND.")
        }
        guard limit.bytes >= 1 << 20 else { throw ValidationError("--limit must be at least 1MiB.") }
        if (resize == nil) != (resizeAfter == nil) {
            throw ValidationError("--resize and --resize-after need each other: the new limit, and when it is set.")
        }
        if beforeResize != nil, resize == nil { throw ValidationError("--before-resize needs --resize.") }
        if let resize, resize.bytes < 1 << 20 { throw ValidationError("--resize must be at least 1MiB.") }
        if let high, high.bytes > limit.bytes { throw ValidationError("--high must not be above --limit.") }
    }

    func run() throws {
        let report: RunReport
        do {
            if let file = self.report { try checkDirectory(of: file, for: "--report") }
            report = try GroupRun(
                limits: .init(hardBytes: limit.bytes, highBytes: high?.bytes, swapBytes: swap.bytes),
                resize: resize.flatMap { size in
                    resizeAfter.map { Resize(bytes: size.bytes, after: $0.duration, preparation: beforeResize) }
                },
                grace: grace.duration, showsProgress: progress || System.standardErrorIsTerminal
            ).run(command)
            print(json ? report.json.description : report.text)
            if let file = self.report { try Self.write(report.json.description + "\n", to: file) }
        } catch let error as StressError {
            StandardError.write("jetsam-stress: \(error)")
            throw ExitCode(2)
        }
        throw ExitCode(report.exitStatus)
    }

    private static func write(_ text: String, to file: String) throws {
        do { try System.replace(file, with: text) } catch {
            throw StressError("--report \(file) cannot be written: \(error)")
        }
    }
}
