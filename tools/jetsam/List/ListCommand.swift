internal import ArgumentParser
internal import CommandOutput
internal import Jetsam
internal import MemoryPressure

/// `jetsam list`: the processes that can be asked.
struct ListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the processes that have a control socket, with level and state.",
        discussion: """
            It looks at the open files of this user's processes, or of all processes for root. A process has a socket if its \
            configuration sets control.isEnabled.

            EXIT STATUS
              0     done, even if there is no such process
              64    usage

            JSON, an array on one line:
              pid, command, directory (as the process sees it), level, state; null if the process did not answer
            """
    )

    @Flag(help: "The list as JSON.")
    var json = false

    /// A process that has a socket.
    struct Entry {
        var process: Int32
        var command: String
        var directory: String
        var level: String?
        var state: String?
    }

    func run() throws {
        let entries = Self.entries(SocketSearch())
        print(json ? Self.json(entries) : Self.lines(entries, columns: Columns.width).joined(separator: "\n"))
    }

    static func entries(_ search: SocketSearch) -> [Entry] {
        search.processes().flatMap { process in
            search.directories(of: process).map { directory in
                let command = (try? Syscalls.contents(of: "\(search.proc)/\(process)/comm")) ?? []
                let name = String(decoding: command.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
                let status = ask(process, directory)
                return Entry(
                    process: process, command: name, directory: directory, level: status?["level"]?.string,
                    state: status?["process"]?["state"]?.string)
            }
        }
    }

    /// One that hangs does not keep the others from being listed.
    private static func ask(_ process: Int32, _ directory: String) -> JSONText? {
        do throws(ControlFailure) {
            let client = ControlClient(try ControlledProcess(process, directory: directory))
            return try client.ask(.status, for: "status", within: .seconds(2))
        } catch { return nil }
    }

    static func lines(_ entries: [Entry], columns: Int) -> [String] {
        guard !entries.isEmpty else {
            return ["No process has a control socket that this user may look at: see control.isEnabled."]
        }
        let head = row("PID", "LEVEL", "STATE", "COMMAND", "DIRECTORY")
        return [head]
            + entries.map { entry in
                let line = row(
                    "\(entry.process)", entry.level ?? "no answer", entry.state ?? "",
                    TerminalText.clean(entry.command),
                    TerminalText.clean(entry.directory))
                return TerminalText.shortened(line, columns)
            }
    }

    private static func row(_ process: String, _ level: String, _ state: String, _ command: String, _ directory: String)
        -> String
    {
        TerminalText.fitted(process, 9) + TerminalText.fitted(level, 11) + TerminalText.fitted(state, 13)
            + TerminalText.fitted(command, 17) + directory
    }

    static func json(_ entries: [Entry]) -> String {
        let list = entries.map { entry in
            JSONText.object([
                ("pid", .integer(Int(entry.process))), ("command", .string(entry.command)),
                ("directory", .string(entry.directory)), ("level", entry.level.map { .string($0) } ?? .null),
                ("state", entry.state.map { .string($0) } ?? .null),
            ])
        }
        return JSONText.array(list).description
    }
}
