internal import CommandOutput
internal import MemoryPressure

extension Diagnosis {
    /// For people: at most 100 columns; longer paths are shortened.
    var text: String {
        var lines = ["Machine"]
        lines += row("kernel", "\(kernel.map { "Linux \($0)" } ?? "not known")")
        lines += row("memory", memoryText)
        lines += row("swap", swapText)
        lines += row("page size", "\(ByteCount(Syscalls.pageSize))")
        lines += ["", process.identifier.map { "Process \($0)" } ?? "Process (this command)"]
        lines += row("rights", process.rights)
        lines += row("allocator", process.allocatorText)
        lines += ["", "Control groups"]
        lines += row("version", cgroup.layoutText)
        if let access = cgroup.accessText { lines += row("file system", access) }
        lines += row("ancestors", cgroup.hidesAncestors ? "not all visible (see the notes)" : "visible")
        lines += ["", "Levels, the own one first; * is the tightest"]
        lines += table
        for (title, kind) in [("Wake-ups", SourceFinding.Kind.wakeUp), ("Readings", .reading)] {
            lines += ["", title]
            for source in sources where source.kind == kind { lines += Self.lines(of: source) }
        }
        if !notes.isEmpty {
            lines += ["", "Notes"]
            for note in notes { lines += Columns.wrapped(note, indent: 4, first: "  - ") }
        }
        lines += [""] + Columns.wrapped(verdict, indent: 0)
        return lines.joined(separator: "\n")
    }

    private var memoryText: String {
        guard let totalBytes, let availableBytes else { return "not known: /proc/meminfo cannot be read" }
        return "\(ByteCount(totalBytes)), of which \(ByteCount(availableBytes)) can be had"
    }

    private var swapText: String {
        guard let swapBytes else { return "not known" }
        if swapBytes == 0 { return "off" }
        return "\(ByteCount(swapBytes))\(cgroup.maySwap == false ? ", but none for this cgroup" : "")"
    }

    private func row(_ name: String, _ value: String) -> [String] {
        Columns.wrapped(value, indent: 15, first: "  " + Columns.padded(name, 13))
    }

    private static func lines(of source: SourceFinding) -> [String] {
        let isUsed = source.status.isUsed
        let head = "  \(Columns.padded(isUsed ? "used" : "not available", 15))"
        // The JSON has the whole path.
        let place = source.status.path.map { "  " + Columns.shortened($0, Columns.width - 43) } ?? ""
        let first = head + (place.isEmpty ? source.name : Columns.padded(source.name, 24) + place)
        return [first] + Columns.wrapped(isUsed ? source.meaning : source.reason ?? "", indent: 17)
    }

    private var table: [String] {
        func size(_ bytes: Int?) -> String { bytes.map { "\(ByteCount($0))" } ?? "-" }
        var rows: [[String]] = [["", "hard limit", "high", "usage", "unreclaimable", "headroom"]]
        for (index, level) in levels.enumerated() {
            let mark = reading?.tightestLevel == index ? "*" : " "
            rows.append([
                "\(mark) \(Columns.shortened(level.name, 30))", size(level.hardLimitBytes), size(level.highLimitBytes),
                size(level.usageBytes), size(level.unreclaimableBytes), size(level.headroomBytes),
            ])
        }
        if let totalBytes, let availableBytes {
            rows.append([
                "\(reading?.tightestLevel == -1 ? "*" : " ") the machine", size(totalBytes), "-", "-",
                size(totalBytes - availableBytes), size(availableBytes),
            ])
        }
        if rows.count == 1 { return ["  none can be seen"] }
        return Columns.aligned(rows).map { "  " + $0 }
    }
}
