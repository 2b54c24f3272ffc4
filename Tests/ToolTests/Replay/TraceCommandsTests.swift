import ArgumentParser
import MemoryPressure
import SystemPackage
import Testing

@testable import _StressPatterns
@testable import jetsam
@testable import jetsam_stress

/// The built commands on traces of a made-up server, and of a process of the test's own.
@Suite struct TraceCommandsTests {
    /// Runs a built command until it has ended.
    private static func run(
        _ tool: String, _ arguments: [String], in directory: TemporaryDirectory
    ) async throws -> (status: Int32, output: String, errors: String) {
        let process = try ToolProcess(arguments, in: directory, tool: tool)
        guard case .exited(let status) = await process.end() else { return (-1, process.output, process.errors) }
        return (status, process.output, process.errors)
    }

    private static func makeTrace(in directory: TemporaryDirectory, seed: Int = 1) async throws -> String {
        let path = directory.path + "/trace\(seed).jsonl"
        let made = try await run(
            "jetsam-stress",
            ["trace", path, "--readings", "6000", "--limit", "256", "--interval", "10000", "--seed", "\(seed)"],
            in: directory)
        try #require(made.status == 0, "\(made.errors)")
        return path
    }

    private static func write(_ text: String, to path: String) throws {
        let file = try FileDescriptor.open(
            FilePath(path), .writeOnly, options: [.create, .truncate], permissions: .ownerReadWrite)
        _ = try file.closeAfter { try file.writeAll(text.utf8) }
    }

    @Test("A trace is decided again byte for byte, and what was changed in it is found and shown")
    func replay() async throws {
        let directory = try TemporaryDirectory()
        let trace = try await Self.makeTrace(in: directory)
        let same = try await Self.run("jetsam", ["replay", trace], in: directory)
        #expect(same.status == 0 && same.output.contains("6000 readings: every decision came out the same"))
        let text = try System.text(of: trace)
        #expect(text.contains("\"k\":\"demand\""))

        let lines = text.split(separator: "\n")
        let index = try #require(lines.firstIndex { $0.contains("\"k\":\"demand\"") })
        let without = directory.path + "/without.jsonl"
        try Self.write((lines[..<index] + lines[(index + 1)...]).joined(separator: "\n") + "\n", to: without)
        let other = try await Self.run("jetsam", ["replay", without, "--json"], in: directory)
        #expect(other.status == 1 && other.output.contains("\"identical\":false"))
    }

    @Test("What the replay writes is the trace; a trace is never written over by what is made from it")
    func output() async throws {
        let directory = try TemporaryDirectory()
        let trace = try await Self.makeTrace(in: directory)
        let again = directory.path + "/again.jsonl"
        #expect(try await Self.run("jetsam", ["replay", trace, "--output", again], in: directory).status == 0)
        let text = try System.text(of: trace)
        #expect(try System.text(of: again) == text)
        for arguments in [["replay", trace], ["tune", trace, "--candidates", "8"]] {
            let over = try await Self.run("jetsam", arguments + ["--output", trace], in: directory)
            #expect(over.status == 73 && over.errors.contains("itself, which is read"))
        }
        #expect(try System.text(of: trace) == text)
    }

