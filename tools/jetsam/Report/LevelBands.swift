internal import MemoryPressure

/// The stretches of time at `warning` and at `critical`, as they lie behind every plot.
struct LevelBands {
    struct Band {
        var level: PressureLevel
        var from: Double
        var to: Double
    }

    private(set) var bands: [Band] = []

    init(_ columns: TimeColumns) {
        var first = 0
        for column in 0...columns.count {
            let isEnd = column == columns.count
            guard isEnd || columns.level(column) != columns.level(first) else { continue }
            if first < column, columns.level(first) > .normal {
                bands.append(
                    Band(
                        level: columns.level(first), from: columns.edge(ofColumn: first),
                        to: columns.edge(ofColumn: column)))
            }
            first = column
        }
    }

    /// The definitions that ``use`` refers to; once a page.
    var definitions: String {
        "<defs>"
            + [PressureLevel.warning, .critical].map { level in
                let path = bands.filter { $0.level == level }.map { band in
                    let (from, to) = (Markup.number(band.from * 1000), Markup.number(max(band.to, band.from) * 1000))
                    return "M\(from),0H\(to)V200H\(from)Z"
                }.joined()
                return "<path id=\"band-\(level)\" class=\"band \(level)\" d=\"\(path)\"/>"
            }.joined() + "</defs>"
    }

    /// In the SVG of a plot; an empty path is not used.
    var use: String {
        [PressureLevel.warning, .critical].filter { level in bands.contains { $0.level == level } }
            .map { "<use href=\"#band-\($0)\"/>" }.joined()
    }

    /// The words above those that are wide enough to bear one.
    var words: String {
        bands.filter { $0.to - $0.from >= 0.09 }.map { band in
            "<span style=\"left:\(Markup.percent(band.from));width:\(Markup.percent(band.to - band.from))\">"
                + "\(band.level)</span>"
        }.joined()
    }
}
