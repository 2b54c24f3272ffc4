internal import CommandOutput
internal import Jetsam
internal import MemoryPressure

extension ReportPage {
    private var columns: TimeColumns { digest.columns }

    var levelFigure: Figure {
        let places: [Double] = [0.06, 0.5, 0.94]
        let first = digest.changes.first.first { $0.record.level > .normal }
        var facts = [PressureLevel.normal, .warning, .critical].map { level in
            "\(level) for \(digest.time(at: level).shortText)"
        }.joined(separator: ", ")
        facts = "The level was \(facts)."
        if let first {
            facts += " It first rose at \(offset(first.instant)), to \(first.record.level), because of the rule "
            facts += "\(first.record.rule)."
        }
        var figure = Figure(
            id: "plot-level", title: "Level", caption: "What Jetsam judged the shortage of memory to be.", facts: facts)
        figure.labels = zip(places, ["normal", "warning", "critical"]).map { Figure.AxisLabel(place: $0, text: $1) }
        figure.grid = places
        figure.lines = [Figure.Line(stroke: .level, name: "", path: levelPath(places))]
        return figure
    }

    private func levelPath(_ places: [Double]) -> String {
        var result = ""
        var last = -1.0
        for column in 0..<columns.count {
            let top = (1 - places[columns.level(column).code]) * Figure.height
            let x = Markup.number(columns.edge(ofColumn: column) * PlotPath.width)
            if column == 0 {
                result += "M0,\(Markup.number(top))"
            } else if top != last {
                result += "H\(x)V\(Markup.number(top))"
            }
            last = top
        }
        return result + "H1000"
    }

    var memoryFigure: Figure {
        var gauges: [(Gauge, Figure.Stroke, String)] = [
            (.usage, .usage, digest.isDryRun ? "usage, had the steps been carried out" : "usage"),
            (.unreclaimable, .unreclaimable, "of that unreclaimable"),
            (.limit, .limit, digest.isEverLimited ? "hard limit" : "memory of the machine"),
            (.high, .high, "memory.high"),
        ]
        if digest.isDryRun { gauges.insert((.usedReally, .really, "usage as it was"), at: 1) }
        gauges.removeAll { !columns.has($0.0) }
        let scale = PlotScale(.bytes, highest: gauges.map { columns.extent($0.0).high }.max() ?? 0)
        var figure = Figure(
            id: "plot-memory", title: "Usage and limits",
            caption:
                "Usage counts files' pages too; unreclaimable is what the kernel cannot take back for free. The limit is "
                + "the tightest, of this cgroup or of one above it.",
            facts: gauges.isEmpty
                ? "There is no reading in the trace."
                : gauges.map { "\($0.2): \(range(columns.extent($0.0)))" }.joined(separator: "; ") + ".")
        figure.use(scale)
        figure.lines = gauges.map { gauge, stroke, name in
            let path = PlotPath(
                columns, gauge, isStepped: gauge == .limit || gauge == .high, vertical: Figure.vertical(scale))
            return Figure.Line(stroke: stroke, name: name, path: path.commands)
        }
        return figure
    }

    var headroomFigure: Figure {
        let gauges: [(Gauge, Figure.Stroke, String)] = [
            (.headroom, .headroom, "headroom"), (.warningEntry, .warning, "warning begins below"),
            (.criticalEntry, .critical, "critical begins below"),
        ]
        let present = gauges.filter { columns.has($0.0) }
        let scale = PlotScale(.bytes, highest: present.map { columns.extent($0.0).high }.max() ?? 0)
        var facts = present.map { "\($0.2): \(range(columns.extent($0.0)))" }.joined(separator: "; ") + "."
        if let least = digest.leastHeadroom {
            let bytes = FigureText.bytes(least.record.headroomBytes)
            facts += " The least was \(bytes), at \(offset(least.instant))."
        }
        var figure = Figure(
            id: "plot-headroom", title: "Headroom",
            caption:
                "How much more can be taken before the limit, counting nothing that the kernel gets back for free.",
            facts: present.isEmpty ? "There is no reading in the trace." : facts)
        figure.use(scale)
        figure.lines = present.map { gauge, stroke, name in
            let path = PlotPath(columns, gauge, isStepped: gauge != .headroom, vertical: Figure.vertical(scale))
            return Figure.Line(stroke: stroke, name: name, path: path.commands)
        }
        return figure
    }

