internal import CommandOutput
internal import Jetsam
internal import MemoryPressure

extension ReportPage {
    // MARK: - Level changes

    var levelsHTML: String {
        var html = "<p>\(Markup.escaped(changesText))</p>\n"
        if digest.changes.count > 0 {
            html +=
                HTMLTable(
                    id: "levels-table", caption: "Level changes and why",
                    headings: ["At", "From", "To", "Reason", "Headroom"], rows: rows(digest.changes, changeRow),
                    figures: [0, 4]
                ).html
        }
        if digest.notices.count > 0 {
            html +=
                HTMLTable(
                    id: "notices-table", caption: "What was told beside the readings", headings: ["At", "What"],
                    rows: rows(digest.notices) { told in
                        [offset(told.instant), Markup.escaped(Self.text(told.record))]
                    }, figures: [0]
                ).html
        }
        if digest.transitions.count > 0 {
            html +=
                HTMLTable(
                    id: "process-table", caption: "States of the process", headings: ["At", "From", "To", "Cause"],
                    rows: rows(digest.transitions) { told in
                        [
                            offset(told.instant), Markup.name(told.record.from), Markup.name(told.record.to),
                            Markup.name(told.record.cause),
                        ]
                    }, figures: [0]
                ).html
        }
        return html
    }

    private var changesText: String {
        let changes = digest.changes.count.counted("change", "changes")
        let repeats =
            digest.repeats == 0
            ? "" : " A level that stuck was told again \(digest.repeats.counted("time", "times"))."
        return "\(changes) of level.\(repeats)"
    }

    private func changeRow(_ told: TraceDigest.Told<LevelRecord>) -> [String] {
        [
            offset(told.instant), "\(told.record.previous)", "\(told.record.level)",
            Markup.escaped(told.record.reason.description), FigureText.bytes(told.record.headroomBytes),
        ]
    }

    private static func text(_ notice: NoticeRecord) -> String {
        switch notice.what {
        case .paused: "time had not run: the process, or the machine, was stopped"
        case .held:
            notice.until == nil ? "a held level was let go of" : "the level was held at \(notice.level) at least"
        case .supervisorWarns: "the supervisor warned of memory pressure"
        case .stepEnded: "step \(notice.step) ended, \(FigureText.bytes(notice.promisedBytes)) promised"
        case .answeredLate: "a cache answered late, with \(FigureText.bytes(notice.promisedBytes))"
        case .limitsLifted: "the limits of caches were lifted"
        case .ladderEnded:
            "the ladder's \(LadderRecord.Action.words[notice.action.code]) ended: "
                + NoticeRecord.Outcome.words[notice.outcome.code]
        case .hollow: "of what caches report \(FigureText.bytes(notice.promisedBytes)) are not expected to come back"
        case .leadTimeMeasured:
            "caches answer within \(notice.responseNanoseconds / 1_000_000) ms and give \(FigureText.bytes(notice.bytesPerSecond)) a second"
        case .limitAnnounced:
            notice.until == nil
                ? "the limit that was announced is awaited no longer"
                : "a limit of \(FigureText.bytes(notice.limitBytes)) was announced; caches may not grow until it is set"
        case .regrowthAllowed: notice.isAllowed ? "caches may grow again" : "caches may not grow for now"
        }
    }

    // MARK: - Steps

    var stepsHTML: String {
        guard digest.steps.count > 0 else { return "<p>There was no step.</p>\n" + cachesHTML }
        let stages: [(StepRecord.Stage, String)] = [
            (.caches, "caches"), (.backgroundTasks, "background tasks"), (.scenes, "scenes"),
            (.lastResort, "last resort"),
        ]
        let counts = stages.filter { digest.stages[$0.0] != nil }.map { "\($0.1): \(digest.stages[$0.0] ?? 0)" }
        let table = HTMLTable(
            id: "steps-table",
            caption: digest.isDryRun ? "Steps as decided; none was carried out" : "Steps and what they gave",
            headings: [
                "Ended at", "Stage", "Level and rule", "Asked", "Promised", "Freed", "Returned", "Headroom", "Took",
                "Remarks",
            ],
            rows: rows(digest.steps, stepRow), figures: [0, 3, 4, 5, 6, 7, 8])
        return "<p>Steps by stage: \(counts.joined(separator: ", ")).</p>\n" + table.html + episodesHTML
            + cachesHTML
    }

    private var episodesHTML: String {
        guard digest.episodes.count > 0 else { return "" }
        return HTMLTable(
            id: "episodes-table",
            caption:
                "Episodes of releases, each until ten seconds passed without one. Needed: what would have been enough to keep "
                + "a fixed reserve free. Wasted: what was fetched again within ten seconds although nothing else had needed it.",
            headings: ["First seen at", "Released", "Needed", "Fetched again", "Wasted", "Wasted share"],
            rows: rows(digest.episodes) { told in
                let figures = told.record
                return [
                    offset(told.instant), FigureText.bytes(figures.releasedBytes),
                    FigureText.bytes(figures.neededBytes), FigureText.bytes(figures.refetchedBytes),
                    FigureText.bytes(figures.wastedBytes), FigureText.wastedShare(figures),
                ]
            }, figures: [0, 1, 2, 3, 4, 5]
        ).html
    }

