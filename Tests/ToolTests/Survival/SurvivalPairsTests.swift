import JetsamTrace
import MemoryPressure
import Testing

@testable import CommandOutput
@testable import jetsam_stress

@Suite("Jetsam beside the best fixed cache")
struct SurvivalPairsTests {
    private func run(_ who: Way, _ requests: Double, hits: Double = 0.5, p99: Double = 8) -> SurvivalResult {
        var result = SurvivalResult()
        result.disturbance = "growth"
        result.who = who
        result.requestsPerCPUSecond = requests
        result.hitRate = hits
        result.p99Milliseconds = p99
        result.budgetBytes = who == .fixed ? 64 << 20 : nil
        return result
    }

    @Test("Each figure is the median of the pairs, and not of the ways")
    func medians() throws {
        // The machine became twice as fast meanwhile.
        let fixed = [run(.fixed, 100), run(.fixed, 200), run(.fixed, 200)]
        let jetsam = [run(.jetsam, 110, hits: 0.52, p99: 10), run(.jetsam, 220, p99: 6), run(.jetsam, 190)]
        let pairs = try #require(SurvivalPairs(disturbance: "growth", fixed: fixed, jetsam: jetsam))
        #expect(pairs.count == 3)
        #expect(pairs.requestsPerCPUSecond == .init([1.1, 1.1, 0.95]))
        #expect(pairs.requestsPerCPUSecond?.median == 1.1)
        #expect(pairs.hitRate?.median == 0)
        #expect(pairs.p99Milliseconds?.median == 1)
        #expect(pairs.cells == ["growth", "3", "64", "1.1", "–", "+0.0", "–", "1.0", "–"])
    }

    @Test("Of a cache that is never hit the difference of the hits is known, and no ratio of nothing is")
    func neverHit() throws {
        let pairs = try #require(
            SurvivalPairs(
                disturbance: "misses", fixed: [run(.fixed, 0, hits: 0)], jetsam: [run(.jetsam, 5, hits: 0.01)]))
        #expect(pairs.hitRate?.median == 0.01)
        #expect(pairs.requestsPerCPUSecond == nil)
        #expect(pairs.cells.prefix(7) == ["misses", "1", "64", "–", "–", "+1.0", "–"])
    }

    @Test("Runs that were killed or ended make no pair, and no pair makes no line")
    func lived() {
        var killed = run(.fixed, 1)
        killed.killed = true
        var left = run(.jetsam, 1)
        left.left = true
        func pairs(_ fixed: [SurvivalResult], _ jetsam: [SurvivalResult]) -> SurvivalPairs? {
            SurvivalPairs(disturbance: "growth", fixed: fixed, jetsam: jetsam)
        }
        #expect(pairs([killed], [run(.jetsam, 1)]) == nil)
        #expect(pairs([run(.fixed, 1)], [left]) == nil)
        #expect(pairs([killed, run(.fixed, 2)], [left, run(.jetsam, 4)])?.requestsPerCPUSecond?.median == 2)
    }

    @Test("The interval is between values that the sign test allows: of too few pairs there is none")
    func interval() {
        func interval(_ count: Int) -> ClosedRange<Double>? {
            SurvivalPairs.Figure((0..<count).map { Double($0 + 1) })?.interval
        }
        // The places are those of the tables of the sign test.
        #expect(interval(0) == nil)
        #expect(interval(5) == nil)
        #expect(interval(6) == 1...6)
        #expect(interval(9) == 2...8)
        #expect(interval(10) == 2...9)
        #expect(interval(16) == 4...13)
        #expect(interval(20) == 6...15)
        #expect(interval(100) == 40...61)
    }

    @Test("A table shows its pairs below its rows, and writes them down")
    func table() throws {
        var table = SurvivalTable()
        table.results = [run(.jetsam, 110)]
        #expect(table.pairs.isEmpty)
        #expect(!table.text.contains("pairs"))
        table.results.append(run(.fixed, 100))
        #expect(
            table.text.split(separator: "\n").last?.split(separator: " ") == [
                "growth", "1", "64", "1.1", "–", "+0.0", "–", "1.0", "–",
            ])
        let json = try JSONText(parsing: Array(table.json.description.utf8))
        guard case .array(let pairs) = json["pairs"] else {
            Issue.record("it has no pairs")
            return
        }
        #expect(pairs.first?["requestsPerCPUSecond"]?["median"]?.number == 1.1)
        #expect(try SurvivalTable(table.json.description).pairs == table.pairs)
    }
}
