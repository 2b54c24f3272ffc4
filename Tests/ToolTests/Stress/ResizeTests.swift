import MemoryPressure
import SystemPackage
import Testing

@testable import _StressPatterns
@testable import jetsam_stress

@Suite struct ResizeTests {
    private let plan = Resize(bytes: 60 << 20, after: .seconds(2))

    /// Gives the state a look at a time, and says what was written. What prepares is process 7.
    private func look(
        _ state: inout Resize.State, at seconds: Double, end: System.ProcessEnd? = nil, answer: Errno?
    ) -> Int? {
        var written: Int?
        state.tick(
            usageBytes: 100, elapsed: { .seconds(seconds) },
            start: { line throws(Errno) in
                guard line == "prepare" else { throw .permissionDenied }
                return 7
            }, end: { $0 == 7 ? end : nil },
            write: {
                written = $0
                return answer
            })
        return written
    }

    @Test("What prepares comes first, and the limit is set when it has ended well")
    func prepared() {
        var state = Resize.State(Resize(bytes: 60 << 20, after: .seconds(2), preparation: "prepare"))
        #expect(look(&state, at: 1.9, answer: nil) == nil && state.preparing == nil)
        #expect(look(&state, at: 2, answer: nil) == nil)
        #expect(state.preparing == 7 && state.due == nil && state.begun == nil)
        #expect(look(&state, at: 3, end: .exited(0), answer: nil) == 60 << 20)
        #expect(state.prepared?.end == .exited(0) && state.prepared?.took == .seconds(1) && state.preparing == nil)
        #expect(state.begun == .seconds(3) && state.took == .zero)
    }

    @Test("The limit stays where what prepares fails, or cannot be started", arguments: ["prepare", "other"])
    func unprepared(line: String) {
        var state = Resize.State(Resize(bytes: 60 << 20, after: .seconds(2), preparation: line))
        #expect(look(&state, at: 2, end: .exited(1), answer: nil) == nil)
        #expect(look(&state, at: 9, end: .exited(0), answer: nil) == nil)
        #expect(state.begun == nil && state.due == nil && state.preparing == nil)
        #expect(line == "prepare" ? state.prepared?.end == .exited(1) : state.failure == .permissionDenied)
    }

    @Test("The limit is written when its time has come, and once")
    func once() {
        var state = Resize.State(plan)
        #expect(state.due == .seconds(2))
        #expect(look(&state, at: 1.9, answer: nil) == nil)
        #expect(state.begun == nil && state.took == nil)
        #expect(look(&state, at: 2.5, answer: nil) == 60 << 20)
        #expect(state.begun == .seconds(2.5) && state.took == .zero && state.usageBytes == 100 && state.refusals == 0)
        #expect(state.due == nil)
        #expect(look(&state, at: 3, answer: nil) == nil)
    }

    @Test("What the kernel refuses is tried again 10 ms later until it is set, and counted")
    func refused() {
        var state = Resize.State(plan)
        #expect(look(&state, at: 2, answer: .resourceBusy) != nil)
        #expect(look(&state, at: 2.009, answer: nil) == nil)
        #expect(look(&state, at: 2.02, answer: .resourceBusy) != nil)
        #expect(look(&state, at: 2.5, answer: nil) != nil)
        #expect(state.refusals == 2 && state.begun == .seconds(2) && state.took == .seconds(0.5))
    }

    @Test("An error that another try cannot change ends it")
    func failed() {
        var state = Resize.State(plan)
        #expect(look(&state, at: 2, answer: .permissionDenied) != nil)
        #expect(state.failure == .permissionDenied && state.due == nil && state.took == nil)
    }

    @Test(
        "A limit is cut in place while the command runs: above its usage at once, below it refused or deadly by the kernel's version",
        .enabled(if: ToolProcess.canLimit, "needs the right to make a limited cgroup"),
        .disabled(if: ToolProcess.isSanitized, "a sanitizer's own memory counts against the limit"),
        arguments: [64, 32]
    )
    func cut(toMiB limit: Int) async throws {
        let run = try ToolProcess(
            [
                "run", "--limit", "128MiB", "--resize", "\(limit)MiB", "--resize-after", "2s", "--json", "--",
                ToolProcess.tool, "--pattern", "spike", "--limit", "40MiB", "--delay", "0s", "--hold", "4s",
            ], in: TemporaryDirectory())
        let end = await run.end()
        let text = run.output
        #expect(text.contains(#""resize":{"limitBytes":\#(limit << 20),"#), "\(text)")
        #expect(text.contains(#""preparationMilliseconds":null,"seconds":2."#), "\(text)")
        let refusals = text.firstMatch(of: /"refusals":([0-9]+)/).flatMap { Int($0.1) }
        let took = text.firstMatch(of: /"refusals":[0-9]+,"milliseconds":([0-9.]+)/)
        if limit == 64 {
            #expect(end == .exited(0) && refusals == 0 && took != nil, "\(text)")
        } else if text.contains(#""cgroup":"v1""#) {
            // It can be set once the command has given its memory back, which may be seen or not.
            #expect(try end == .exited(0) && #require(refusals) > 0, "\(text)")
        } else {
            #expect(end == .exited(3), "\(text)")
        }
    }
}
