import ArgumentParser
import JetsamTesting
import MemoryPressure
import Testing

@testable import _StressPatterns
@testable import jetsam_stress

@Suite struct HeldTasksTests {
    /// The number after a key in the tool's result.
    private func figure(_ key: String, _ output: String) -> Double? {
        guard let range = output.range(ofText: "\"\(key)\":") else { return nil }
        return Double(output[range...].prefix { $0.isNumber || $0 == "." })
    }

    @Test("Those that never end are told once, in time, and are overdue after their grace; the others end")
    func overdue() async throws {
        let tool = try ToolProcess(
            ["--tasks", "400", "--overdue", "25%", "--expiry", "300ms", "--json"], in: TemporaryDirectory())
        #expect(await tool.end() == .exited(0))
        let output = tool.output
        #expect(output.hasPrefix(#"{"pattern":null,"limitBytes":null,"#))
        #expect(figure("count", output) == 400)
        #expect(figure("stuck", output) == 100)
        #expect(figure("handlersCalled", output) == 100)
        #expect(figure("overdue", output).map { $0 >= 100 } == true)
        #expect(output.contains(#""handlersCalledTwice":0,"handlersMissing":0,"handlersEarly":0"#))
        // Half of their expiry is 150 ms, and they turn for more than 3 s.
        let begun = try #require(figure("begun", output))
        #expect(begun > 400 * 5)
        // All but those that never end.
        #expect(figure("ended", output) == begun - 100)
        #expect(tool.errors.isEmpty)
    }

    @Test("Without --overdue all end in time")
    func none() async throws {
        let tool = try ToolProcess(
            ["--tasks", "50", "--expiry", "1m", "--turnover", "1000", "--duration", "300ms", "--json"],
            in: TemporaryDirectory())
        #expect(await tool.end() == .exited(0))
        #expect(figure("expired", tool.output) == 0)
        #expect(figure("overdue", tool.output) == 0)
        #expect(figure("begun", tool.output) == figure("ended", tool.output))
        #expect(tool.output.contains(#""lateMillisecondsMedian":null"#))
    }

    @Test("Background tasks are held beside a pattern, and said of in plain text too")
    func besidePattern() async throws {
        let tool = try ToolProcess(
            ["--pattern", "ramp", "--limit", "8MiB", "--hold", "0s", "--tasks", "10", "--managed"],
            in: TemporaryDirectory())
        #expect(await tool.end() == .exited(0))
        #expect(tool.output.contains("ramp: took 8.0 MiB") || tool.output.contains("ramp: took 8 MiB"))
        #expect(tool.output.contains("background tasks: 10 held, "))
    }

    @Test("Each that is not ended lasts half of its expiry, unless a turnover is given")
    func turnover() throws {
        var options = try TaskOptions.parse(["--tasks", "1000", "--overdue", "0.5", "--expiry", "2s"])
        #expect(options.plan == TaskPlan(count: 1000, stuck: 500, expiry: .seconds(2), turnover: 500))
        options = try TaskOptions.parse(["--tasks", "1000", "--turnover", "7"])
        #expect(options.plan == TaskPlan(count: 1000, stuck: 0, expiry: .seconds(5), turnover: 7))
        #expect(options.plan?.duration == .seconds(8))
    }

    @Test("What handlers did is told apart: in time, early, twice, not at all")
    func record() {
        let clock = ManualClock()
        let record = HandlerRecord(clock: clock)
        let numbers = (0..<5).map { _ in record.expect(after: .seconds(10)) }
        clock.advance(by: .seconds(9))
        record.call(numbers[0])
        clock.advance(by: .milliseconds(1005))
        record.call(numbers[1])
        record.call(numbers[2])
        record.call(numbers[2])
        #expect(record.summary().missing == 0)
        clock.advance(by: .seconds(2))
        record.call(numbers[3])
        let late = [Duration.milliseconds(5), .milliseconds(5), .milliseconds(2005)]
        #expect(
            record.summary() == .init(called: 4, calledTwice: 1, early: 1, missing: 1, lateness: late))
    }

    @Test(
        "Only a handler that was called once and in time is in order, except that under pressure it may be early",
        arguments: [
            (HandlerRecord.Summary(called: 3), true, true), (.init(called: 3, early: 1), false, true),
            (.init(called: 3, calledTwice: 1), false, false), (.init(called: 3, missing: 1), false, false),
        ]
    )
    func order(summary: HandlerRecord.Summary, isInOrder: Bool, underPressure: Bool) {
        #expect(summary.isInOrder(mayBeEarly: false) == isInOrder)
        #expect(summary.isInOrder(mayBeEarly: true) == underPressure)
    }
}

extension String {
    /// Where the text after the first occurrence of `needle` begins.
    fileprivate func range(ofText needle: String) -> String.Index? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(needle) { return index(start, offsetBy: needle.count) }
            start = index(after: start)
        }
        return nil
    }
}
