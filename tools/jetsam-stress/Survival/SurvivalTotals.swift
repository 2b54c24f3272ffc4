internal import MemoryPressure

/// What one way came to under all disturbances of a table together.
struct SurvivalTotals: Equatable {
    var who: Way
    var disturbances: Int
    var runs: Int
    var killed: Int
    /// The mean of the disturbances, from 0 to 1; nil where no run lived. Likewise the wasted share.
    var hitRate: Double?
    /// The sum over the disturbances; where every run of one was killed, it adds nothing. Likewise the next ones.
    var releasedBytes: Int
    var neededBytes: Int
    var wastedBytes: Int
    var wastedShare: Double?
    /// Nil where there is no manager.
    var warningSeconds: Double?
    var criticalSeconds: Double?

    /// - Parameter rows: Those of the way. Nil if there are none.
    init?(who: Way, rows: [SurvivalTable.Row]) {
        guard !rows.isEmpty else { return nil }
        self.who = who
        disturbances = rows.count
        runs = rows.reduce(0) { $0 + $1.runs }
        killed = rows.reduce(0) { $0 + $1.killed }
        releasedBytes = rows.reduce(0) { $0 + ($1.releasedBytes ?? 0) }
        neededBytes = rows.reduce(0) { $0 + ($1.neededBytes ?? 0) }
        wastedBytes = Int(rows.reduce(0) { $0 + ($1.wastedShare ?? 0) * Double($1.releasedBytes ?? 0) })
        hitRate = Self.mean(rows.compactMap(\.hitRate))
        wastedShare = Self.mean(rows.compactMap(\.wastedShare))
        warningSeconds = Self.sum(rows.compactMap(\.warningSeconds))
        criticalSeconds = Self.sum(rows.compactMap(\.criticalSeconds))
    }

    private static func mean(_ values: [Double]) -> Double? { sum(values).map { $0 / Double(values.count) } }

    private static func sum(_ values: [Double]) -> Double? { values.isEmpty ? nil : values.reduce(0, +) }
}

extension SurvivalTotals {
    static let head = [
        "who", "disturbances", "killed", "hits", "released", "needed", "wasted", "at warning", "at critical",
    ]

    var cells: [String] {
        [
            who.rawValue, "\(disturbances)", "\(killed)/\(runs)", hitRate.map(SurvivalTable.Row.percent) ?? "–",
            SurvivalTable.Row.mebibytes(releasedBytes), SurvivalTable.Row.mebibytes(neededBytes),
            wastedShare.map(SurvivalTable.Row.percent) ?? "–", SurvivalTable.Row.seconds(warningSeconds),
            SurvivalTable.Row.seconds(criticalSeconds),
        ]
    }

    var json: JSONText {
        .object([
            ("who", .string(who.rawValue)), ("disturbances", .integer(disturbances)), ("runs", .integer(runs)),
            ("killed", .integer(killed)), ("hitRate", .fraction(hitRate)), ("releasedBytes", .integer(releasedBytes)),
            ("neededBytes", .integer(neededBytes)), ("wastedBytes", .integer(wastedBytes)),
            ("wastedShare", .number(wastedShare)), ("warningSeconds", .number(warningSeconds)),
            ("criticalSeconds", .number(criticalSeconds)),
        ])
    }
}
