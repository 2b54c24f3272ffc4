internal import ArgumentParser

/// The two sides of `tools/prove gate-nio`.
@main
struct GateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gate-nio", abstract: "A server on SwiftNIO, and many clients that send slowly.",
        subcommands: [ServeCommand.self, LoadCommand.self])
}
