internal import CommandOutput
internal import JetsamTrace
internal import MemoryPressure
internal import _StressPatterns

/// The runs of a table, and the rows that follow from them.
struct SurvivalTable {
    /// What the runs of one way under one disturbance came to: medians, but for what was released.
    struct Row: Equatable {
        var disturbance: String
        var who: Way
        var runs: Int
        var killed: Int
        var left: Int
        var budgetBytes: Int?
        var failedShare: Double
        var p99Milliseconds: Double?
        var hitRate: Double?
        var requestsPerCPUSecond: Double?
        /// The mean of the runs that lived; nil where none did, as what a killed run had released by then says when it was killed.
        /// A run makes one release more or less than another, so that a median would jump between the two. Likewise the next two.
        var releasedBytes: Int?
        var neededBytes: Int?
        var wastedShare: Double?
        var managerCPUShare: Double?
        var leastCacheBytes: Int?
        /// The mean of the runs that lived, likewise.
        var warningSeconds: Double?
        var criticalSeconds: Double?
        var headroomAtStart: Int
    }

    /// What the machine can do, for whoever compares two tables.
    var machine: [(String, JSONText)] = []
    /// The text of the file that Jetsam was configured by; nil for the defaults.
    var configuration: String?
    var results: [SurvivalResult] = []

    func results(_ disturbance: Disturbance, _ way: Way) -> [SurvivalResult] {
        results.filter { $0.disturbance == disturbance.name && $0.who == way }
    }

    /// The rows in the order of the disturbances, those of which nothing was run left out.
    var rows: [Row] {
        Disturbance.all.flatMap { disturbance in Way.allCases.compactMap { row(disturbance, $0) } }
    }

    /// The best fixed cache and Jetsam in pairs of runs, where there are some.
    var pairs: [SurvivalPairs] {
        Disturbance.all.compactMap { disturbance in
            SurvivalPairs(
                disturbance: disturbance.name, fixed: counted(disturbance, .fixed),
                jetsam: counted(disturbance, .jetsam))
        }
    }

    /// All disturbances of a way together, where there are runs of it.
    var totals: [SurvivalTotals] {
        Way.allCases.compactMap { way in SurvivalTotals(who: way, rows: rows.filter { $0.who == way }) }
    }

    /// The runs of a way that count: of the fixed budgets that were tried those of the one that survived, or of the smallest one.
    private func counted(_ disturbance: Disturbance, _ way: Way) -> [SurvivalResult] {
        let runs = results(disturbance, way)
        guard way == .fixed else { return runs }
        let killedFrom = runs.filter(\.killed).compactMap(\.budgetBytes).min() ?? .max
        let survived = runs.filter { !$0.killed }.compactMap(\.budgetBytes).filter { $0 < killedFrom }.max()
        let budget = survived ?? runs.compactMap(\.budgetBytes).min()
        return runs.filter { $0.budgetBytes == budget }
    }

    private func row(_ disturbance: Disturbance, _ way: Way) -> Row? {
        let runs = counted(disturbance, way)
        guard !runs.isEmpty else { return nil }
        let lived = runs.filter { !$0.killed }
        func mean(_ bytes: (SurvivalResult) -> Int) -> Int? {
            lived.isEmpty ? nil : lived.reduce(0) { $0 + bytes($1) } / lived.count
        }
        func mean(_ seconds: (SurvivalResult) -> Double?) -> Double? {
            let known = lived.compactMap(seconds)
            return known.isEmpty ? nil : known.reduce(0, +) / Double(known.count)
        }
        let releasedBytes = mean(\.releasedBytes)
        return Row(
            disturbance: disturbance.name, who: way, runs: runs.count, killed: runs.count { $0.killed },
            left: runs.count { $0.left }, budgetBytes: runs.first?.budgetBytes,
            failedShare: Self.median(runs.map(\.failedShare)) ?? 0,
            p99Milliseconds: Self.median(runs.compactMap(\.p99Milliseconds)),
            hitRate: Self.median(runs.compactMap(\.hitRate)),
            requestsPerCPUSecond: Self.median(runs.compactMap(\.requestsPerCPUSecond)),
            releasedBytes: releasedBytes, neededBytes: mean(\.neededBytes),
            wastedShare: releasedBytes.map { bytes in
                bytes > 0 ? Double(mean(\.wastedBytes) ?? 0) / Double(bytes) : 0
            },
            managerCPUShare: Self.median(runs.compactMap(\.managerCPUShare)),
            leastCacheBytes: Self.median(runs.compactMap(\.leastCacheBytes).map(Double.init)).map { Int($0) },
            warningSeconds: mean(\.warningSeconds), criticalSeconds: mean(\.criticalSeconds),
            headroomAtStart: Self.median(runs.map { Double($0.headroomAtStart) }).map { Int($0) } ?? 0)
    }

    /// The middle one; of an even number the mean of the two in the middle. Nil of none.
    static func median(_ values: [Double]) -> Double? {
        let sorted = values.sorted()
        guard !sorted.isEmpty else { return nil }
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
}

extension SurvivalTable {
    var json: JSONText {
        .object([
            ("machine", .object(machine)), ("configuration", .string(configuration)),
            ("rows", .array(rows.map(\.json))), ("pairs", .array(pairs.map(\.json))),
            ("totals", .array(totals.map(\.json))),
            ("runs", .array(results.map(\.json))),
        ])
    }

