import ArgumentParser
import MemoryPressure
import Testing

@testable import _StressPatterns
@testable import jetsam_stress

/// The proof of the flight recorder on a small scale; `tools/prove recorder` kills a thousand.
@Suite struct RecordKillsTests {
    @Test("Every record that was committed before a kill is there, and none is misread", arguments: [1, 20_261])
    func kills(seed: Int) async throws {
        let directory = try TemporaryDirectory()
        let tool = try ToolProcess(
            ["record-kills", "--runs", "10", "--seed", "\(seed)", "--directory", directory.path + "/rings", "--json"],
            in: directory)
        #expect(await tool.end() == .exited(0), "\(tool.errors)")
        #expect(tool.output.contains(#""runs":10,"seed":"\#(seed)","failures":0,"#))
        let committed = tool.output.firstMatch(of: /"committed":([0-9]+)/).flatMap { Int($0.1) }
        #expect(try #require(committed) > 1000)
        #expect(!Syscalls.exists(directory.path + "/rings"))
    }

    @Test("A record that is not as it was written is found")
    func check() throws {
        let expected = ExpectedRecord(seed: 1, thread: 2, number: 3)
        #expect(expected == ExpectedRecord(seed: 1, thread: 2, number: 3))
        for other in [(2, 2, 3), (1, 1, 3), (1, 2, 4)] as [(UInt64, Int, UInt64)] {
            #expect(expected != ExpectedRecord(seed: other.0, thread: other.1, number: other.2))
        }
        #expect((8...224).contains(expected.payload.count))
    }

    @Test("A wrong number of runs is answered with what is allowed")
    func usage() {
        let error = #expect(throws: (any Error).self) { try JetsamStress.parseAsRoot(["record-kills", "--runs", "0"]) }
        #expect(error.map { JetsamStress.fullMessage(for: $0).contains("--runs takes a number from 1") } == true)
    }
}
