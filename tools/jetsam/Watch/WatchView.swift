internal import CommandOutput
internal import MemoryPressure

/// A snapshot as lines of text, each in at most so many columns: a pure function, so that a terminal is not needed to test it.
struct WatchView {
    private let snapshot: Snapshot
    private let columns: Int

    /// The narrowest view: below it lines are cut.
    static let fewestColumns = 20
    /// How many caches are shown, the largest first.
    static let mostCaches = 12

    static func lines(_ snapshot: Snapshot, columns: Int) -> [String] {
        WatchView(snapshot: snapshot, columns: max(fewestColumns, columns)).lines
    }

    private var lines: [String] {
        var lines = head
        lines += section(caches) + section(tasks) + section(scenes) + section(steps)
        return lines.map { TerminalText.shortened($0, columns) }
    }

    private func section(_ lines: [String]) -> [String] { lines.isEmpty ? [] : [""] + lines }

    private func size(_ bytes: Int) -> String { ByteCount(bytes).description }

    // MARK: The head

    private var head: [String] {
        var title = "process \(snapshot.process)"
        if let inner = snapshot.innerProcess { title += " (\(inner) in its container)" }
        if let uptime = snapshot.uptimeSeconds { title += "  up \(Self.span(uptime))" }
        title +=
            "  \(snapshot.state)\(snapshot.isReady ? ", ready" : "")\(snapshot.isShuttingDown ? ", shutting down" : "")"
        if snapshot.isDryRun { title += "  DRY RUN: nothing is done" }
        let level = snapshot.level == "normal" ? "normal" : snapshot.level.uppercased()
        let share = snapshot.limitBytes > 0 ? snapshot.headroomBytes * 100 / snapshot.limitBytes : 0
        let limit = snapshot.isLimited ? "the limit" : "the machine's memory"
        return [
            title,
            row("level", "\(level)\(snapshot.reason.map { "  \($0)" } ?? "")"),
            row("memory", bar(width: columns - Self.labelWidth)),
            row(
                "",
                "\(size(snapshot.unreclaimableBytes)) cannot be taken back, \(size(snapshot.usageBytes)) used of "
                    + "\(size(snapshot.limitBytes)), \(limit)"),
            row(
                "headroom",
                "\(size(snapshot.headroomBytes)) (\(share) %); warning below \(size(snapshot.warningBytes)), "
                    + "critical below \(size(snapshot.criticalBytes))"),
        ] + budget + [
            row(
                "stall",
                "\(snapshot.stallPercent) % of 2 s; footprint \(size(snapshot.footprintBytes)); "
                    + "\(snapshot.readings.counted("reading", "readings"))")
        ]
    }

    private var budget: [String] {
        guard let budget = snapshot.budget else { return [] }
        return [
            row(
                "budget",
                "\(size(snapshot.footprintBytes)) of \(size(budget.bytes)); warning above \(size(budget.warningBytes)), "
                    + "critical above \(size(budget.criticalBytes))")
        ]
    }

    private static let labelWidth = 10

    private func row(_ label: String, _ text: String) -> String {
        TerminalText.fitted(label, Self.labelWidth) + text
    }

    /// Usage against the limit: `#` what cannot be taken back, `+` what can, `.` what is free, `W` and `C` where warning and
    /// critical begin.
    private func bar(width: Int) -> String {
        let cells = max(4, width - 2)
        guard snapshot.limitBytes > 0 else { return "[" + String(repeating: "?", count: cells) + "]" }
        func position(_ bytes: Int) -> Int {
            let share = Double(bytes) / Double(snapshot.limitBytes)
            return min(cells, max(0, Int((share * Double(cells)).rounded())))
        }
        let firm = position(snapshot.unreclaimableBytes)
        let used = max(firm, position(snapshot.usageBytes))
        var bar = (0..<cells).map { $0 < firm ? "#" : $0 < used ? "+" : "." }
        for (mark, headroom) in [("W", snapshot.warningBytes), ("C", snapshot.criticalBytes)] {
            bar[min(cells - 1, position(snapshot.limitBytes - headroom))] = mark
        }
        return "[" + bar.joined() + "]"
    }

    // MARK: Caches

    private struct Column {
        var title: String
        var text: (Snapshot.Cache) -> String
        /// The lowest is left out first where there is no room.
        var rank: Int
    }

    private static let cellWidth = 10
    private static let fewestForName = 14

