/// A line through the columns of a plot, as the commands of an SVG path.
///
/// Plots are drawn 1000 units wide and stretched to the width of the page. Where a column has a range, the line goes through
/// both its ends: drawn that densely it shows the range.
struct PlotPath {
    static let width = 1000.0

    private struct Point: Equatable {
        var x: Double
        var y: Double
    }

    private var pieces: [[Point]] = []

    /// - Parameters:
    ///   - isStepped: Whether a value holds until the next; otherwise the line goes straight to it.
    ///   - vertical: From a value to where it is, in units from the top.
    init(_ columns: TimeColumns, _ gauge: Gauge, isStepped: Bool = false, vertical: (Int) -> Double) {
        var piece: [Point] = []
        for column in 0..<columns.count {
            if columns.isBroken(column), !piece.isEmpty {
                pieces.append(piece)
                piece = []
            }
            let extent = columns.extent(gauge, column)
            guard !extent.isEmpty else { continue }
            let x = columns.place(ofColumn: column) * Self.width
            let (low, high) = (vertical(extent.low), vertical(extent.high))
            // The nearer end first.
            let last = piece.last?.y ?? low
            let isLowFirst = abs(low - last) <= abs(high - last)
            if isStepped, let last = piece.last { piece.append(Point(x: x, y: last.y)) }
            piece.append(Point(x: x, y: isLowFirst ? low : high))
            if low != high { piece.append(Point(x: x, y: isLowFirst ? high : low)) }
        }
        if isStepped, let last = piece.last { piece.append(Point(x: Self.width, y: last.y)) }
        if !piece.isEmpty { pieces.append(piece) }
    }

    var commands: String {
        pieces.map { piece in
            var result = ""
            var points = piece.indices.filter { index in
                // What lies between two of the same height adds nothing.
                index == 0 || index == piece.count - 1
                    || piece[index - 1].y != piece[index].y || piece[index + 1].y != piece[index].y
            }.map { piece[$0] }
            // A point alone is drawn as a dot.
            if points.count == 1 { points.append(points[0]) }
            for (index, point) in points.enumerated() {
                result += index == 0 ? "M" : index == 1 ? "L" : " "
                result += "\(Markup.number(point.x)),\(Markup.number(point.y))"
            }
            return result
        }.joined()
    }
}
