import Foundation

/// The violations of all worlds, added up.
struct Tally {
    private let reports: [Worker.Report]

    init(_ reports: [Worker.Report]) {
        self.reports = reports
    }

    private func count(_ name: InvariantName) -> Int {
        reports.reduce(0) { $0 + ($1.violations[name.rawValue]?.count ?? 0) }
    }

    private func worlds(_ name: InvariantName) -> Int {
        reports.count { $0.violations[name.rawValue] != nil }
    }

    /// The first seeds that show it.
    private func seeds(_ name: InvariantName) -> String {
        let seeds = reports.filter { $0.violations[name.rawValue] != nil }.map { "\($0.seed)" }
        let rest = seeds.count > Self.mostSeeds ? ["..."] : []
        return seeds.isEmpty ? "-" : (seeds.prefix(Self.mostSeeds) + rest).joined(separator: " ")
    }
    private static let mostSeeds = 20

    private func first(_ name: InvariantName) -> (seed: UInt64, violation: Worker.Report.Violation)? {
        for report in reports {
            if let first = report.violations[name.rawValue]?.first { return (report.seed, first) }
        }
        return nil
    }

    /// What is counted. What held and still does goes on to hold; that what was violated holds from now on is for somebody to say.
    func baseline(after known: Baseline) -> Baseline {
        let violated = InvariantName.allCases.filter { count($0) > 0 || !known.holds($0) }
        return Baseline(counts: Dictionary(uniqueKeysWithValues: violated.map { ($0.rawValue, count($0)) }))
    }

    /// What does not hold, a sentence each.
    func failures(_ baseline: Baseline, isFixed: Bool) -> [String] {
        InvariantName.allCases.compactMap { name in
            let count = count(name)
            let allowed = baseline.allowed(name)
            // Over other seeds a number says nothing; what holds has to hold there too.
            guard count > allowed, isFixed || baseline.holds(name), let first = first(name) else { return nil }
            let much = baseline.holds(name) ? "which has to hold" : "of which \(allowed) are known"
            return """
                \(count) violations of '\(name.rawValue)', \(much): \(name.statement).
                  seed \(first.seed) after \(Int(first.violation.seconds)) s: \(first.violation.text)
                  to see it: tools/simulate --follow \(first.seed)
                """
        }
    }

    func table(_ baseline: Baseline, isFixed: Bool) -> String {
        var rows = [["invariant", "known", "counted", "worlds", "seeds", "what it says"]]
        for name in InvariantName.allCases {
            let allowed = baseline.allowed(name)
            rows.append([
                name.rawValue, baseline.holds(name) ? "holds" : isFixed ? "\(allowed)" : "-", "\(count(name))",
                "\(worlds(name))",
                seeds(name), name.statement,
            ])
        }
        let killed = reports.reduce(0) { $0 + $1.killed }, resorts = reports.reduce(0) { $0 + $1.lastResorts }
        return Self.aligned(rows) + "\nprocesses killed: \(killed), last resorts: \(resorts)\n"
    }

    /// Counts by what was under way, or had been last.
    func tableByDisturbance() -> String {
        var counts: [String: [String: Int]] = [:]
        for report in reports {
            for (name, violations) in report.violations {
                for violation in violations { counts[violation.kind, default: [:]][name, default: 0] += 1 }
            }
        }
        let names = InvariantName.allCases.map(\.rawValue)
        var rows = [["during"] + names]
        for kind in counts.keys.sorted() {
            rows.append([kind] + names.map { counts[kind]?[$0].map { "\($0)" } ?? "." })
        }
        return Self.aligned(rows)
    }

    private static func aligned(_ rows: [[String]]) -> String {
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = row.indices.map { index in
                row[index] + String(repeating: " ", count: widths[index] - row[index].count)
            }
            var line = cells.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return line + "\n"
        }.joined()
    }
}
