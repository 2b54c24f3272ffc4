/// A plot with its caption, axes and legend. What it shows is said in words too, for whoever does not see it.
struct Figure {
    /// How a line is drawn: by colour, and by its dashes.
    enum Stroke: String {
        case usage, unreclaimable, limit, high, really, headroom, warning, critical, stall, level, count
    }

    struct Line {
        var stroke: Stroke
        var name: String
        var path: String
    }

    struct AxisLabel {
        /// From 0 at the bottom to 1 at the top.
        var place: Double
        var text: String
    }

    var id: String
    var title: String
    /// Plain text below the title.
    var caption: String
    /// The facts in words: the description of the picture.
    var facts: String
    var labels: [AxisLabel] = []
    /// Where the horizontal lines of the grid are, from 0 to 1.
    var grid: [Double] = []
    var lines: [Line] = []
    /// What lies in front of the bands and behind the lines.
    var shapes = ""
    /// In units of the picture; it is as many pixels high.
    static let height = 200.0

    static func vertical(_ scale: PlotScale) -> (Int) -> Double {
        { (1 - scale.place($0)) * height }
    }

    /// Lets the grid and the labels be those of a scale.
    mutating func use(_ scale: PlotScale) {
        labels = scale.ticks.map { AxisLabel(place: scale.place($0), text: scale.text($0)) }
        grid = labels.map(\.place)
    }

    func html(_ time: TimeScale, _ bands: LevelBands) -> String {
        """
        <figure id="\(id)" aria-labelledby="\(id)-title">
        <figcaption><h3 id="\(id)-title">\(Markup.escaped(title))</h3>
        <p>\(Markup.escaped(caption))</p></figcaption>
        \(legend)<div class="plot">
        <div class="y" aria-hidden="true">\(labels.map(Self.label).joined())</div>
        <div class="area"><div class="words" aria-hidden="true">\(bands.words)</div>
        <svg role="img" aria-labelledby="\(id)-name" aria-describedby="\(id)-facts" viewBox="0 0 1000 200" preserveAspectRatio="none">
        <title id="\(id)-name">\(Markup.escaped(title))</title>
        <desc id="\(id)-facts">\(Markup.escaped(facts))</desc>
        \(bands.use)<path class="grid" d="\(gridPath(time))"/>\(shapes)
        \(lines.map { "<path class=\"line \($0.stroke.rawValue)\" d=\"\($0.path)\"/>" }.joined(separator: "\n"))
        </svg></div>
        <div class="x" aria-hidden="true">\(time.ticks.map(Self.tick).joined())</div>
        </div>
        <p class="facts" aria-hidden="true">\(Markup.escaped(facts))</p>
        </figure>

        """
    }

    private var legend: String {
        guard !lines.isEmpty, lines.contains(where: { !$0.name.isEmpty }) else { return "" }
        let items = lines.map { line in
            """
            <li><svg aria-hidden="true" width="36" height="10"><path class="line \(line.stroke.rawValue)" d="M1,5H35"/></svg> \
            \(Markup.escaped(line.name))</li>
            """
        }
        return "<ul class=\"legend\" aria-label=\"Lines\">\(items.joined())</ul>\n"
    }

    private func gridPath(_ time: TimeScale) -> String {
        grid.map { "M0,\(Markup.number((1 - $0) * Self.height))H1000" }.joined()
            + time.ticks.map { "M\(Markup.number($0.place * 1000)),0V200" }.joined()
    }

    private static func label(_ label: AxisLabel) -> String {
        "<span style=\"bottom:\(Markup.percent(label.place))\">\(Markup.escaped(label.text))</span>"
    }

    private static func tick(_ tick: TimeScale.Tick) -> String {
        let side = tick.place > 0.93 ? " class=\"last\"" : ""
        return "<span\(side) style=\"left:\(Markup.percent(tick.place))\">\(Markup.escaped(tick.text))</span>"
    }
}
