import SystemPackage
import Testing

@testable import _StressPatterns
@testable import jetsam_stress

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The real thing: cgroups of our own, real limits, real kills.
@Suite(.serialized, .enabled(if: ToolProcess.canLimit, "needs the right to make a limited cgroup"))
struct RunTests {
    private let directory: TemporaryDirectory
    private let fifo: String

    init() throws {
        directory = try TemporaryDirectory()
        fifo = directory.path + "/fifo"
        try System.check(unsafe mkfifo(fifo, 0o600))
    }

    private func start(_ arguments: String...) throws -> ToolProcess {
        try ToolProcess(arguments, in: directory)
    }

    @Test("A ramp to twice the limit is killed, and the status and the report say so")
    func killed() async throws {
        let run = try start(
            "run", "--limit", "96MiB", "--json", "--report", directory.path + "/report", "--", ToolProcess.tool,
            "--pattern", "ramp", "--limit", "192MiB", "--hold", "0s"
        )
        #expect(await run.end() == .exited(3))
        let report = run.output
        #expect(report.contains(#""outcome":"killed","status":null,"signal":9"#))
        #expect(report.contains(#""oomKills":1,"#))
        #expect(report.contains(#""limitBytes":100663296"#))
        #expect(try System.text(of: directory.path + "/report") == report)
        #expect(run.groups.isEmpty)
    }

