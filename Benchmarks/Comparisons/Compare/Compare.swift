internal import ArgumentParser

/// Measures Jetsam beside what a server would use without it, and holds the figures against their bounds.
///
/// Each figure comes from a process of its own, which prints `CASE WHO VALUE UNIT`. `tools/bench` builds the programs and starts this one.
@main
struct Compare: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tools/bench",
        abstract: "Measures Jetsam beside what a server would use without it.",
        subcommands: [Tasks.self, Caches.self, Reclaim.self, Recorder.self])
}

extension Compare {
    struct Tasks: ParsableCommand {
        static let configuration = Suite.tasks.configuration(aliases: ["assertions"])

        @OptionGroup var options: CompareOptions

        func run() throws {
            try options.compare(.tasks)
        }
    }

    struct Reclaim: ParsableCommand {
        static let configuration = Suite.reclaim.configuration()

        @OptionGroup var options: CompareOptions

        func run() throws {
            try options.compare(.reclaim)
        }
    }

    struct Recorder: ParsableCommand {
        static let configuration = Suite.recorder.configuration()

        @OptionGroup var options: CompareOptions

        func run() throws {
            try options.compare(.recorder)
        }
    }
}
