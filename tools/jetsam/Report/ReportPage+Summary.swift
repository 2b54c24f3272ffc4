internal import CommandOutput
internal import Jetsam
internal import MemoryPressure

extension ReportPage {
    /// The whole in one paragraph.
    var sentence: String {
        let (warning, critical) = (digest.time(at: .warning), digest.time(at: .critical))
        var parts = [
            "\(digest.length.shortText) with \(digest.readings.counted("reading", "readings"))."
        ]
        if digest.rises == 0 {
            parts.append("The level was normal all the time.")
        } else {
            parts.append(
                "The level rose \(digest.rises.counted("time", "times")): \(warning.shortText) at warning and "
                    + "\(critical.shortText) at critical.")
        }
        if let least = digest.leastHeadroom {
            parts.append(
                "Headroom was least at \(offset(least.instant)): \(FigureText.bytes(least.record.headroomBytes)) of "
                    + "\(FigureText.bytes(least.record.limitBytes)).")
        }
        if digest.steps.count > 0 {
            let asked = digest.isDryRun ? "decided and not carried out" : "carried out"
            parts.append(
                "\(digest.steps.count.counted("step was", "steps were")) \(asked): "
                    + "\(FigureText.bytes(digest.columns.sum(.promised))) promised, "
                    + "\(FigureText.bytes(digest.columns.sum(.returned))) returned.")
            parts += releasesSentence
        } else if digest.columns.sum(.asked) > 0 {
            parts.append("\(FigureText.bytes(digest.columns.sum(.asked))) were asked for.")
        } else {
            parts.append("No cache was asked for memory.")
        }
        return parts.joined(separator: " ")
    }

    private var releasesSentence: [String] {
        let releases = digest.releases
        guard releases.episodes > 0 else { return [] }
        return [
            "Of what caches gave, \(FigureText.bytes(releases.releasedBytes)) came back: "
                + "\(FigureText.bytes(releases.neededBytes)) were needed, and "
                + "\(FigureText.bytes(releases.wastedBytes)) (\(FigureText.wastedShare(releases))) were wasted."
        ]
    }

    var summaryTable: HTMLTable {
        var rows: [(String, String)] = [
            ("Recorded by", recordedBy), ("Dry run", digest.isDryRun ? "yes: nothing was carried out" : "no"),
        ]
        if let wallClock = digest.header?.wallClock, wallClock > 0 {
            rows.append(("Began", UTCTime(nanoseconds: Int64(wallClock)).description))
        }
        rows += [
            ("Length", digest.length.shortText), ("Readings", "\(digest.readings)"),
            ("Level rises", "\(digest.rises)"),
        ]
        for level in [PressureLevel.normal, .warning, .critical] {
            let time = digest.time(at: level)
            rows.append(("Time at \(level)", "\(time.shortText) (\(FigureText.share(time, of: digest.length)))"))
        }
        rows += memoryRows + stepRows
        rows.append(("Lost records", digest.lostRecords == 0 ? "none" : "\(digest.lostRecords)"))
        return HTMLTable(
            id: "summary-table", caption: "The trace as a whole", headings: ["What", "Figure"],
            rows: rows.map { [Markup.escaped($0.0), Markup.escaped($0.1)] })
    }

    private var recordedBy: String {
        guard let header = digest.header else { return "not known" }
        let texts = [
            "manager": "the process itself", "outside": "another process, which saw readings alone",
            "trial": "nobody: a trial of another configuration on a recorded trace",
        ]
        let word = TraceHeader.Source.words[header.source.code]
        let source = texts[word] ?? word
        return header.hashesNames ? "\(source); names are hashed" : source
    }

    private var memoryRows: [(String, String)] {
        var rows: [(String, String)] = []
        if let least = digest.leastHeadroom {
            rows.append(
                ("Least headroom", "\(FigureText.bytes(least.record.headroomBytes)), at \(offset(least.instant))"))
        }
        if let peak = digest.peakUsage {
            rows.append(("Highest usage", "\(FigureText.bytes(peak.record.usageBytes)), at \(offset(peak.instant))"))
        }
        let limits = digest.columns.extent(.limit)
        if !limits.isEmpty {
            let what = digest.isEverLimited ? "Hard limit" : "Memory of the machine (no tighter limit is known)"
            rows.append((what, range(limits)))
        }
        let kills = digest.outOfMemoryKills
        if !kills.isEmpty {
            rows.append(("Kills by the kernel in this cgroup", "\(kills.high.subtractingSaturating(kills.low))"))
        }
        return rows
    }

    private var stepRows: [(String, String)] {
        var rows = [("Steps", "\(digest.steps.count)\(digest.isDryRun ? " (decided only)" : "")")]
        rows.append(("Bytes asked for", FigureText.bytes(digest.columns.sum(.asked))))
        guard digest.steps.count > 0 else { return rows }
        rows += [
            ("Bytes promised", FigureText.bytes(digest.columns.sum(.promised))),
            (
                "Bytes freed, where that is known",
                digest.tellsFreed
                    ? FigureText.bytes(digest.columns.sum(.freed)) : "not known: the allocator does not tell"
            ),
            ("Bytes returned to the system", FigureText.bytes(digest.columns.sum(.returned))),
            ("Bytes released: given by caches and come back", FigureText.bytes(digest.releases.releasedBytes)),
            ("Bytes needed", FigureText.bytes(digest.releases.neededBytes)),
            (
                "Bytes wasted, where keys are known",
                "\(FigureText.bytes(digest.releases.wastedBytes)) (\(FigureText.wastedShare(digest.releases)))"
            ),
            ("Longest step", digest.longestStep.shortText),
            ("Steps disturbed by other growth", "\(digest.disturbedSteps)"),
        ]
        return rows
    }

    func range(_ extent: Extent) -> String {
        extent.low == extent.high
            ? FigureText.bytes(extent.low) : "\(FigureText.bytes(extent.low)) to \(FigureText.bytes(extent.high))"
    }
}