    private var caches: [String] {
        let count = snapshot.cacheCount
        guard count > 0 else { return ["CACHES  none is registered"] }
        func size(_ bytes: Int?) -> String { bytes.map { ByteCount($0).description } ?? "-" }
        var shown = [
            Column(title: "priority", text: { $0.priority }, rank: 2),
            Column(title: "bytes", text: { size($0.bytes) }, rank: 6),
            Column(title: "limit", text: { size($0.limitBytes) }, rank: 3),
            Column(title: "promised", text: { size($0.promisedBytes) }, rank: 4),
            Column(title: "freed", text: { size($0.freedBytes) }, rank: 1),
            Column(title: "returned", text: { size($0.returnedBytes) }, rank: 5),
        ]
        while shown.count > 1, shown.count * (Self.cellWidth + 1) + Self.fewestForName > columns,
            let least = shown.indices.min(by: { shown[$0].rank < shown[$1].rank })
        {
            shown.remove(at: least)
        }
        let nameWidth = columns - shown.count * (Self.cellWidth + 1)
        func line(_ name: String, _ cells: [String]) -> String {
            TerminalText.fitted(name, nameWidth)
                + cells.map { " " + TerminalText.fitted($0, Self.cellWidth, toRight: true) }.joined()
        }
        let largest = snapshot.caches.sorted { ($0.bytes, $1.name) > ($1.bytes, $0.name) }.prefix(Self.mostCaches)
        var lines = [line("CACHES \(count)", shown.map(\.title))]
        lines += largest.map { cache in line("  \(cache.name)", shown.map { $0.text(cache) }) }
        if count > largest.count { lines.append("  and \(count - largest.count) more") }
        return lines
    }

    // MARK: Background tasks and scenes

    private var tasks: [String] {
        func count(_ key: String) -> Int { snapshot.tasks[key] ?? 0 }
        guard count("begun") + count("refused") > 0 else { return [] }
        let numbers = "held \(count("held")), expired \(count("expired")), overdue \(count("overdueNow")), refused "
        var lines = ["BACKGROUND TASKS  \(numbers)\(count("refused"))"]
        for task in snapshot.oldestTasks {
            let overdue = task.overdueSeconds.map { " for \(Self.span($0))" } ?? ""
            let state = task.state == "held" ? "" : "  \(task.state.uppercased())\(overdue)"
            let progress = task.sinceProgressSeconds.map { ", no progress for \(Self.span($0))" } ?? ""
            let origin = task.origin.isEmpty ? "" : " (\(task.origin))"
            let tail = "  \(task.priority), for \(Self.span(task.ageSeconds))\(progress)\(state)"
            let room = columns - 2 - TerminalText.width(tail)
            lines.append("  " + TerminalText.shortened("'\(task.name)'\(origin)", max(8, room)) + tail)
        }
        return lines
    }

    private var scenes: [String] {
        let known = snapshot.scenes.filter { $0.count > 0 }
        guard !known.isEmpty || snapshot.scenesLost > 0 || snapshot.scenesRefused > 0 else { return [] }
        let states = known.isEmpty ? "none" : known.map { "\($0.state) \($0.count)" }.joined(separator: ", ")
        return ["SCENES  \(states); lost \(snapshot.scenesLost), refused \(snapshot.scenesRefused)"]
    }

    // MARK: Steps

    private var steps: [String] {
        guard snapshot.stepCount > 0 else { return ["STEPS  none yet"] }
        let wasted = snapshot.wastedBytes.map { ", wasted \(size($0))" } ?? ""
        let sums = "promised \(size(snapshot.promisedBytes)), returned \(size(snapshot.returnedBytes))\(wasted)"
        var lines = ["STEPS \(snapshot.stepCount)  \(sums)"]
        for step in snapshot.steps.reversed() {
            let ago = TerminalText.fitted("\(Self.span(step.agoSeconds)) ago", 15, toRight: true)
            lines.append("\(ago)  \(Self.description(of: step))")
        }
        return lines
    }

    private static func description(of step: Snapshot.Step) -> String {
        let milliseconds = Int((step.seconds * 1000).rounded())
        let end = "returned \(ByteCount(step.returnedBytes)) in \(milliseconds) ms"
        guard step.stage == "caches" else { return "\(step.stage): took \(step.victimCount), \(end)" }
        let dry = step.isDryRun ? "dry run, " : ""
        let name = dry + (step.number == 0 ? "call" : "\(step.level) \(step.number)")
        let disturbed = step.isDisturbed ? "disturbed, " : ""
        // What is told last is missed least where the line is cut.
        return
            "\(name): promised \(ByteCount(step.promisedBytes)), \(end) (\(disturbed)asked \(ByteCount(step.targetBytes)))"
    }

    /// A time in the two largest units that say something.
    static func span(_ seconds: Double) -> String {
        // A process can say anything; beyond this is more than a duration's nanoseconds hold.
        guard seconds.isFinite, seconds < 1e9 else { return "long" }
        return Duration.seconds(max(0, seconds)).shortText
    }
}
