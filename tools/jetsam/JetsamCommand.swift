internal import ArgumentParser
internal import CommandOutput

/// `jetsam`: looks at what the library has to work with, and at what it does.
@main
struct JetsamCommand: ParsableCommand {
    /// The package's version, as the changelog has it.
    static let version = "0.1.0"

    static let configuration = CommandConfiguration(
        commandName: "jetsam",
        abstract:
            "Shows which memory signals Jetsam can use on this machine and in this container, and what it does in a process.",
        discussion: """
            Every command ends with 73 if what it prints cannot be written, and with 71 if its process may open too few files or start \
            no thread.
            """,
        version: version,
        subcommands: [
            DoctorCommand.self, CheckCommand.self, ListCommand.self, StatusCommand.self, WatchCommand.self,
            SimulateCommand.self, ReleaseCommand.self, ExpireCommand.self, DryRunCommand.self, BlackboxCommand.self,
            RecordCommand.self, ReplayCommand.self, TuneCommand.self, ReportCommand.self,
        ]
    )

    static func main() {
        StandardStreams.guardOutput()
        ProcessLimits.check()
        main(nil)
    }
}
