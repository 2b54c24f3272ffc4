import JetsamTrace
import MemoryPressure
import Testing

@testable import CommandOutput
@testable import jetsam

@Suite("The page of survival")
struct SurvivalPageTests {
    private func page(_ text: String, name: String = "table.json") throws -> String {
        try SurvivalPage(JSONText(parsing: Array(text.utf8)), name: name).html
    }

    private let table = """
        {"machine":{"processors":2},"rows":[
        {"disturbance":"growth","who":"nothing","killed":2,"runs":2,"releasedBytes":0,"failedShare":0.4,"hitRate":null},
        {"disturbance":"growth","who":"jetsam","killed":0,"runs":5,"releasedBytes":104857600,"neededBytes":52428800,
        "wastedShare":0.25,"failedShare":0,"hitRate":0.75,"warningSeconds":3.5,"criticalSeconds":2}],
        "pairs":[{"disturbance":"growth","budgetBytes":436207616,"pairs":6,
        "requestsPerCPUSecond":{"median":0.995,"from":0.926,"to":1.066},"hitRate":{"median":-0.01,"from":null,"to":null},
        "p99Milliseconds":{"median":null,"from":null,"to":null}}]}
        """

    @Test("It says who was killed, and shows each figure with its bar")
    func figures() throws {
        let html = try page(table)
        #expect(html.contains("<b class=\"key critical\">2 of 2</b>"))
        #expect(html.contains("<td>0 of 5</td>"))
        #expect(html.contains("100 MiB<span class=\"measure\" aria-hidden=\"true\" style=\"width:100.00%\">"))
        #expect(html.contains("25 %<span"))
        #expect(html.contains("75 %<span"))
    }

    @Test(
        "Figures that no run has are refused, or shown without harm",
        arguments: ["-1", "0", "null", "\"x\"", "9223372036854775807", "-9223372036854775808", "1e308", "1e-320"])
    func wildFigures(value: String) throws {
        for key in [
            "releasedBytes", "neededBytes", "p99Milliseconds", "hitRate", "requestsPerCPUSecond", "warningSeconds",
        ] {
            let text = """
                {"rows":[{"disturbance":"growth","who":"jetsam","killed":0,"runs":1,"\(key)":\(value)}],
                "pairs":[{"disturbance":"growth","budgetBytes":1,"pairs":1,"hitRate":{"median":\(value),"from":0,"to":0}}]}
                """
            do {
                #expect(try page(text).contains("growth"))
            } catch let error as SurvivalPage.Mistake {
                #expect(error.description.contains("a figure of such a table"))
                #expect(value.count > 4)
            }
        }
    }

    @Test("It says how long Jetsam was at a level, and how it does in pairs with the fixed cache")
    func levelsAndPairs() throws {
        let html = try page(table)
        #expect(html.contains("3.5 s<span"))
        #expect(html.contains("2 s<span"))
        #expect(html.contains("<td>416 MiB</td>"))
        #expect(html.contains("<td>99.5 % (92.6 … 106.6 %)</td>"))
        #expect(html.contains("<td>-1</td>"))
        #expect(html.contains("<td><span class=\"none\">–</span></td>"))
    }

    @Test("A table of an earlier version, which has no such figures, has no empty sections for them")
    func earlierVersion() throws {
        let html = try page("{\"rows\":[{\"disturbance\":\"growth\",\"who\":\"jetsam\",\"killed\":0,\"runs\":1}]}")
        #expect(html.contains("<section id=\"killed\""))
        for id in ["warning", "critical", "pairs", "latency"] { #expect(!html.contains("<section id=\"\(id)\"")) }
    }

    @Test("A way of which every run was killed has no figures but its failed requests")
    func killed() throws {
        let html = try page(table)
        let released = try #require(
            html.split(separator: "<section id=\"released\"").last?.split(separator: "</section>").first)
        #expect(released.contains("<span class=\"none\">–</span>"))
        #expect(html.contains("40 %<span"))
    }

    @Test("Names cannot turn into markup")
    func escaped() throws {
        let html = try page(
            "{\"rows\":[{\"disturbance\":\"<b>\",\"who\":\"a&b\",\"killed\":0,\"runs\":1}]}", name: "<script>.json")
        #expect(!html.contains("<script>"))
        #expect(html.contains("&lt;b&gt;"))
        #expect(html.contains("a&amp;b"))
    }

    @Test(
        "What is no table is refused", arguments: ["{}", "[]", "{\"rows\":[]}", "{\"rows\":[{\"who\":\"jetsam\"}]}"])
    func refused(text: String) {
        #expect(throws: SurvivalPage.Mistake.self) { try page(text) }
    }
}
