internal import CommandOutput
internal import MemoryPressure

/// The best fixed cache and Jetsam under one disturbance, run by run: the first with the first, and so on. As the ways take turns, the
/// machine was about as fast for both of a pair.
struct SurvivalPairs: Equatable {
    struct Figure: Equatable {
        /// The median of the pairs.
        var median: Double
        /// Where the median of all such pairs lies with a probability of 95 %; nil of fewer than six.
        var interval: ClosedRange<Double>?

        /// Nil of none.
        init?(_ values: [Double]) {
            guard let median = SurvivalTable.median(values) else { return nil }
            self.median = median
            interval = Self.interval(values.sorted())
        }

        /// Returns the interval between two of the values, as many places from the least as from the greatest. It takes no distribution
        /// for granted: how many of the values lie below the median is a matter of tossing a coin.
        ///
        /// Method: the sign test's interval; David and Nagaraja, Order Statistics, 3rd edition, section 7.1.
        private static func interval(_ sorted: [Double]) -> ClosedRange<Double>? {
            var below = sorted.reduce(1.0) { half, _ in half / 2 }
            var term = below
            var place = 0
            while below <= 0.025, place < sorted.count / 2 {
                place += 1
                term *= Double(sorted.count - place + 1) / Double(place)
                below += term
            }
            return place > 0 ? sorted[place - 1]...sorted[sorted.count - place] : nil
        }
    }

    let disturbance: String
    let budgetBytes: Int
    let count: Int
    /// The ratio of Jetsam's to the fixed cache's.
    let requestsPerCPUSecond: Figure?
    /// The difference, Jetsam's less the fixed cache's.
    let hitRate: Figure?
    /// The ratio of Jetsam's to the fixed cache's.
    let p99Milliseconds: Figure?

    /// Nil where there is no pair of runs that lived.
    init?(disturbance: String, fixed: [SurvivalResult], jetsam: [SurvivalResult]) {
        let pairs = Array(zip(fixed.filter { !$0.killed }, jetsam.filter { !$0.killed && !$0.left }))
        guard let budgetBytes = pairs.first?.0.budgetBytes else { return nil }
        func figure(_ value: (SurvivalResult) -> Double?, _ compare: (Double, Double) -> Double?) -> Figure? {
            Figure(
                pairs.compactMap { fixed, jetsam in
                    guard let ofFixed = value(fixed), let ofJetsam = value(jetsam) else { return nil }
                    return compare(ofJetsam, ofFixed)
                })
        }
        func ratio(_ value: Double, _ other: Double) -> Double? { other > 0 ? value / other : nil }
        self.disturbance = disturbance
        self.budgetBytes = budgetBytes
        count = pairs.count
        requestsPerCPUSecond = figure(\.requestsPerCPUSecond, ratio)
        hitRate = figure(\.hitRate) { $0 - $1 }
        p99Milliseconds = figure(\.p99Milliseconds, ratio)
    }
}

extension SurvivalPairs {
    var json: JSONText {
        .object([
            ("disturbance", .string(disturbance)), ("budgetBytes", .integer(budgetBytes)), ("pairs", .integer(count)),
            ("requestsPerCPUSecond", requestsPerCPUSecond?.json ?? .null),
            ("hitRate", hitRate?.json ?? .null), ("p99Milliseconds", p99Milliseconds?.json ?? .null),
        ])
    }

    static let head = ["disturbance", "pairs", "fixed", "req/CPU s", "95 %", "hits", "95 %", "p99", "95 %"]

    var cells: [String] {
        func ratio(_ value: Double) -> String { "\((value * 1000).rounded() / 1000)" }
        func points(_ value: Double) -> String { (value < 0 ? "" : "+") + "\((value * 1000).rounded() / 10)" }
        return [disturbance, "\(count)", "\(budgetBytes >> 20)"] + Self.cells(requestsPerCPUSecond, ratio)
            + Self.cells(hitRate, points)
            + Self.cells(p99Milliseconds, ratio)
    }

    private static func cells(_ figure: Figure?, _ text: (Double) -> String) -> [String] {
        guard let figure else { return ["–", "–"] }
        return [
            text(figure.median),
            figure.interval.map { "\(text($0.lowerBound)) … \(text($0.upperBound))" } ?? "–",
        ]
    }
}

extension SurvivalPairs.Figure {
    fileprivate var json: JSONText {
        .object([
            ("median", .number(median)), ("from", .number(interval?.lowerBound)), ("to", .number(interval?.upperBound)),
        ])
    }
}