    /// A table that was written before.
    ///
    /// - Throws: `StressError` where it is none.
    init(_ text: String) throws {
        let json: JSONText
        do { json = try JSONText(parsing: Array(text.utf8)) } catch {
            throw StressError("it is no JSON: \(error)")
        }
        try Self.check(json)
        guard case .array(let runs) = json["runs"] else { throw StressError("it has no array \"runs\"") }
        machine = json["machine"]?.pairs ?? []
        configuration = json["configuration"]?.string
        results = try runs.map { run in
            guard let result = SurvivalResult(run) else {
                throw StressError("a run lacks disturbance, who or killed: \(run)")
            }
            return result
        }
    }

    private static func check(_ json: JSONText) throws {
        if let wild = json.wildFigure { throw StressError(wild) }
    }

    /// The rows of a table that was written before. Where only they were kept, and not the runs, they are taken as they are.
    ///
    /// - Throws: `StressError` where it is none.
    static func rows(_ text: String) throws -> [Row] {
        guard let json = try? JSONText(parsing: Array(text.utf8)), json["runs"] == nil,
            case .array(let rows) = json["rows"]
        else { return try SurvivalTable(text).rows }
        try check(json)
        return try rows.map { row in
            guard let row = Row(row) else { throw StressError("a row lacks disturbance, who, killed or runs: \(row)") }
            return row
        }
    }

    /// The table as people read it.
    var text: String {
        let head = [
            "disturbance", "who", "killed", "failed", "p99 ms", "hits", "req/CPU s", "released", "needed", "wasted",
            "manager", "cache", "at warning", "at critical",
        ]
        var lines = Columns.aligned([head] + rows.map(\.cells))
        let totals = totals
        if totals.contains(where: { $0.disturbances > 1 }) {
            lines += ["", "all disturbances together: the sums of bytes and times, and the means of the shares"]
            lines += Columns.aligned([SurvivalTotals.head] + totals.map(\.cells))
        }
        let pairs = pairs
        if !pairs.isEmpty {
            lines += ["", "jetsam beside fixed, in pairs of runs: ratios, and percentage points of hits"]
            lines += Columns.aligned([SurvivalPairs.head] + pairs.map(\.cells))
        }
        return lines.joined(separator: "\n")
    }
}

extension SurvivalTable.Row {
    /// Nil where it is no row of a way that there is.
    init?(_ json: JSONText) {
        guard let disturbance = json["disturbance"]?.string, let who = json["who"]?.string.flatMap(Way.init),
            let killed = json["killed"]?.integer, let runs = json["runs"]?.integer
        else { return nil }
        self.init(
            disturbance: disturbance, who: who, runs: runs, killed: killed, left: json["left"]?.integer ?? 0,
            budgetBytes: json["budgetBytes"]?.integer, failedShare: json["failedShare"]?.number ?? 0,
            p99Milliseconds: json["p99Milliseconds"]?.number, hitRate: json["hitRate"]?.number,
            requestsPerCPUSecond: json["requestsPerCPUSecond"]?.number, releasedBytes: json["releasedBytes"]?.integer,
            neededBytes: json["neededBytes"]?.integer, wastedShare: json["wastedShare"]?.number,
            managerCPUShare: json["managerCPUShare"]?.number, leastCacheBytes: json["leastCacheBytes"]?.integer,
            warningSeconds: json["warningSeconds"]?.number, criticalSeconds: json["criticalSeconds"]?.number,
            headroomAtStart: json["headroomAtStart"]?.integer ?? 0)
    }

    var json: JSONText {
        .object([
            ("disturbance", .string(disturbance)), ("who", .string(who.rawValue)), ("killed", .integer(killed)),
            ("runs", .integer(runs)), ("left", .integer(left)), ("budgetBytes", .integer(budgetBytes)),
            ("failedShare", .number(failedShare)), ("p99Milliseconds", .number(p99Milliseconds)),
            ("hitRate", .fraction(hitRate)), ("requestsPerCPUSecond", .number(requestsPerCPUSecond)),
            ("releasedBytes", .integer(releasedBytes)), ("neededBytes", .integer(neededBytes)),
            ("wastedShare", .number(wastedShare)), ("managerCPUShare", .fraction(managerCPUShare)),
            ("leastCacheBytes", .integer(leastCacheBytes)),
            ("warningSeconds", .number(warningSeconds)), ("criticalSeconds", .number(criticalSeconds)),
            ("headroomAtStart", .integer(headroomAtStart)),
        ])
    }

    fileprivate var cells: [String] {
        let budget = budgetBytes.map { " \($0 >> 20)" } ?? ""
        let end = left > 0 ? "\(killed)/\(runs), \(left) left" : "\(killed)/\(runs)"
        return [
            disturbance, who.rawValue + budget, end, Self.percent(failedShare), Self.text(p99Milliseconds, decimals: 1),
            hitRate.map(Self.percent) ?? "–", Self.text(requestsPerCPUSecond, decimals: 0),
            releasedBytes.map(Self.mebibytes) ?? "–", neededBytes.map(Self.mebibytes) ?? "–",
            releasedBytes ?? 0 > 0 ? wastedShare.map(Self.percent) ?? "–" : "–",
            managerCPUShare.map(Self.percent) ?? "–", leastCacheBytes.map(Self.mebibytes) ?? "–",
            Self.seconds(warningSeconds), Self.seconds(criticalSeconds),
        ]
    }

    static func percent(_ share: Double) -> String { text(share * 100, decimals: 1) + " %" }

    static func seconds(_ seconds: Double?) -> String { seconds.map { text($0, decimals: 1) + " s" } ?? "–" }

    static func mebibytes(_ bytes: Int) -> String { bytes == 0 ? "0" : "\((bytes + 524_288) >> 20) MiB" }

    fileprivate static func text(_ value: Double?, decimals: Int) -> String {
        guard let value else { return "–" }
        guard decimals > 0 else { return "\(Int(value.rounded()))" }
        return "\((value * 10).rounded() / 10)"
    }
}
