internal import ArgumentParser

/// Which process is asked.
struct ControlOptions: ParsableArguments {
    @Argument(help: .init("The process: its id, a whole number above 0.", valueName: "pid"))
    var pid: Int32

    @Option(
        help: .init(
            "The directory of its socket: control.directory of its configuration, as the process sees it. Without this option the "
                + "command looks at the open files of the process, and then in jetsam in the process's XDG_RUNTIME_DIR.",
            valueName: "directory"))
    var directory: String?

    func validate() throws {
        guard pid > 0 else { throw ValidationError("The process id must be a whole number above 0, not \(pid).") }
        if let directory, !directory.hasPrefix("/") {
            throw ValidationError("--directory must be an absolute path, not '\(directory)'.")
        }
    }

    func client() throws(ControlFailure) -> ControlClient {
        ControlClient(try ControlledProcess(pid, directory: directory))
    }

    /// What all these commands say of themselves.
    static let exitStatus = """
        EXIT STATUS
          0     done
          64    usage
          69    there is no such process, it has no control socket, or it does not answer in time: then it drops
                a request that it has not begun
          77    this user may not ask it: only the process's own user and root may
        """
}
