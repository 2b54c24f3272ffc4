import Testing

@testable import _StressPatterns
@testable import jetsam_stress

/// Each pattern as a process of its own, on a small scale.
@Suite struct AllocateTests {
    @Test(
        "Each pattern takes what it should, writes to it, and ends with status 0",
        arguments: [
            (["--pattern", "ramp", "--hold", "0s"], #""end":"finished","rounds":1,"takenBytes":33554432"#, 32),
            (["--pattern", "spike", "--delay", "0s", "--hold", "0s"], #""heldBytes":33554432"#, 32),
            (["--pattern", "leak", "--rate", "1GB/s", "--duration", "1s"], #""end":"duration""#, 32),
            (["--pattern", "sawtooth", "--rate", "max", "--duration", "2s"], #""peakBytes":33554432"#, 0),
            (["--pattern", "waves", "--rate", "max", "--duration", "2s"], #""peakBytes":33554432"#, 0),
            (["--pattern", "fragment", "--hold", "0s"], #""seed":"1","end":"finished""#, 3),
            (["--pattern", "pagecache", "--hold", "0s", "--directory", "/var/tmp"], #""takenBytes":33554432"#, 0),
            (
                ["--pattern", "pagecache", "--reread", "--rate", "max", "--duration", "1s", "--anonymous", "8MiB"],
                #""end":"duration","rounds":0,"takenBytes":"#, 8
            ),
        ]
    )
    func pattern(arguments: [String], expected: String, residentMiB: Int) async throws {
        let tool = try ToolProcess(arguments + ["--limit", "32MiB", "--json"], in: TemporaryDirectory())
        #expect(await tool.end() == .exited(0))
        #expect(tool.output.contains(expected))
        #expect(tool.output.hasPrefix("{") && tool.output.hasSuffix("}\n"))
        let resident = tool.output.firstMatch(of: /"residentBytes":([0-9]+)/).flatMap { Int($0.1) }
        #expect(try #require(resident) >= residentMiB << 20)
        #expect(tool.errors.isEmpty)
    }

    @Test("A directory that cannot be written to is status 2 and a clear message")
    func noDirectory() async throws {
        let tool = try ToolProcess(
            ["--pattern", "pagecache", "--limit", "1MiB", "--directory", "/nonexistent"], in: TemporaryDirectory()
        )
        #expect(await tool.end() == .exited(2))
        #expect(tool.errors.contains("--directory /nonexistent"))
    }

    @Test("A wrong command line is status 64")
    func usage() async throws {
        let tool = try ToolProcess(["--pattern", "ramp"], in: TemporaryDirectory())
        #expect(await tool.end() == .exited(64))
    }
}
