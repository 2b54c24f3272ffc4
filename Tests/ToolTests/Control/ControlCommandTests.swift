import ArgumentParser
import CommandOutput
import Jetsam
import JetsamTesting
import JetsamTrace
import Logging
import MemoryPressure
import Testing

@testable import _StressPatterns
@testable import jetsam
@testable import jetsam_stress

/// The built command against a manager in the tests' own process, by a real socket.
@Suite struct ControlCommandTests {
    private let directory: TemporaryDirectory
    private let machine: SimulatedMachine
    private let registry = CacheRegistry()
    private let manager: ResourceManager

    init() throws {
        directory = try TemporaryDirectory()
        machine = SimulatedMachine(tree: try .v2(limit: 512 << 20))
        machine.tree.setUnreclaimable(bytes: 200 << 20)
        var configuration = ManagerConfiguration()
        configuration.control.isEnabled = true
        configuration.control.directory = directory.path + "/s"
        manager = try ResourceManager(
            configuration: configuration, registry: registry, backgroundTasks: machine.makeBackgroundTaskRegistry(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, environment: machine.environment)
    }

    private func run(_ body: () async throws -> Void) async throws {
        defer {
            machine.tree.remove()
            try? Syscalls.removeDirectory(directory.path + "/s")
        }
        let task = Task { [manager] in try await manager.run() }
        await machine.waitUntilStarted()
        do { try await body() } catch {
            task.cancel()
            try? await task.value
            throw error
        }
        task.cancel()
        try await task.value
    }

    /// The command's end, what it wrote, and what it complained of.
    private func command(_ arguments: String...) async throws -> (System.ProcessEnd, String, String) {
        let words = [arguments[0], "\(System.processIdentifier)"] + arguments.dropFirst()
        let process = try ToolProcess(
            words + ["--directory", directory.path + "/s"], in: try TemporaryDirectory(), tool: "jetsam")
        let end = await process.end()
        return (end, process.output, process.errors)
    }

    @Test("Status, watch, simulate and release reach the process")
    func commands() async throws {
        let asked = Lock<[Int]>([])
        let registration = registry.register(
            "thumbnails \u{1B}[31m", priority: .low, limit: { _ in },
            release: { request in
                asked.withLock { $0.append(request.bytes) }
                return request.bytes
            })
        registration.update(bytes: 64 << 20)
        try await run {
            let (end, text, errors) = try await command("status")
            #expect(end == .exited(0) && errors.isEmpty, "\(errors)")
            #expect(text.contains("level     normal"))
            #expect(text.contains("thumbnails \\u{1b}[31m"))
            #expect(!text.contains("\u{1B}"))
            #expect(text.contains("cgroup limits             used"))

            let (_, json, _) = try await command("status", "--json")
            let status = try JSONText(parsing: Array(json.utf8))
            #expect(status["pid"]?.integer == Int(System.processIdentifier))
            let help = JetsamCommand.helpMessage(for: StatusCommand.self)
            for key in Self.keys(status) { #expect(help.contains(key), "\(key)") }

            let (simulated, answer, _) = try await command("simulate", "critical", "--for", "2.5")
            #expect(simulated == .exited(0))
            #expect(answer.contains("holds critical for 2.5 s"))
            #expect(manager.level == .critical)
            let (_, view, _) = try await command("watch", "--once")
            #expect(view.contains("level     CRITICAL  external (request)"))
            #expect(view.split(separator: "\n").allSatisfy { $0.count <= 80 })
            _ = try await command("simulate", "normal")

            let (released, brought, _) = try await command("release", "--bytes", "4MiB")
            #expect(released == .exited(0))
            #expect(brought.hasPrefix("asked 4 MiB, promised 4 MiB"))
            #expect(asked.withLock { $0.last } == 4 << 20)
            let (_, all, _) = try await command("release", "--all", "--json")
            #expect(try JSONText(parsing: Array(all.utf8))["stage"]?.string == "caches")

            let (prepared, room, _) = try await command("release", "--to", "300MiB", "--hold", "90s")
            #expect(prepared == .exited(0))
            #expect(room.hasPrefix("there is room for 300 MiB: 200 MiB before, 200 MiB now"), "\(room)")
            #expect(manager.status.announcedLimit?.bytes == 300 << 20)
            let (lifted, words, _) = try await command("release", "--to", "none")
            #expect(lifted == .exited(0) && words == "caches are held no longer\n")
            #expect(manager.status.announcedLimit == nil)
            let (small, lacking, _) = try await command("release", "--to", "100MiB", "--json")
            let lack = try JSONText(parsing: Array(lacking.utf8))
            #expect(small == .exited(1))
            #expect(lack["isReached"]?.bool == false && lack["obstacle"]?.string == "unmanagedMemory")
            let releaseHelp = JetsamCommand.helpMessage(for: ReleaseCommand.self)
            for key in Self.keys(lack) { #expect(releaseHelp.contains(key), "\(key)") }
            let (above, _, _) = try await command("release", "--to", "513MiB")
            #expect(above == .exited(64))

            var task = try manager.backgroundTasks.begin("a b", priority: .high)
            let (told, notice, _) = try await command("expire", "--name", "a b")
            #expect(told == .exited(0) && notice == "1 background task was notified\n")
            let (untold, again, _) = try await command("expire", "--name", "a b")
            #expect(untold == .exited(1) && again == "no such task is held, or it was notified before\n")
            task.end()

            let (switched, dry, _) = try await command("dry-run", "on")
            #expect(switched == .exited(0))
            #expect(dry.hasSuffix("decides and records, and does nothing\n"))
            #expect(manager.status.isDryRun)
            _ = try await command("dry-run", "off")
            #expect(!manager.status.isDryRun)
        }
        registration.end()
    }

    @Test("A socket is found by what the process has open, wherever it is, and listed")
    func found() async throws {
        try await run {
            // Other tests have sockets in this process, too: which of them is taken where nobody says so is not known.
            let own = Int32(System.processIdentifier)
            #expect(SocketSearch().directories(of: own).contains(directory.path + "/s"))
            #expect(try ControlledProcess(own, directory: nil).directory.hasPrefix("/"))
            let list = try ToolProcess(["list", "--json"], in: try TemporaryDirectory(), tool: "jetsam")
            #expect(await list.end() == .exited(0))
            let entry = try JSONText(parsing: Array(list.output.utf8)).elements.first {
                $0["pid"]?.integer == Int(System.processIdentifier) && $0["directory"]?.string == directory.path + "/s"
            }
            #expect(entry?["level"]?.string == "normal")
            #expect(entry?["state"]?.string == "active")
        }
        let entries = [
            ListCommand.Entry(process: 7, command: "a\u{1B}b", directory: "/run/s", level: "warning", state: "active"),
            ListCommand.Entry(process: 12, command: "server", directory: "/run/t"),
        ]
        let lines = ListCommand.lines(entries, columns: 200)
        #expect(lines.count == 3)
        #expect(lines[1].contains("warning") && lines[1].hasSuffix("/run/s") && !lines[1].contains("\u{1B}"))
        #expect(lines[2].contains("no answer"))
        #expect(
            ListCommand.lines([], columns: 80) == [
                "No process has a control socket that this user may look at: see control.isEnabled."
            ])
    }

    @Test("A socket of another kind is not taken for a control socket")
    func otherSockets() {
        #expect(SocketSearch.descriptor(in: "/proc/self/fd/12/77-123.sock-new") == "12")
        for name in [
            "/run/x.sock", "/proc/self/fd/12/x", "/proc/self/fd/a/b.sock-new", "/proc/self/fd/1/2/b.sock-new", "@x",
        ] {
            #expect(SocketSearch.descriptor(in: Substring(name)) == nil)
        }
    }

    /// The names of all keys, but for those of scenes' states, which the help gives as one.
    private static func keys(_ value: JSONText) -> Set<String> {
        var keys: Set<String> = []
        for (key, inner) in value.pairs {
            keys.insert(key)
            if key != "connected", key != "steps" { keys.formUnion(self.keys(inner)) }
        }
        for element in value.elements { keys.formUnion(self.keys(element)) }
        return keys
    }

    @Test("Where there is no socket the status is 69, and the reason stands on standard error")
    func noSocket() async throws {
        for arguments in [
            ["status"], ["watch", "--once"], ["simulate", "warning"], ["release", "--all"], ["dry-run", "on"],
            ["expire", "--all"],
        ] {
            let process = try ToolProcess(
                [arguments[0], "\(System.processIdentifier)"] + arguments.dropFirst()
                    + ["--directory", directory.path + "/none"], in: try TemporaryDirectory(), tool: "jetsam")
            #expect(await process.end() == .exited(69))
            #expect(process.output.isEmpty)
            #expect(
                process.errors.hasPrefix("Error: process \(System.processIdentifier) has no \(directory.path)/none"))
        }
    }

    @Test("Looks follow each other until a signal ends them, and each is complete")
    func watch() async throws {
        try await run {
            let process = try ToolProcess(
                [
                    "watch", "\(System.processIdentifier)", "--json", "--interval", "0.1", "--directory",
                    directory.path + "/s",
                ], in: try TemporaryDirectory(), tool: "jetsam")
            try await eventually { process.output.split(separator: "\n").count >= 3 }
            process.send(2)
            #expect(await process.end() == .exited(130))
            for line in process.output.split(separator: "\n") {
                #expect(try JSONText(parsing: Array(line.utf8))["level"]?.string == "normal")
            }
        }
    }

    private func eventually(_ condition: () -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(60)
        while !condition() {
            try #require(ContinuousClock.now < end)
            await Task.yield()
        }
    }

    @Test(
        "A wrong command line is answered with what is allowed",
        arguments: [
            (["status"], "pid"), (["status", "0"], "above 0"), (["status", "x"], "pid"),
            (["status", "1", "--directory", "x"], "absolute path"), (["watch", "1", "--interval", "0"], "0.1"),
            (["simulate", "1"], "level"), (["simulate", "1", "bad"], "level"),
            (["simulate", "1", "warning", "--for", "0"], "86400"), (["release", "1"], "--all and --to"),
            (["release", "1", "--all", "--bytes", "1"], "--all and --to"),
            (["release", "1", "--to", "0"], "above 0"), (["release", "1", "--to", "little"], "above 0"),
            (["release", "1", "--to", "1MiB", "--all"], "--all and --to"),
            (["release", "1", "--to", "1MiB", "--hold", "0"], "at most 24h"),
            (["release", "1", "--to", "1MiB", "--hold", "25h"], "at most 24h"),
            (["release", "1", "--to", "none", "--hold", "1s"], "--hold is for"),
            (["release", "1", "--all", "--hold", "1s"], "--hold is for"),
            (["release", "1", "--bytes", "0"], "above 0"),
            (["release", "1", "--bytes", "much"], "above 0"), (["dry-run", "1"], "state"),
            (["expire", "1"], "not both"), (["expire", "1", "--name", "x", "--all"], "not both"),
            (["expire", "1", "--name", String(repeating: "x", count: 129)], "at most 128"),
            (["expire", "1", "--name", ""], "empty"),
            (["dry-run", "1", "yes"], "on"),
        ])
    func wrongCommandLine(arguments: [String], words: String) {
        let error = #expect(throws: (any Error).self) { try JetsamCommand.parseAsRoot(arguments) }
        guard let error else { return }
        #expect(JetsamCommand.exitCode(for: error) == .validationFailure)
        #expect(JetsamCommand.fullMessage(for: error).contains(words), "\(JetsamCommand.fullMessage(for: error))")
    }

    @Test("The help of each says every exit status")
    func help() {
        for command in [
            StatusCommand.self, WatchCommand.self, SimulateCommand.self, ReleaseCommand.self, DryRunCommand.self,
        ]
            as [any ParsableCommand.Type]
        {
            let help = JetsamCommand.helpMessage(for: command)
            for status in ["0 ", "64 ", "69 ", "77 "] {
                #expect(help.contains("\n  \(status)"), "\(command) \(status)")
            }
        }
    }
}
