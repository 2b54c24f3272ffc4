internal import CommandOutput
internal import JetsamTrace
internal import MemoryPressure

/// The table of `tools/prove survival` as one page: each figure by disturbance and way, with bars.
struct SurvivalPage {
    struct Mistake: Error, CustomStringConvertible {
        var description: String
    }

    /// What is known of one way under one disturbance.
    private struct Row {
        var disturbance: String
        var who: String
        var json: JSONText

        func number(_ key: String) -> Double? { json[key]?.number }
        func integer(_ key: String) -> Int { json[key]?.integer ?? 0 }
        var isWhollyKilled: Bool { integer("killed") == integer("runs") }
    }

    /// One figure of the table.
    private struct Measure: Sendable {
        var id: String
        var title: String
        var explanation: String
        /// Nil where a row has none.
        var value: @Sendable (Row) -> Double?
        var text: @Sendable (Double) -> String
    }

    let name: String
    private let rows: [Row]
    private let machine: [(String, JSONText)]
    /// Jetsam and the fixed cache in pairs of runs, by disturbance.
    private let pairs: [JSONText]
    private let disturbances: [String]
    private let ways: [String]

    /// - Throws: ``Mistake`` where the JSON has no rows, or figures that no run has.
    init(_ json: JSONText, name: String) throws {
        if let wild = json.wildFigure { throw Mistake(description: wild) }
        guard case .array(let elements)? = json["rows"], !elements.isEmpty else {
            throw Mistake(description: "it has no \"rows\"")
        }
        rows = try elements.map { element in
            guard let disturbance = element["disturbance"]?.string, let who = element["who"]?.string else {
                throw Mistake(description: "a row has no \"disturbance\" or no \"who\"")
            }
            return Row(disturbance: disturbance, who: who, json: element)
        }
        self.name = name
        machine = json["machine"]?.pairs ?? []
        if case .array(let pairs)? = json["pairs"] { self.pairs = pairs } else { pairs = [] }
        disturbances = Self.inOrder(rows.map(\.disturbance))
        ways = Self.inOrder(rows.map(\.who))
    }

