/// An axis from zero up, with the ticks that are labelled.
struct PlotScale {
    enum Unit {
        case bytes
        /// Hundredths of a percent.
        case share
        case count
    }

    let unit: Unit
    let maximum: Int
    let ticks: [Int]

    /// - Parameter highest: The highest value that has to fit.
    init(_ unit: Unit, highest: Int) {
        self.unit = unit
        // Room above the highest value; beyond what any machine has a plot says nothing anyway.
        let highest = min(max(1, highest), 1 << 58)
        let step = Self.steps(unit).first { highest <= $0.multipliedReportingOverflow(by: 5).partialValue } ?? (1 << 58)
        let count = max(1, (highest + step - 1) / step)
        maximum = count * step
        ticks = (0...count).map { $0 * step }
    }

    private static func steps(_ unit: Unit) -> [Int] {
        switch unit {
        case .bytes: (0..<60).map { 1 << $0 }
        case .share: [20, 50, 100, 200, 500, 1000, 2000]
        case .count:
            (0..<17).flatMap { power in [1, 2, 5].map { $0 * (0..<power).reduce(1) { product, _ in product * 10 } } }
        }
    }

    func text(_ value: Int) -> String {
        switch unit {
        case .bytes: FigureText.bytes(value)
        case .share: FigureText.percent(value)
        case .count: "\(value)"
        }
    }

    /// From 0 at the bottom to 1 at the top.
    func place(_ value: Int) -> Double {
        min(1, max(0, Double(value) / Double(maximum)))
    }
}
