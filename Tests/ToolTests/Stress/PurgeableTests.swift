import Testing

@testable import _StressPatterns
@testable import jetsam_stress

@Suite struct PurgeableTests {
    @Test(
        "Values are whole, so that a size is rounded up",
        arguments: [(0, 0), (1, 1), (16384, 1), (16385, 2), (1 << 20, 64)])
    func fill(bytes: Int, values: Int) {
        #expect(PurgeableValues(bytes: bytes).heldBytes == values << 14)
    }

    @Test("At least what is asked for goes, never more than there is, and never twice")
    func release() {
        let values = PurgeableValues(bytes: 10 << 14)
        #expect(values.release(atLeast: 0) == 0)
        #expect(values.release(atLeast: -5) == 0)
        #expect(values.release(atLeast: 1) == 1 << 14)
        #expect(values.release(atLeast: 3 << 14) == 3 << 14)
        #expect(values.heldBytes == 6 << 14)
        #expect(values.release(atLeast: .max) == 6 << 14)
        #expect(values.release(atLeast: 1) == 0)
        #expect(values.heldBytes == 0)
    }

    @Test("What nothing manages stays as it is, and the result says so")
    func control() async throws {
        let tool = try ToolProcess(
            ["--pattern", "ramp", "--limit", "1MiB", "--hold", "0s", "--purgeable", "8MiB", "--json"],
            in: TemporaryDirectory()
        )
        #expect(await tool.end() == .exited(0))
        #expect(tool.output.contains(#""purgeable":{"bytes":8388608,"managed":false,"releasedBytes":0,"#))
    }

    @Test("Headroom is measured only under a limit of one's own, so that nobody takes the machine's memory by mistake")
    func headroomNeedsALimit() async throws {
        // So much less than the headroom that nothing is taken where the tests themselves run under a limit.
        let tool = try ToolProcess(
            ["--pattern", "ramp", "--limit", "headroom-1TiB", "--hold", "0s"], in: TemporaryDirectory()
        )
        let end = await tool.end()
        #expect(end == .exited(2) || end == .exited(0))
        #expect(tool.errors.contains("jetsam-stress run") == (end == .exited(2)))
    }
}
