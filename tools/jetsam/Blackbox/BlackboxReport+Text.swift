internal import CommandOutput
internal import Jetsam
internal import MemoryPressure

extension BlackboxReport {
    /// For people, in 100 columns but for what a record says.
    func text(last: Int) -> String {
        let run = recording.run
        var lines = [file.path, ""]
        lines += row("process", "\(run.processID), started \(UTCTime(nanoseconds: run.wallClock))")
        lines += row("boot", bootID)
        lines += row("cgroup", cgroupText)
        lines += row("ended", file.isLive ? "not yet: the process still runs" : Self.meaning(exit?.reason))
        if let exit { lines += row("recorded", "for \(Self.seconds(exit.recordedFor.nanoseconds)) s") }
        lines += row("records", countText)
        lines += ["", "Under way at the end"]
        if let (instant, state) = recording.lastState {
            lines += row("since start", "\(Self.seconds(time(instant))) s")
            lines += row("state", Self.text(state))
            for name in heldTaskNames { lines += row("held", RecordText.visible(name)) }
        } else {
            lines.append("  nothing was recorded")
        }
        let shown = recording.records.suffix(last)
        guard !shown.isEmpty else { return lines.joined(separator: "\n") }
        lines += ["", shown.count == recording.records.count ? "Records" : "Records, the last \(shown.count)"]
        let head = [["seconds", "number", "kind"]]
        let table =
            head
            + shown.map { record in
                [
                    Self.seconds(time(record.instant)), "\(record.sequence)",
                    Self.name(record.kind) ?? "\(record.kind.rawValue)",
                ]
            }
        let texts = ["  what"] + shown.map { "  " + (RecordText.of($0) ?? Self.hexadecimal($0.payload)) }
        for (cells, text) in zip(Self.right(table), texts) { lines.append("  " + cells + text) }
        return lines.joined(separator: "\n")
    }

    private func row(_ name: String, _ value: String) -> [String] {
        Columns.wrapped(value, indent: 15, first: "  " + Columns.padded(name, 13))
    }

    private static func right(_ rows: [[String]]) -> [String] {
        let widths = (0..<3).map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            row.indices.map { String(repeating: " ", count: widths[$0] - row[$0].count) + row[$0] }
                .joined(separator: "  ")
        }
    }

    private var cgroupText: String {
        guard let cgroup = recording.run.cgroup else { return "none with memory accounting" }
        let kills = cgroup.oomKills.map { "oom_kill \($0) at the start" } ?? "oom_kill not known"
        return "inode \(cgroup.inode), \(kills)"
    }

    private var countText: String {
        var parts = ["\(recording.records.count) of \(recording.begun) begun, room for \(recording.run.slots)"]
        parts.append("\(recording.torn) torn")
        parts.append("\(recording.missing) missing between the first and the last")
        if recording.dropped > 0 { parts.append("\(recording.dropped) found no room") }
        if recording.lostSlots > 0 { parts.append("the file is too short by \(recording.lostSlots)") }
        return parts.joined(separator: "; ")
    }

    private static func meaning(_ reason: LaunchReason.PreviousExit?) -> String {
        switch reason {
        case .clean: "clean: the manager came to its end"
        case .pressureShutdown: "pressureShutdown: in order, after the last resort had been called"
        case .watchdog: "watchdog: by a missed life-cycle deadline, as configured"
        case .failed: "failed: the manager threw, or was cancelled before its time"
        case .graceExceeded: "graceExceeded: shutting down, and the grace period ran out"
        case .killedByOOM:
            "killedByOOM: without a word, and the OOM killer has taken a process of its cgroup, or below the one above, since"
        case .killedProbablyOOM: "killedProbablyOOM: without a word, with critically little headroom"
        case .reboot: "reboot: without a word before this boot of the machine"
        case .killedUnknown: "killedUnknown: without a word: a SIGKILL, a crash, or a call of exit"
        default: "not known"
        }
    }

    /// With microseconds; negative for what a clock of another boot or a damaged record says.
    static func seconds(_ nanoseconds: Int64) -> String {
        let micros = (nanoseconds / 1000).magnitude
        return "\(nanoseconds < 0 ? "-" : "")\(micros / 1_000_000).\((micros % 1_000_000).padded(to: 6))"
    }
}
