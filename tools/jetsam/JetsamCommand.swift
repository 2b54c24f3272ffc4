internal import ArgumentParser

/// `jetsam`: looks at what the library has to work with, and at what it does.
@main
struct JetsamCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jetsam",
        abstract:
            "Shows what Jetsam has to work with on this machine and in this container, and what it does in a process.",
        subcommands: [
            DoctorCommand.self, CheckCommand.self, StatusCommand.self, WatchCommand.self, SimulateCommand.self,
            ReleaseCommand.self, DryRunCommand.self, BlackboxCommand.self, RecordCommand.self, ReplayCommand.self,
            TuneCommand.self, ReportCommand.self,
        ]
    )
}
