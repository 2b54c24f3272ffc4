import Testing

@testable import _StressPatterns
@testable import jetsam_stress

/// A manager under a real limit, with real page cache: what the kernel's events do, and what they do not.
@Suite(.serialized, .enabled(if: ToolProcess.canLimit, "needs the right to make a limited cgroup"))
struct EventPathTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test(
        "Thrashing page cache raises the warning through the Dispatch source on PSI, and the reason says so",
        .disabled(if: ToolProcess.isSanitized, "shadow memory does not fit the group"))
    func stall() async throws {
        // On a machine that is slow and busy the first growth may be taken for news.
        for attempt in 1...3 {
            let changes = try await thrash()
            let first = try #require(changes.first)
            if first.contains("event of PSI trigger") || first.contains("timeToLimit") { return }
            // Where the trigger fires before enough pages have come back, a look of the sampler's finds what it noted: a percent more than
            // its threshold. At `normal` stall is not read while a trigger is armed.
            if first.contains("stall 8 % is above 7 %") { return }
            #expect(attempt < 3, "the trigger did not raise the level first in three runs: \(changes)")
        }
    }

    /// Returns the changes of the level while page cache is thrashed.
    private func thrash() async throws -> [Substring] {
        // Half of the group is anonymous, so that headroom is short enough for stall to count and no shorter. The file is a little larger
        // than the rest: most pages that are read were in memory not long ago, and only those count as stall.
        let run = try ToolProcess(
            [
                "run", "--limit", "112MiB", "--", ToolProcess.tool, "--pattern", "pagecache", "--limit", "75MiB",
                "--rate", "2GB/s", "--reread", "--random-order", "--anonymous", "50MiB", "--purgeable", "8MiB",
                "--managed", "--duration", "8s", "--json",
            ], in: directory)
        #expect(await run.end() == .exited(0))
        let changes = run.output.matches(of: /\{"seconds":[^}]*"from":[^}]*\}/).map(\.output)
        #expect(changes.contains { $0.contains("stall") }, "\(run.output)")
        return changes
    }

    @Test(
        "Writing 400 MB of log in a small group raises nothing",
        .disabled(if: ToolProcess.isSanitized, "a sanitizer's own memory grows in the group"))
    func log() async throws {
        let run = try ToolProcess(
            [
                "run", "--limit", "64MiB", "--", ToolProcess.tool, "--pattern", "pagecache", "--limit", "400MB",
                "--rate", "2GB/s", "--hold", "0s", "--purgeable", "1MiB", "--managed", "--json",
            ], in: directory)
        #expect(await run.end() == .exited(0))
        #expect(run.output.contains(#""takenBytes":400000000"#), "\(run.output)")
        #expect(run.output.contains(#""levelChanges":[]"#), "\(run.output)")
    }
}
