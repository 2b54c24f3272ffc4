internal import ArgumentParser
internal import CommandOutput
internal import SystemPackage
internal import _StressPatterns

/// The second half of `run`: moves itself into the group and becomes the command. Not for people.
struct EnterCommand: ParsableCommand {
    static let name = "enter-group"
    static let configuration = CommandConfiguration(commandName: name, shouldDisplay: false)

    /// What a shell answers for a command that cannot be executed.
    private static let cannotExecute = ExitCode(126)

    @Option var parent: Int32
    @Option(parsing: .singleValue) var procs: [String] = []
    @Argument(parsing: .postTerminator) var command: [String] = []

    func run() throws {
        System.dieWithParent()
        // The parent may have ended before the line above.
        guard System.parentIdentifier == parent else { throw Self.cannotExecute }
        for file in procs {
            do throws(Errno) {
                try System.write("0", to: file)
            } catch {
                StandardError.write("jetsam-stress: \(file): \(error)")
                throw Self.cannotExecute
            }
        }
        let error = System.execute(command)
        StandardError.write("jetsam-stress: \(command.first ?? ""): \(error)")
        throw Self.cannotExecute
    }
}