    private func stepRow(_ told: TraceDigest.Told<StepRecord>) -> [String] {
        let step = told.record
        var remarks: [String] = []
        if step.isDryRun || digest.isDryRun { remarks.append("decided only") }
        if step.isDisturbed { remarks.append("disturbed: others grew") }
        if step.victims > 0 { remarks.append(step.victims.counted("was taken", "were taken")) }
        if step.trimmedBytes > 0 { remarks.append("\(FigureText.bytes(step.trimmedBytes)) by the allocator's trim") }
        return [
            offset(told.instant), StepRecord.Stage.words[step.stage.code], "\(step.level), \(step.rule)",
            FigureText.bytes(step.targetBytes), FigureText.bytes(step.promisedBytes), FigureText.bytes(step.freedBytes),
            FigureText.bytes(step.returnedBytes),
            "\(FigureText.bytes(step.headroomBefore)) → \(FigureText.bytes(step.headroomAfter))",
            step.duration.shortText, remarks.isEmpty ? "none" : remarks.joined(separator: "; "),
        ]
    }

    private var cachesHTML: String {
        guard !digest.caches.isEmpty else { return "" }
        let order = digest.caches.values.sorted { ($1.promisedBytes, $0.cache) < ($0.promisedBytes, $1.cache) }
        let rest =
            digest.cachesLeftOut ? " More than \(TraceDigest.mostCaches) caches answered; the rest is left out." : ""
        return HTMLTable(
            id: "caches-table", caption: "Caches and what they answered.\(rest)",
            headings: ["Cache", "Traits", "Answers", "Promised", "Freed", "Longest", "Failed"],
            rows: order.map { cache in
                [
                    cache.name.map(Markup.name) ?? "number \(cache.cache)",
                    cache.traits.words.joined(separator: ", "), "\(cache.answers)",
                    FigureText.bytes(cache.promisedBytes), FigureText.bytes(cache.freedBytes),
                    cache.longest.shortText, "\(cache.failures)",
                ]
            }, figures: [2, 3, 4, 5, 6]
        ).html
    }

    // MARK: - The rest

    var numbersTable: HTMLTable {
        let columns = digest.columns
        let wanted = 24
        let width = max(1, (columns.count + wanted - 1) / wanted)
        let rows = stride(from: 0, to: columns.count, by: width).map { first -> [String] in
            let part = first..<min(columns.count, first + width)
            func extent(_ gauge: Gauge) -> Extent {
                part.reduce(into: .empty) { $0.include(columns.extent(gauge, $1)) }
            }
            func bytes(_ gauge: Gauge, _ text: (Extent) -> Int) -> String {
                let extent = extent(gauge)
                return extent.isEmpty ? "no reading" : FigureText.bytes(text(extent))
            }
            let stall = extent(.stall)
            let level = part.map { columns.level($0) }.max() ?? .normal
            return [
                FigureText.offset(first * columns.nanosecondsPerColumn), "\(level)", bytes(.usage, \.high),
                bytes(.unreclaimable, \.high), bytes(.headroom, \.low),
                stall.isEmpty ? "not read" : FigureText.percent(stall.high),
                FigureText.bytes(part.reduce(0) { $0.addingSaturating(columns.sum(.promised, $1)) }),
                FigureText.bytes(part.reduce(0) { $0.addingSaturating(columns.sum(.returned, $1)) }),
            ]
        }
        return HTMLTable(
            id: "numbers-table", caption: "The plots as a table, in up to \(wanted) equal parts of the time",
            headings: [
                "From", "Highest level", "Highest usage", "Highest unreclaimable", "Least headroom", "Highest stall",
                "Promised", "Returned",
            ], rows: rows, figures: [0, 2, 3, 4, 5, 6, 7])
    }

    var settingsHTML: String {
        let changed = SettingDifference.all(in: digest.header?.configuration ?? .init())
        guard !changed.isEmpty else {
            return "<p>Every setting that a decision depends on had its default.</p>\n"
        }
        return HTMLTable(
            id: "settings-table", caption: "Settings that were not the default",
            headings: ["Setting", "Was", "Default"],
            rows: changed.map {
                ["<code>\(Markup.escaped($0.name))</code>", $0.value, $0.standard].enumerated().map {
                    $0.offset == 0 ? $0.element : Markup.escaped($0.element)
                }
            }, figures: [1, 2]
        ).html
    }

    /// The rows of a table; where some were left out, one row says so.
    private func rows<Element>(_ kept: Kept<Element>, _ row: (Element) -> [String]) -> [[String]] {
        let (first, last) = (kept.first.map(row), kept.last.map(row))
        guard kept.leftOut > 0, let cells = first.first?.count else { return first + last }
        let text = "\(kept.leftOut.counted("more is", "more are")) left out here"
        let note = ["…", text] + [String](repeating: "", count: cells - 2)
        return first + [note] + last
    }
}