    @Test("A ramp to a third of the limit lives, and the peak is what it took")
    func lived() async throws {
        let run = try start(
            "run", "--limit", "192MiB", "--", ToolProcess.tool, "--pattern", "ramp", "--limit", "64MiB", "--hold", "0s",
            "--json"
        )
        #expect(await run.end() == .exited(0))
        let lines = run.output.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.first?.contains(#""takenBytes":67108864"#) == true)
        #expect(lines.last?.hasPrefix("lived: the command ended with status 0; peak ") == true)
        let peak = try #require(lines.last?.firstMatch(of: /peak ([0-9]+)/).flatMap { Int($0.1) })
        #expect((64...192).contains(peak))
        #expect(run.groups.isEmpty)
    }

    @Test(
        "Growth beyond the headroom kills a process whose cache nobody manages, and one whose cache is managed lives",
        .disabled(if: ToolProcess.isSanitized, "a sanitizer's own memory counts against the limit"),
        arguments: [false, true]
    )
    func managed(isManaged: Bool) async throws {
        let run = try ToolProcess(
            [
                "run", "--limit", "192MiB", "--", ToolProcess.tool, "--pattern", "ramp", "--purgeable", "64MiB",
                "--rate",
                "100MB/s", "--limit", "headroom+40MiB", "--hold", "500ms", "--json",
            ] + (isManaged ? ["--managed"] : []), in: directory
        )
        #expect(await run.end() == .exited(isManaged ? 0 : 3))
        guard isManaged else { return }
        let released = run.output.firstMatch(of: /"managed":true,"releasedBytes":([0-9]+)/).flatMap { Int($0.1) }
        #expect(try #require(released) >= 40 << 20)
        #expect(run.output.contains(#""to":"critical""#))
        #expect(run.output.contains(#""promisedBytes":"#))
    }

    @Test("A command that fails is told from one that is killed", arguments: ["exit 7", "kill -9 $$"])
    func failed(script: String) async throws {
        let run = try start("run", "--limit", "64MiB", "--json", "--", "sh", "-c", script)
        #expect(await run.end() == .exited(1))
        #expect(run.output.contains(#""outcome":"failed""#))
        #expect(run.output.contains(script == "exit 7" ? #""status":7,"# : #""signal":9,"#))
    }

    @Test("A command that is not there is named, and no cgroup is made")
    func noCommand() async throws {
        let run = try start("run", "--limit", "64MiB", "--", "/nonexistent/command")
        #expect(await run.end() == .exited(2))
        #expect(run.errors.contains("/nonexistent/command"))
        #expect(run.output.isEmpty && run.groups.isEmpty)
    }

    @Test("The command is in the limited group, and on a hybrid host in a version 2 group beside it")
    func placed() async throws {
        let run = try start(
            "run", "--limit", "64MiB", "--", "sh", "-c", "cat /proc/self/cgroup > \(fifo); exec sleep 1000")
        let text = await ToolProcess.contents(ofFIFO: fifo)
        let name = LimitedGroup.namePrefix + "\(run.process)"
        let places = CgroupPlaces.current()
        let expected = places.memory.isEmpty || places.unified.isEmpty ? 1 : 2
        #expect(text.split(separator: "\n").count { $0.hasSuffix("/" + name) } == expected)
        #expect(run.groups.count == expected)
        run.send(SIGTERM)
        #expect(await run.end() == .exited(128 + SIGTERM))
    }

    @Test("A signal to the tool reaches the command, and the groups are gone afterwards", arguments: [SIGINT, SIGTERM])
    func forwarded(signal: Int32) async throws {
        let script = "trap 'echo caught; kill $!; exit 0' INT TERM; sleep 1000 & echo > \(fifo); wait"
        let run = try start("run", "--limit", "64MiB", "--json", "--", "sh", "-c", script)
        _ = await ToolProcess.contents(ofFIFO: fifo)
        run.send(signal)
        #expect(await run.end() == .exited(128 + signal))
        #expect(run.output.hasPrefix("caught\n"))
        #expect(run.output.contains(#""stoppedBy":\#(signal),"#))
        #expect(run.groups.isEmpty)
    }

    @Test("A command that will not end is killed when the grace is over")
    func grace() async throws {
        let script = "trap '' TERM; echo > \(fifo); while :; do sleep 1000; done"
        let run = try start("run", "--limit", "64MiB", "--grace", "100ms", "--json", "--", "sh", "-c", script)
        _ = await ToolProcess.contents(ofFIFO: fifo)
        run.send(SIGTERM)
        #expect(await run.end() == .exited(128 + SIGTERM))
        #expect(run.output.contains(#""signal":9,"stoppedBy":15"#))
        #expect(run.groups.isEmpty)
    }

    @Test("What a command leaves running goes with the group")
    func orphans() async throws {
        let run = try start("run", "--limit", "64MiB", "--", "sh", "-c", "sleep 1000 & echo $! > \(fifo)")
        let left = try #require(Int32(await ToolProcess.contents(ofFIFO: fifo).prefix { $0.isNumber }))
        #expect(await run.end() == .exited(0))
        #expect(run.groups.isEmpty)
        // Whoever inherits it may take its time to collect it.
        let state = try? System.text(of: "/proc/\(left)/stat").split(separator: ") ").last?.first
        #expect(state == nil || state == "Z" || state == "X")
    }

    @Test("What a killed tool leaves behind, the next run removes, with the processes in it")
    func stale() async throws {
        // The grandchild does not go with the tool as the command does.
        let first = try start("run", "--limit", "64MiB", "--", "sh", "-c", "sleep 1000 & echo > \(fifo); wait")
        _ = await ToolProcess.contents(ofFIFO: fifo)
        first.send(SIGKILL)
        #expect(await first.end() == .signalled(SIGKILL))
        let left = first.groups
        #expect(!left.isEmpty)
        let second = try start("run", "--limit", "64MiB", "--", "true")
        #expect(await second.end() == .exited(0))
        for path in left { #expect(second.errors.contains("removed \(path)")) }
        #expect(first.groups.isEmpty && second.groups.isEmpty)
    }

    @Test("A command goes with the tool when that is killed", .timeLimit(.minutes(1)))
    func killedTool() async throws {
        let run = try start("run", "--limit", "64MiB", "--", "sh", "-c", "exec > \(fifo); echo ready; exec sleep 1000")
        // The command is the only writer: the FIFO ends when it does.
        let reader = try await ToolProcess.open(fifo)
        #expect(await ToolProcess.bytes(from: reader) == 6)
        run.send(SIGKILL)
        #expect(await run.end() == .signalled(SIGKILL))
        #expect(await ToolProcess.bytes(from: reader) == 0)
        try reader.close()
    }

    @Test("A run that goes on is left alone by another one")
    func notStale() async throws {
        let first = try start("run", "--limit", "64MiB", "--", "sh", "-c", "echo > \(fifo); exec sleep 1000")
        _ = await ToolProcess.contents(ofFIFO: fifo)
        let groups = first.groups
        let other = try TemporaryDirectory()
        let second = try ToolProcess(["run", "--limit", "64MiB", "--", "true"], in: other)
        #expect(await second.end() == .exited(0))
        #expect(!groups.isEmpty && first.groups == groups)
        first.send(SIGTERM)
        #expect(await first.end() == .exited(128 + SIGTERM))
    }
}
