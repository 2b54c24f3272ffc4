internal import ArgumentParser
internal import CommandOutput
internal import Jetsam
internal import MemoryPressure

/// `jetsam blackbox`: what a flight recorder has left.
struct BlackboxCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "blackbox",
        abstract: "Prints a flight recording: how the run ended, what was under way, and its last records.",
        discussion: """
            FILE is a recording, jetsam-PID-START.ring, or the directory that `recorder.directory` names: then the recording that \
            began last is printed. The command only reads, and may run while the process runs. It judges the end of a run from this \
            machine: a recording of another boot, or a copy from another machine, shows `reboot`. It can only see that the OOM \
            killer took the process if it runs in the same cgroup.

            EXIT STATUS
              0     it was printed
              64    usage
              65    the file is not a recording, or its header is damaged
              66    the file cannot be read, or the directory has no recording

            JSON, one object on one line, times in nanoseconds, sizes in bytes, null for what is not known:
              path, live, end (as `LaunchReason.PreviousExit`; null while live), state (as the header has it)
              run       pid, processStart (ticks since boot), bootID, startedAt (since 1970), start (monotonic),
                        cgroupInode, oomKills, slots
              underWay  null, or time (since the start), level, headroomBytes, limitBytes, footprintBytes, reclaiming,
                        headroomCritical, lastResortCalled, draining, heldTasks, taskNames, oomKills
              begun, read, torn, missing, dropped, lostSlots
              records   an array: sequence, time (since the start), kind (a number), name (null for one not known here),
                        text (null likewise), payload (hexadecimal)
            """
    )

    @Argument(help: .init("A recording, or a directory of recordings.", valueName: "file"))
    var path: String

    @Flag(help: "Print JSON, with all records unless you pass --last.")
    var json = false

    @Option(help: .init("How many of the last records to show: 0 or more, default 40.", valueName: "n"))
    var last: Int?

    func validate() throws {
        if let last, last < 0 { throw ValidationError("--last must be 0 or more, not \(last).") }
    }

    func run() throws {
        let file: RecordingFile
        do throws(RecordingFile.Failure) {
            file = try RecordingFile(path)
        } catch {
            StandardError.write("jetsam blackbox: \(path): \(error)")
            if case .damaged = error { throw ExitCode(65) }
            throw ExitCode(66)
        }
        let here = RunIdentity.current(
            in: KernelRoot(), processID: 0, wallClock: 0, start: MonotonicInstant(nanoseconds: 0))
        let report = BlackboxReport(file, here: here)
        print(json ? report.json(last: last).description : report.text(last: last ?? 40))
    }
}
