internal import ArgumentParser
internal import MemoryPressure

/// `jetsam doctor`: which signals can be had here, and why the others cannot.
struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Shows which memory signals are available here, and why others are not.",
        discussion: """
            It opens and arms every signal that Jetsam would use, with this command's own rights, reports the result, and closes \
            them again. It changes nothing. Run it where the server runs: in the same container, as the same user.

            EXIT STATUS
              0     Jetsam can work here
              1     it cannot: no signal shows how much memory is left
              64    usage

            JSON, one object on one line, sizes in bytes, null for what is not known:
              usable, verdict
              process   pid (null: this command), uid, capSysResource, allocator, allocatorFile
              machine   kernel, pageSizeBytes, totalBytes, availableBytes, swapBytes
              cgroup    layout ("v1", "v2", "hybrid", "none"), namespaced, ancestorsHidden, readOnly
              levels    an array, the process's own cgroup first: name, directory, version, hardLimitBytes, highLimitBytes,
                        usageBytes, unreclaimableBytes, headroomBytes, isTightest
              headroom  bytes, limitBytes, isLimited (false: of the machine), level (index into levels; -1: the machine)
              sources   an array: source, kind ("wake-up", "reading"), used, path, reason (why not), meaning
              notes     an array of sentences
            """
    )

    @Flag(help: "The findings as JSON.")
    var json = false

    @Option(help: .init("Look at another process: its id, a whole number above 0.", valueName: "pid"))
    var pid: Int32?

    @Option(
        help: .init(
            "The directory of proc and sys: an absolute path, such as / or /proc/1/root. It may have copies of the kernel's "
                + "files; nothing is armed on copies.", valueName: "path"))
    var root = "/"

    private var kernel: KernelRoot { KernelRoot(path: root, processIdentifier: pid) }

    func validate() throws {
        if let pid, pid <= 0 { throw ValidationError("--pid must be a whole number above 0, not \(pid).") }
        guard root.hasPrefix("/") else {
            throw ValidationError("--root must be an absolute path, such as / or /proc/1/root, not '\(root)'.")
        }
        let files = KernelText(root: kernel)
        guard files.exists("/proc") else {
            throw ValidationError(
                "--root must be a directory with proc in it, such as / or /proc/1/root, not '\(root)'.")
        }
        if let pid, !files.exists("/proc/\(pid)") {
            throw ValidationError("--pid must be a running process; there is no process \(pid).")
        }
    }

    func run() throws {
        let diagnosis = Diagnosis(of: kernel)
        print(json ? diagnosis.json.description : diagnosis.text)
        throw ExitCode(diagnosis.isUsable ? 0 : 1)
    }
}
