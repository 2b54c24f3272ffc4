import MemoryPressure
import Testing

@testable import jetsam_stress

@Suite("All disturbances of a survival table together")
struct SurvivalTotalsTests {
    private func run(
        _ disturbance: String, _ who: Way = .jetsam, killed: Bool = false, hits: Double = 0.5, released: Int = 0,
        wasted: Int = 0, warning: Double? = 0
    ) -> SurvivalResult {
        var result = SurvivalResult()
        result.disturbance = disturbance
        result.who = who
        result.killed = killed
        result.hitRate = killed ? nil : hits
        result.releasedBytes = released << 20
        result.neededBytes = released << 19
        result.wastedBytes = wasted << 20
        result.warningSeconds = killed ? nil : warning
        result.criticalSeconds = killed ? nil : warning.map { $0 / 4 }
        return result
    }

    @Test("Bytes and times are added up, and shares are the means of the disturbances, however many runs each has")
    func sums() throws {
        var table = SurvivalTable()
        table.results = [
            run("growth", hits: 0.8), run("growth", hits: 0.8),
            run("spike", hits: 0.6, released: 100, wasted: 20, warning: 8),
        ]
        let totals = try #require(table.totals.first)
        #expect(table.totals.count == 1 && totals.who == .jetsam)
        #expect(totals.disturbances == 2 && totals.runs == 3 && totals.killed == 0)
        #expect(totals.releasedBytes == 100 << 20 && totals.neededBytes == 50 << 20 && totals.wastedBytes == 20 << 20)
        #expect(abs((totals.hitRate ?? 0) - 0.7) < 1e-9 && abs((totals.wastedShare ?? 0) - 0.1) < 1e-9)
        #expect(totals.warningSeconds == 8 && totals.criticalSeconds == 2)
        #expect(
            table.text.contains("all disturbances together")
                && table.json.description.contains("\"totals\":[{\"who\":\"jetsam\""))
    }

    @Test("A killed run counts as killed and adds nothing else; without a manager there is no time at a level")
    func killed() throws {
        var table = SurvivalTable()
        table.results = [
            run("growth", .nothing, killed: true, released: 100), run("spike", .nothing, released: 10, warning: nil),
        ]
        let totals = try #require(table.totals.first)
        #expect(totals.killed == 1 && totals.releasedBytes == 10 << 20 && totals.hitRate == 0.5)
        #expect(totals.warningSeconds == nil && totals.criticalSeconds == nil)
    }

    @Test("A single disturbance needs no second table")
    func single() {
        var table = SurvivalTable()
        table.results = [run("growth")]
        #expect(!table.text.contains("all disturbances together"))
    }
}
