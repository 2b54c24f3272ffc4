internal import MemoryPressure

/// Several figures one above the other, each with a height of its own and named at its side: so none needs a colour.
struct Lanes {
    struct Lane {
        var name: String
        var maximum: String
        var gauge: Gauge?
        var amount: Amount?
        var highest: Int
    }

    var lanes: [Lane]

    /// The part of a lane that is drawn on; the rest keeps it from the next.
    private static let share = 0.8

    /// How high a value is in its lane, in units from the top of the picture.
    private func vertical(_ lane: Int) -> (Int) -> Double {
        let height = Figure.height / Double(lanes.count)
        let bottom = height * Double(lane + 1)
        let highest = Double(max(1, lanes[lane].highest))
        return { bottom - min(1, max(0, Double($0) / highest)) * height * Self.share }
    }

    var labels: [Figure.AxisLabel] {
        lanes.enumerated().map { index, lane in
            Figure.AxisLabel(
                place: 1 - (Double(index) + 0.62) / Double(lanes.count), text: "\(lane.name)\n\(lane.maximum)")
        }
    }

    /// The lanes' floors.
    var grid: [Double] { lanes.indices.map { 1 - Double($0 + 1) / Double(lanes.count) } }

    func lines(_ columns: TimeColumns) -> [Figure.Line] {
        lanes.indices.compactMap { index in
            lanes[index].gauge.map { gauge in
                let path = PlotPath(columns, gauge, isStepped: true, vertical: vertical(index))
                return Figure.Line(stroke: .count, name: "", path: path.commands)
            }
        }
    }

    /// Bars of equally many columns each, wide enough to be seen.
    func bars(_ columns: TimeColumns, columnsPerBar: Int) -> String {
        lanes.indices.compactMap { index in
            lanes[index].amount.map { amount in
                let vertical = vertical(index)
                let bars = stride(from: 0, to: columns.count, by: columnsPerBar).compactMap { first -> String? in
                    let last = min(columns.count, first + columnsPerBar)
                    let sum = (first..<last).reduce(0) { $0.addingSaturating(columns.sum(amount, $1)) }
                    guard sum > 0 else { return nil }
                    let (left, right) = (columns.edge(ofColumn: first) * 1000, columns.edge(ofColumn: last) * 1000)
                    // Seen also where it is small beside the largest.
                    let top = min(vertical(sum), vertical(0) - 1.5)
                    return "M\(Markup.number(left)),\(Markup.number(vertical(0)))V\(Markup.number(top))"
                        + "H\(Markup.number(max(left + 2, right - 1.5)))V\(Markup.number(vertical(0)))Z"
                }
                return "<path class=\"bar\" d=\"\(bars.joined())\"/>"
            }
        }.joined()
    }

    /// The most that one bar comes to.
    static func highest(_ amount: Amount, _ columns: TimeColumns, columnsPerBar: Int) -> Int {
        stride(from: 0, to: columns.count, by: columnsPerBar).map { first in
            (first..<min(columns.count, first + columnsPerBar)).reduce(0) {
                $0.addingSaturating(columns.sum(amount, $1))
            }
        }.max() ?? 0
    }
}