    /// Each once, in the order in which they come.
    private static func inOrder(_ names: [String]) -> [String] {
        names.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    var html: String {
        var page = HTMLPage(title: "\(name) – Jetsam survival", heading: "Survival under memory pressure", name: name)
        page.sections =
            [.init("killed", "Who was killed", introduction + killedTable.html)]
            + Self.measures.filter(isKnown).map { .init($0.id, $0.title, table($0).html) }
            + (pairs.isEmpty ? [] : [.init("pairs", "Beside the fixed cache", pairsTable.html)])
            + [.init("machine", "The machine", machineTable.html)]
        page.footer = """
            Made by <code>jetsam report --survival</code>. Figures are medians of the runs; what was released, \
            needed and wasted, and the times at a level, are means of those that lived. Sizes are powers of 1024: 1 MiB is \
            1,048,576 bytes.
            """
        return page.html
    }

    private var introduction: String {
        let killed = rows.filter { $0.integer("killed") > 0 }.count
        return """
            <p>\(ways.count.counted("way", "ways")) of looking after memory under \
            \(disturbances.count.counted("disturbance", "disturbances")): in \(killed) of \(rows.count) pairs a run was \
            killed. Each run has a memory limit of its own, one traffic, and a disturbance.</p>

            """
    }

    private func row(_ disturbance: String, _ who: String) -> Row? {
        rows.first { $0.disturbance == disturbance && $0.who == who }
    }

    private var killedTable: HTMLTable {
        HTMLTable(
            id: "killed-table", caption: "Runs that were killed, of all runs; in brackets those that left in order",
            headings: ["Disturbance"] + ways,
            rows: disturbances.map { disturbance in
                [Markup.escaped(disturbance)]
                    + ways.map { who in
                        guard let row = row(disturbance, who) else { return Self.nothing }
                        let left = row.integer("left")
                        let text = "\(row.integer("killed")) of \(row.integer("runs"))\(left > 0 ? " (\(left))" : "")"
                        return row.integer("killed") > 0 ? "<b class=\"key critical\">\(text)</b>" : text
                    }
            })
    }

    private static let nothing = "<span class=\"none\">–</span>"

    /// Returns whether a row has the figure: tables of earlier versions lack some.
    private func isKnown(_ measure: Measure) -> Bool { rows.contains { measure.value($0) != nil } }

    private var pairsTable: HTMLTable {
        HTMLTable(
            id: "pairs-table",
            caption:
                "Jetsam's figures in percent of the fixed cache's, and the hits in percentage points more: medians of pairs of runs, "
                + "and their intervals of confidence of 95 %",
            headings: ["Disturbance", "Pairs", "Fixed budget", "Requests per CPU second", "Hits", "Latency"],
            rows: pairs.map { pair in
                [
                    Markup.escaped(pair["disturbance"]?.string ?? "–"),
                    pair["pairs"]?.integer.map { "\($0)" } ?? Self.nothing,
                    pair["budgetBytes"]?.integer.map(FigureText.bytes) ?? Self.nothing,
                    interval(pair["requestsPerCPUSecond"], " %"), interval(pair["hitRate"], ""),
                    interval(pair["p99Milliseconds"], " %"),
                ]
            })
    }

    private func interval(_ figure: JSONText?, _ unit: String) -> String {
        func text(_ key: String) -> String? { figure?[key]?.number.map { Markup.number($0 * 100) } }
        guard let median = text("median") else { return Self.nothing }
        guard let from = text("from"), let to = text("to") else { return median + unit }
        return "\(median)\(unit) (\(from) … \(to)\(unit))"
    }

    private func table(_ measure: Measure) -> HTMLTable {
        let values = rows.map { $0.isWhollyKilled && measure.id != "failed" ? nil : measure.value($0) }
        let most = max(values.compactMap { $0 }.max() ?? 0, .leastNonzeroMagnitude)
        return HTMLTable(
            id: "\(measure.id)-table", caption: measure.explanation, headings: ["Disturbance"] + ways,
            rows: disturbances.map { disturbance in
                [Markup.escaped(disturbance)]
                    + ways.map { who in
                        guard let index = rows.firstIndex(where: { $0.disturbance == disturbance && $0.who == who }),
                            let value = values[index]
                        else { return Self.nothing }
                        return "\(Markup.escaped(measure.text(value)))<span class=\"measure\" aria-hidden=\"true\" "
                            + "style=\"width:\(Markup.percent(value / most))\"></span>"
                    }
            })
    }

    private static let measures = [
        Measure(
            id: "released", title: "Released", explanation: "Bytes that came back because memory was short",
            value: { $0.number("releasedBytes") }, text: { FigureText.bytes(Int($0)) }),
        Measure(
            id: "needed", title: "Needed",
            explanation:
                "Bytes that somebody who knew how other memory would grow would have released to keep a fixed reserve free",
            value: { $0.number("neededBytes") }, text: { FigureText.bytes(Int($0)) }),
        Measure(
            id: "wasted", title: "Wasted",
            explanation:
                "The part of the released bytes that was fetched again within ten seconds although nothing else had needed it",
            value: { $0.integer("releasedBytes") > 0 ? $0.number("wastedShare") : nil }, text: percent),
        Measure(
            id: "failed", title: "Failed requests",
            explanation: "Requests without a proper answer, as a part of those that could have been answered",
            value: { $0.number("failedShare") }, text: percent),
        Measure(
            id: "hits", title: "Hits",
            explanation: "Requests answered from the cache, from the beginning of the disturbance on",
            value: { $0.number("hitRate") }, text: percent),
        Measure(
            id: "latency", title: "Latency", explanation: "What 99 of 100 requests stay below, in milliseconds",
            value: { $0.number("p99Milliseconds") }, text: { "\(Markup.number($0)) ms" }),
        Measure(
            id: "efficiency", title: "Requests per CPU second",
            explanation: "Requests answered for each second of CPU time, from the beginning of the disturbance on",
            value: { $0.number("requestsPerCPUSecond") }, text: { "\(Int($0.rounded()))" }),
        Measure(
            id: "manager", title: "The manager's CPU time",
            explanation: "What Jetsam's threads took of the server's CPU time",
            value: { $0.number("managerCPUShare") }, text: percent),
        Measure(
            id: "warning", title: "At warning",
            explanation: "The time at the level warning, from the beginning of the disturbance on",
            value: { $0.number("warningSeconds") }, text: seconds),
        Measure(
            id: "critical", title: "At critical",
            explanation: "The time at the level critical, from the beginning of the disturbance on",
            value: { $0.number("criticalSeconds") }, text: seconds),
    ]

    private static func seconds(_ seconds: Double) -> String { "\(Markup.number(seconds)) s" }

    private static func percent(_ share: Double) -> String { "\(Markup.number(share * 100)) %" }

    private var machineTable: HTMLTable {
        HTMLTable(
            id: "machine-table", caption: "What the figures were measured on", headings: ["What", "Figure"],
            rows: machine.map { key, value in
                let text = value.string ?? value.integer.map { "\($0)" } ?? value.description
                return [Markup.escaped(key), Markup.escaped(text)]
            })
    }
}
