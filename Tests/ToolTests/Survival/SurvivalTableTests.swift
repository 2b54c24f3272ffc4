import MemoryPressure
import Testing
import _StressPatterns

@testable import CommandOutput
@testable import jetsam_stress

@Suite("The table of survival")
struct SurvivalTableTests {
    private func run(_ who: Way, killed: Bool = false, budget: Int? = nil, released: Int = 0) -> SurvivalResult {
        var result = SurvivalResult()
        result.disturbance = "growth"
        result.who = who
        result.killed = killed
        result.budgetBytes = budget
        result.releasedBytes = released
        result.hitRate = killed ? nil : 0.75
        result.fillSeconds = 3.5
        result.leastCacheBytes = killed ? nil : 64 << 20
        return result
    }

    @Test("It can be gone on with: what was written is read again")
    func again() throws {
        var table = SurvivalTable()
        table.machine = [("processors", .integer(2))]
        table.results = [run(.jetsam, released: 1 << 20), run(.fixed, killed: true, budget: 32 << 20)]
        let read = try SurvivalTable(table.json.description)
        #expect(read.results == table.results)
        #expect(read.json.description == table.json.description)
    }

    @Test(
        "What is no table is refused with its reason",
        arguments: [
            ("", "it is no JSON"), ("[]", "it has no array"), ("{\"runs\":3}", "it has no array"),
            ("{\"runs\":[{\"disturbance\":\"growth\"}]}", "a run lacks"),
            ("{\"runs\":[{\"releasedBytes\":9223372036854775807}]}", "releasedBytes is 9223372036854775807: a figure"),
            ("{\"runs\":[{\"p99Milliseconds\":-1e308}]}", "p99Milliseconds is "),
        ])
    func refused(text: String, reason: String) {
        let error = #expect(throws: StressError.self) { try SurvivalTable(text) }
        #expect(error?.description.hasPrefix(reason) == true)
    }

    @Test("Rows are read as they were written, also where the runs were not kept")
    func rowsAlone() throws {
        var table = SurvivalTable()
        table.results = [run(.jetsam, released: 1 << 20), run(.cleared, killed: true)]
        let rows = JSONText.object([("rows", .array(table.rows.map(\.json)))])
        #expect(try SurvivalTable.rows(rows.description) == table.rows)
        #expect(try SurvivalTable.rows(table.json.description) == table.rows)
        #expect(throws: StressError.self) { try SurvivalTable.rows("{\"rows\":[{\"who\":\"jetsam\"}]}") }
        #expect(throws: StressError.self) { try SurvivalTable.rows("{}") }
        let text =
            "{\"rows\":[{\"disturbance\":\"growth\",\"who\":\"jetsam\",\"killed\":0,\"runs\":-9223372036854775808}]}"
        #expect(throws: StressError.self) { try SurvivalTable.rows(text) }
    }

    @Test("Of the budgets that were tried the largest one counts that was never killed")
    func bestBudget() throws {
        var table = SurvivalTable()
        table.results = [
            run(.fixed, killed: true, budget: 96 << 20), run(.fixed, budget: 64 << 20), run(.fixed, budget: 64 << 20),
            run(.fixed, budget: 32 << 20),
        ]
        let row = try #require(table.rows.first)
        #expect(table.rows.count == 1)
        #expect(row.budgetBytes == 64 << 20)
        #expect((row.runs, row.killed) == (2, 0))
    }

    @Test("Where no budget survives the smallest one counts")
    func noBudget() throws {
        var table = SurvivalTable()
        table.results = [run(.fixed, killed: true, budget: 64 << 20), run(.fixed, killed: true, budget: 32 << 20)]
        let row = try #require(table.rows.first)
        #expect(row.budgetBytes == 32 << 20)
        #expect((row.runs, row.killed) == (1, 1))
    }

    @Test("What was released is the mean of the runs that lived")
    func released() throws {
        var table = SurvivalTable()
        table.results = [
            run(.jetsam, released: 10), run(.jetsam, killed: true, released: 3000), run(.jetsam, released: 40),
            run(.jetsam, released: 10),
        ]
        for index in table.results.indices { table.results[index].wastedBytes = 5 }
        let row = try #require(table.rows.first)
        #expect(row.releasedBytes == 20)
        #expect(row.wastedShare == 0.25)
        #expect(row.hitRate == 0.75)
        #expect(row.killed == 1)
    }

    @Test("Where no run lived there is nothing to say of what was released")
    func noneLived() throws {
        var table = SurvivalTable()
        table.results = [run(.cleared, killed: true, released: 300 << 20)]
        let row = try #require(table.rows.first)
        #expect(row.releasedBytes == nil)
        #expect(row.wastedShare == nil)
        #expect(table.json.description.contains("\"releasedBytes\":null"))
        #expect(!table.text.contains("300"))
    }

    @Test("A median of an even number is between the two in the middle; of nothing there is none")
    func median() {
        #expect(SurvivalTable.median([4, 1, 3, 2]) == 2.5)
        #expect(SurvivalTable.median([]) == nil)
    }

    @Test("The ways take turns, once the fixed budget is found, and each has as many runs as were asked for")
    func turns() throws {
        let disturbance = try #require(Disturbance.all.first { $0.name == "growth" })
        let bound = 384 << 20
        let (ways, plan): ([Way], _) = ([.nothing, .fixed, .jetsam], RunPlan(jetsam: 4, peers: 3))
        var (table, order) = (SurvivalTable(), "")
        #expect(table.runsLeft([disturbance], ways, plan) == 3 + 1 + 4, "the search counts as one")
        while let run = table.nextRun(disturbance, ways, plan), order.count < 20 {
            var result = SurvivalResult()
            (result.disturbance, result.who, result.budgetBytes) = (disturbance.name, run.way, run.budgetBytes)
            result.killed = run.budgetBytes.map { $0 > bound } ?? false
            table.results.append(result)
            order += result.killed ? "-" : run.way == .nothing ? "n" : run.way == .fixed ? "f" : "j"
        }
        #expect(order.replacing("-", with: "") == "nfjnfjnfjj")
        #expect(table.results(disturbance, .fixed).last?.budgetBytes == bound)
        #expect(order.contains("-"), "larger budgets were tried first")
        #expect(table.runsLeft([disturbance], ways, plan) == 0)
    }

    @Test("A budget that is given is not searched for: it has its runs even where all of them are killed")
    func givenBudget() throws {
        let disturbance = try #require(Disturbance.all.first { $0.name == "growth" })
        let plan = RunPlan(jetsam: 3, peers: 3, budgetBytes: 288 << 20)
        var (table, order) = (SurvivalTable(), "")
        while let run = table.nextRun(disturbance, [.fixed, .jetsam], plan), order.count < 20 {
            #expect(run.budgetBytes == (run.way == .fixed ? 288 << 20 : nil))
            #expect(table.runsLeft([disturbance], [.fixed, .jetsam], plan) == 6 - order.count)
            var result = SurvivalResult()
            (result.disturbance, result.who, result.budgetBytes) = (disturbance.name, run.way, run.budgetBytes)
            result.killed = run.way == .fixed
            table.results.append(result)
            order += run.way == .fixed ? "f" : "j"
        }
        #expect(order == "fjfjfj")
        #expect(table.runsLeft([disturbance], [.fixed, .jetsam], plan) == 0)
        #expect(table.rows.first { $0.who == .fixed }?.killed == 3)
    }
}