    @Test("Another configuration is tried: it is said from when on it is a model, and the two can be compared")
    func trial() async throws {
        let directory = try TemporaryDirectory()
        let trace = try await Self.makeTrace(in: directory)
        let config = directory.path + "/config.yaml"
        try Self.write("headroom:\n  warningPercent: 35\n  criticalPercent: 20\n", to: config)
        let trial = directory.path + "/trial.jsonl"
        let result = try await Self.run(
            "jetsam", ["replay", trace, "--config", config, "--output", trial], in: directory)
        #expect(result.status == 0 && result.output.contains("from there on it is a model"))
        for name in ["\nreleased ", "\nneeded ", "\nwasted "] { #expect(result.output.contains(name)) }
        #expect(try System.text(of: trial).contains("{\"k\":\"model\",\"t\":"))
        let comparison = try await Self.run("jetsam", ["replay", trace, "--compare", trial], in: directory)
        #expect(comparison.status == 1 && comparison.output.contains("then the two part"))

        try Self.write("{}\n", to: config)
        let same = try await Self.run("jetsam", ["replay", trace, "--config", config, "--json"], in: directory)
        #expect(same.status == 0 && same.output.contains("\"modelBegins\":null"))
        let keys = ["releasedBytes", "neededBytes", "refetchedBytes", "wastedBytes", "wastedShare"]
        for key in keys { #expect(same.output.split(separator: "\"\(key)\":").count == 3, "\(key)") }
        #expect(try await Self.run("jetsam", ["replay", trace, "--compare", trace], in: directory).status == 0)
    }

    @Test(
        "A search finds what serves a trace no worse than the recorded, writes what check accepts, and can be repeated")
    func tune() async throws {
        let directory = try TemporaryDirectory()
        let traces = try await [Self.makeTrace(in: directory), Self.makeTrace(in: directory, seed: 2)]
        let config = directory.path + "/tuned.yaml"
        let arguments = ["tune"] + traces + ["--candidates", "10", "--output", config]
        let result = try await Self.run("jetsam", arguments, in: directory)
        #expect(result.status == 0 && result.output.contains("The trade-off"))
        #expect(result.output.contains("wasted"))
        #expect(result.output.contains("these figures are a model's"))
        let check = try await Self.run("jetsam", ["check", config], in: directory)
        #expect(check.status == 0, "\(check.errors)")
        let json = ["tune"] + traces + ["--candidates", "10", "--json"]
        let first = try await Self.run("jetsam", json, in: directory)
        let second = try await Self.run("jetsam", json, in: directory)
        #expect(first.status == 0 && first.output == second.output)
        #expect(result.output.contains("No trace was held out") && first.output.contains("\"heldOut\":null"))
    }

    @Test("What a search prefers is shown on a trace that it has not seen, in the file that it writes as well")
    func heldOut() async throws {
        let directory = try TemporaryDirectory()
        let (seen, unseen) = try await (Self.makeTrace(in: directory), Self.makeTrace(in: directory, seed: 2))
        let config = directory.path + "/tuned.yaml"
        let search = ["tune", seen, "--candidates", "10"]
        let arguments = search + ["--held-out", unseen, "--output", config]
        let result = try await Self.run("jetsam", arguments, in: directory)
        #expect(result.status == 0 && result.output.contains("On 1 trace that the search has not seen:"))
        #expect(result.output.contains("There the "))
        #expect(try System.text(of: config).contains("On 1 trace that the search has not seen: There the "))
        #expect(try await Self.run("jetsam", ["check", config], in: directory).status == 0)

        // A trace that is held out changes nothing of the search.
        let json = try await Self.run("jetsam", search + ["--held-out", unseen, "--json"], in: directory).output
        let alone = try await Self.run("jetsam", search + ["--json"], in: directory).output
        let parts = json.split(separator: "\"heldOut\":")
        #expect(parts.count == 2 && parts[1].hasPrefix("{\"traces\":1,\"recorded\":{"))
        #expect(alone.hasSuffix("\"heldOut\":null}\n") && parts[0] == alone.split(separator: "\"heldOut\":")[0])
    }

    @Test("A process is recorded from outside until it ends, and its trace is decided again")
    func record() async throws {
        let directory = try TemporaryDirectory()
        let trace = directory.path + "/outside.jsonl"
        let looked = try ToolProcess(
            ["allocate", "--pattern", "ramp", "--limit", "16MiB", "--rate", "16MiB/s", "--hold", "200ms"], in: directory
        )
        let record = try await Self.run(
            "jetsam", ["record", "--pid", "\(looked.process)", "--interval", "10", "--for", "30", "--output", trace],
            in: try TemporaryDirectory())
        _ = await looked.end()
        #expect(record.status == 0 && record.errors.contains("readings were recorded"), "\(record.errors)")
        #expect(try System.text(of: trace).contains("\"source\":\"outside\""))
        #expect(try await Self.run("jetsam", ["replay", trace], in: directory).status == 0)
    }

    @Test("What is no trace is refused with its line")
    func refuses() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/bad.jsonl"
        try Self.write("{\"k\":\"reading\",\"t\":1}\n", to: path)
        let first = try await Self.run("jetsam", ["replay", path], in: directory)
        #expect(first.status == 65 && first.errors.contains("line 1: a trace begins with a line of the kind 'trace'"))
        #expect(try await Self.run("jetsam", ["replay", directory.path + "/none"], in: directory).status == 66)
        #expect(try await Self.run("jetsam", ["tune", path], in: directory).status == 65)
        #expect(try await Self.run("jetsam", ["tune", path, "--candidates", "1"], in: directory).status == 64)
        for name in [path, directory.path + "/./bad.jsonl"] {
            let same = try await Self.run("jetsam", ["tune", path, "--held-out", name], in: directory)
            #expect(same.status == 64 && same.errors.contains("a trace that is held out must be another one"))
        }
        #expect(try await Self.run("jetsam", ["record", "--output", path], in: directory).status == 64)
    }
}
