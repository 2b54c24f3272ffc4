internal import CommandOutput
internal import MemoryPressure

/// Two tables side by side: whether they say the same of who was killed and of what was released.
struct SurvivalComparison {
    /// Bytes released may differ by so much,
    static let allowedBytes = 32 << 20
    /// or by this share of the larger one.
    static let allowedShare = 0.25

    /// What differs, a line each, in the order of the disturbances.
    private(set) var differences: [String] = []
    /// Pairs of a disturbance and a way that both tables have.
    private(set) var compared = 0
    /// Those that only the new table has.
    private(set) var missing = 0

    init(_ rows: [SurvivalTable.Row], with earlier: [SurvivalTable.Row]) {
        for row in rows {
            guard let before = earlier.first(where: { $0.disturbance == row.disturbance && $0.who == row.who }) else {
                missing += 1
                continue
            }
            compared += 1
            let name = "\(row.disturbance), \(row.who.rawValue)"
            if (row.killed > 0) != (before.killed > 0) {
                differences.append("\(name): killed \(Self.killed(before)), now \(Self.killed(row))")
            }
            // Where some of one table's runs were killed, those that lived may be the ones that released more.
            guard before.killed == 0, row.killed == 0, let released = row.releasedBytes,
                let releasedBefore = before.releasedBytes, !Self.agree(released, releasedBefore)
            else { continue }
            differences.append(
                "\(name): released \(ByteCount(releasedBefore)), now \(ByteCount(released))")
        }
    }

    var text: String {
        let rest = missing > 0 ? " (\(missing.counted("more is", "more are")) not in the other table)" : ""
        guard !differences.isEmpty else {
            return (compared == 1 ? "the one cell agrees" : "all \(compared) cells agree") + rest
        }
        let cells = compared.counted("cell", "cells")
        let heading = "\(differences.count.counted("difference", "differences")) in \(cells)\(rest):"
        return ([heading] + differences.map { "  " + $0 }).joined(separator: "\n")
    }

    static func agree(_ first: Int, _ second: Int) -> Bool {
        let difference = abs(first - second)
        return difference <= allowedBytes || Double(difference) <= Double(max(first, second)) * allowedShare
    }

    private static func killed(_ row: SurvivalTable.Row) -> String { "\(row.killed) of \(row.runs)" }
}
