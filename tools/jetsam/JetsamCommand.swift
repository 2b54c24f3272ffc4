internal import ArgumentParser

/// `jetsam`: looks at what the library has to work with.
@main
struct JetsamCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jetsam",
        abstract: "Shows what Jetsam has to work with on this machine and in this container.",
        subcommands: [
            DoctorCommand.self, CheckCommand.self, BlackboxCommand.self, RecordCommand.self, ReplayCommand.self,
            TuneCommand.self,
        ]
    )
}
