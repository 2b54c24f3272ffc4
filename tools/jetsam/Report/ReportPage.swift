internal import CommandOutput
internal import Jetsam
internal import MemoryPressure

/// A trace as one page of HTML that needs nothing else: no script, no font, no picture from anywhere.
struct ReportPage {
    let digest: TraceDigest
    /// The trace's name without its directories.
    let name: String
    let bands: LevelBands
    let time: TimeScale

    init(_ digest: TraceDigest, name: String) {
        self.digest = digest
        self.name = name
        bands = LevelBands(digest.columns)
        time = TimeScale(length: digest.columns.length)
    }

    var html: String {
        let figures = [levelFigure, memoryFigure, headroomFigure, stallFigure, purgeFigure] + countFigures
        let plots = figures.map { $0.html(time, bands) }.joined()
        var page = HTMLPage(
            title: title, heading: digest.isDryRun ? "Memory report of a dry run" : "Memory report", name: name)
        page.what = "this report"
        page.skip = "To the plots and tables"
        page.banners = banners
        page.sections = [
            .init("summary", "Summary", "<p>\(Markup.escaped(sentence))</p>\n\(summaryTable.html)"),
            .init("plots", "Plots", plotsIntroduction + plots),
            .init("levels", "Level changes", levelsHTML),
            .init("steps", "Steps", stepsHTML),
            .init("numbers", "The plots in numbers", numbersTable.html),
            .init("settings", "Settings", settingsHTML),
        ]
        page.footer = """
            Made by <code>jetsam report</code>. Times count from the beginning of the trace. Sizes are powers of 1024: \
            1 MiB is 1,048,576 bytes.
            """
        return page.html
    }

    private var title: String { "\(digest.isDryRun ? "Dry run: " : "")\(name) – Jetsam memory report" }

    /// What has to be known before anything else is read.
    private var banners: String {
        var texts: [String] = []
        if digest.isDryRun {
            texts.append(
                "<strong>Dry run.</strong> Everything was decided and nothing was done: no cache was asked and nothing was "
                    + "freed. Usage and headroom are what they would have been if each step had given what it asked for."
            )
        }
        if let instant = digest.modelBegins {
            texts.append(
                "<strong>Partly a model.</strong> From \(offset(instant)) on this is what would have happened under another "
                    + "configuration, as a model reckons it, and not what was recorded.")
        }
        if digest.lostRecords > 0 {
            texts.append(
                "<strong>Incomplete.</strong> \(digest.lostRecords.counted("record was", "records were")) lost: the "
                    + "file did not take them fast enough. Lines are not drawn across the gaps.")
        }
        if digest.isFileFull {
            texts.append(
                "<strong>Ended early.</strong> The trace had become as long as it may; what came later is not in it.")
        }
        if digest.isCut {
            texts.append("<strong>Cut off.</strong> The last line is not whole and was left out.")
        }
        return texts.map { "<p class=\"banner\">\($0)</p>\n" }.joined()
    }

    private var plotsIntroduction: String {
        """
        <svg class="definitions" aria-hidden="true" width="0" height="0">\(bands.definitions)</svg>
        <p>Time goes from left to right. Behind each plot a plain band is time at <b class="key warning">warning</b>, and a darker \
        one with an edge time at <b class="key critical">critical</b>. Each of the up to \(TimeColumns.capacity) columns of a plot \
        spans \(Duration.nanoseconds(Int64(digest.columns.nanosecondsPerColumn)).shortText) and is drawn from the lowest to the \
        highest that was read in it; of the level it has the highest.</p>

        """
    }

    func offset(_ instant: MonotonicInstant) -> String {
        FigureText.offset(Int(instant.nanoseconds).subtractingSaturating(Int(digest.start.nanoseconds)))
    }
}