    var stallFigure: Figure {
        let extent = columns.extent(.stall)
        let rule = digest.header?.configuration.stall ?? .init()
        let (warning, critical) = (rule.warningPercent * 100, rule.criticalPercent * 100)
        let highest = extent.isEmpty ? 0 : extent.high
        // A tenth at least, so that what is little looks little.
        let scale = PlotScale(.share, highest: max(highest, 1000, warning, highest > warning ? critical : 0))
        var figure = Figure(
            id: "plot-stall", title: "Stall",
            caption:
                "The share of the last two seconds in which some thread waited for memory. Other rules can raise the level "
                + "without any: memory that grows into a hard limit makes nobody wait before the kill.",
            facts: extent.isEmpty
                ? "The trace has no stall: the kernel's pressure figures were not read."
                : "\(shares(extent)). Where the kernel also "
                    + "reclaims and headroom is short, warning begins above \(rule.warningPercent) % and critical above "
                    + "\(rule.criticalPercent) %.")
        figure.use(scale)
        let vertical = Figure.vertical(scale)
        if !extent.isEmpty {
            figure.lines = [
                Figure.Line(
                    stroke: .stall, name: "somebody waited",
                    path: PlotPath(columns, .stall, vertical: vertical).commands)
            ]
        }
        for (value, stroke, name) in [(warning, Figure.Stroke.warning, "warning"), (critical, .critical, "critical")]
        where value <= scale.maximum && !extent.isEmpty {
            let path = "M0,\(Markup.number(vertical(value)))H1000"
            figure.lines.append(Figure.Line(stroke: stroke, name: "\(name) above", path: path))
        }
        return figure
    }

    private func shares(_ extent: Extent) -> String {
        extent.low == extent.high
            ? "\(FigureText.percent(extent.low)) all the time"
            : "Between \(FigureText.percent(extent.low)) and \(FigureText.percent(extent.high))"
    }

    var purgeFigure: Figure {
        let columnsPerBar = max(1, (columns.count + 79) / 80)
        let all: [(Amount, String)] = [
            (.asked, "asked"), (.promised, "promised"), (.freed, "freed"), (.returned, "returned"),
        ]
        // One measure for all of them, so that they can be compared.
        let highest = all.map { Lanes.highest($0.0, columns, columnsPerBar: columnsPerBar) }.max() ?? 0
        let lanes = Lanes(
            lanes: all.map { amount, name in
                Lanes.Lane(name: name, maximum: sum(amount), amount: amount, highest: highest)
            })
        let span = Duration.nanoseconds(Int64(columns.nanosecondsPerColumn * columnsPerBar)).shortText
        let dry = digest.isDryRun ? " This was a dry run: all of it was decided only." : ""
        var figure = Figure(
            id: "plot-purges", title: "Purges",
            caption:
                "Bytes that were asked of caches, promised by them, freed (where the allocator tells) and returned to the "
                + "system, added up over \(span) a bar. All bars have one measure; the highest is "
                + "\(FigureText.bytes(highest)).\(dry)",
            facts: "In all " + all.map { "\($0.1): \(sum($0.0))" }.joined(separator: "; ")
                + ", in \(digest.steps.count.counted("step", "steps")).\(dry)")
        figure.labels = lanes.labels
        figure.grid = lanes.grid
        figure.shapes = lanes.bars(columns, columnsPerBar: columnsPerBar)
        return figure
    }

    private func sum(_ amount: Amount) -> String {
        amount == .freed && !digest.tellsFreed ? "not known" : FigureText.bytes(columns.sum(amount))
    }

    /// Background tasks and scenes; none where the trace has no counts of them.
    var countFigures: [Figure] {
        [
            countFigure(
                "plot-tasks", "Background tasks",
                "How many were held at a moment, and how many had expired, were overdue or had been refused.",
                [(.held, "held"), (.expired, "expired"), (.overdue, "overdue"), (.refused, "refused")]),
            countFigure(
                "plot-scenes", "Scenes", "How many were in each state.",
                [(.active, "active"), (.inactive, "inactive"), (.background, "background"), (.suspended, "suspended")]),
        ].compactMap { $0 }
    }

    private func countFigure(
        _ id: String, _ title: String, _ caption: String, _ gauges: [(Gauge, String)]
    ) -> Figure? {
        let gauges = gauges.filter { columns.has($0.0) }
        guard !gauges.isEmpty else { return nil }
        let lanes = Lanes(
            lanes: gauges.map { gauge, name in
                let highest = columns.extent(gauge).high
                return Lanes.Lane(name: name, maximum: "up to \(highest)", gauge: gauge, highest: highest)
            })
        let facts = gauges.map { gauge, name in
            let extent = columns.extent(gauge)
            return "\(name): " + (extent.low == extent.high ? "\(extent.low)" : "\(extent.low) to \(extent.high)")
        }
        var figure = Figure(
            id: id, title: title, caption: caption + " Each line has a height of its own.",
            facts: "From the fewest to the most, " + facts.joined(separator: "; ") + ".")
        figure.labels = lanes.labels
        figure.grid = lanes.grid
        figure.lines = lanes.lines(columns)
        return figure
    }
}
