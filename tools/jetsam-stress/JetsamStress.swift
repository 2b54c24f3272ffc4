internal import ArgumentParser
internal import CommandOutput

/// `jetsam-stress`: takes memory in a known way, or gives a command a memory limit of its own and says how it ended.
@main
struct JetsamStress: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jetsam-stress",
        abstract: "Takes memory in a known way, or runs a command under a memory limit and says how it ended.",
        discussion: """
            `allocate` is the default: `jetsam-stress --pattern ramp --limit 256MiB` is `jetsam-stress allocate …`. \
            `jetsam-stress run --limit 512MiB -- COMMAND` makes a limited cgroup for COMMAND.

            Write sizes as 4096, 512MiB, 1.5GiB (powers of 1024) or 200MB (powers of 1000). A rate is a size and /s: 200MB/s, \
            1GiB/s. Write times as 500ms, 5s, 2m, 1h; a number without a unit is seconds.

            Every command ends with 73 if what it prints cannot be written, and with 71 if its process may open too few files or start \
            no thread.
            """,
        subcommands: [
            AllocateCommand.self, RunCommand.self, ServeCommand.self, EnterCommand.self, TraceCommand.self,
            HollowLoadCommand.self, RecordKillsCommand.self, RecordLoadCommand.self, SurviveCommand.self,
        ],
        defaultSubcommand: AllocateCommand.self
    )

    static func main() {
        StandardStreams.guardOutput()
        ProcessLimits.check()
        main(nil)
    }
}
