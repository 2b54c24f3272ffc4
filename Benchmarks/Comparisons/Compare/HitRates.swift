internal import Foundation

/// The hit rates of Jetsam and of published policies over traces and workloads, in percent.
struct HitRates: Sendable {
    static let policies = ["jetsam", "lru", "arc", "sieve", "s3-fifo", "optimum"]

    /// A row a trace, a size and a policy; the case is `TRACE,SIZE`.
    private(set) var rows: [Row] = []

    init(rows: [Row]) {
        self.rows = rows
    }

    init(traces: [String], workloads: [String]) throws {
        for trace in traces { try add("trace", trace, URL(fileURLWithPath: trace).lastPathComponent) }
        for workload in workloads { try add("generate", workload, workload) }
    }

    private mutating func add(_ kind: String, _ what: String, _ name: String) throws {
        let lines = try Measuring.output(of: "\(Measuring.programs)/Caches", [kind, what]).split(separator: "\n")
        rows += lines.compactMap(Row.init).map { row in
            var row = row
            row.name = "\(name),\(row.name.dropFirst("hitrate-".count))"
            return row
        }
        print(String(format: "[%4d s] ", Measuring.secondsSinceStart()) + name)
        fflush(nil)
    }

    var names: [String] {
        var names: [String] = []
        for row in rows where names.last != row.name && !names.contains(row.name) { names.append(row.name) }
        return names
    }

    func rate(_ name: String, _ policy: String) -> Double? {
        rows.first { $0.name == name && $0.who == policy }?.value
    }

    /// How far Jetsam stays behind the best of the four policies, in points; negative where it is ahead.
    func behind(_ name: String) -> Double {
        let best = rows.filter { $0.name == name && $0.who != "jetsam" && $0.who != "optimum" }.map(\.value).max() ?? 0
        return best - (rate(name, "jetsam") ?? 0)
    }

    func show() {
        Report.step("hit rates in percent, where so many of the distinct keys fit")
        let columns = Self.policies.map { String(repeating: " ", count: max(0, 10 - $0.count)) + $0 }
        print(
            "trace, size".padding(toLength: 30, withPad: " ", startingAt: 0) + columns.joined() + "    behind the best")
        for name in names {
            let values = Self.policies.map { String(format: " %9.2f", rate(name, $0) ?? 0) }
            print(
                name.padding(toLength: max(30, name.count), withPad: " ", startingAt: 0) + values.joined()
                    + String(format: " %12.2f", behind(name)))
        }
    }

    /// Bounds over all traces and sizes. To be ahead of the four in one place does not make up for another.
    static func bounds(_ rates: HitRates) -> [Bound] {
        let behind = rates.names.map { max(0, rates.behind($0)) }
        let measure = { @Sendable (value: Double) throws(MissingFigure) -> Double in
            if behind.count < 9 {
                throw MissingFigure(description: "three traces are needed; there are \(behind.count / 3)")
            }
            return value
        }
        return [
            Bound("hit rate, mean points behind the best policy", .atMost(1, "<= 1")) { (_) throws(MissingFigure) in
                try measure(behind.reduce(0, +) / Double(behind.count))
            },
            Bound("hit rate, most points behind the best policy", .atMost(3, "<= 3")) { (_) throws(MissingFigure) in
                try measure(behind.max() ?? 0)
            },
        ]
    }
}
