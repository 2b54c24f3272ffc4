internal import ArgumentParser

/// The two sides of `tools/prove gate-grpc`.
@main
struct GateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gate-grpc", abstract: "A gRPC server, and many clients that send slowly.",
        subcommands: [ServeCommand.self, LoadCommand.self])
}
