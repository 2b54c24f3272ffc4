import Jetsam
import JetsamTrace
import MemoryPressure
import Testing

@testable import jetsam

struct ReportPageTests {
    @Test("The page says what happened: levels and why, steps and what they gave, the worst headroom, other settings")
    func says() throws {
        let html = try MadeTrace.pressure().html()
        for part in [
            "<html lang=\"en\">", "The level rose 2 times: 3.9 s at warning and 2 s at critical.",
            "headroom 90 MiB is below 102 MiB (sampler)", "Least headroom", "182 MiB, at 0:00:06.000", "thumbnails",
            "<code>headroom.warningPercent</code></th><td class=\"figure\">25 %</td><td class=\"figure\">20 %",
            "2026-02-02 02:40:00 UTC", "promised: 24 MiB; freed: not known; returned: 20 MiB, in 1 step.",
            "1 step was carried out: 24 MiB promised, 20 MiB returned",
        ] { #expect(html.contains(part), "\(part)") }
        #expect(!html.contains("Dry run."))
        #expect(!html.contains("class=\"banner\""))
    }

    @Test("It says what releases brought, needed and wasted, in all and by episodes")
    func waste() throws {
        var trace = MadeTrace()
        func read(_ second: Int, free: Int, caches: Int, refetched: Int = 0) {
            trace.read(second * 1000) { record in
                record.reading.sequence = UInt64(second + 1)
                record.reading.headroomBytes = free << 20
                (record.reportedBytes, record.refetchedBytes) = (caches << 20, refetched << 20)
            }
        }
        func step(_ second: Int, promised: Int, returned: Int) {
            var step = StepRecord()
            (step.promisedBytes, step.returnedBytes) = (promised << 20, returned << 20)
            trace.append(.step(step), second * 1000 + 500)
        }
        read(0, free: 200, caches: 150)
        step(0, promised: 60, returned: 50)
        read(1, free: 250, caches: 100)
        read(2, free: 210, caches: 140, refetched: 40)
        read(30, free: 82, caches: 140, refetched: 40)
        step(30, promised: 20, returned: 30)
        read(31, free: 102, caches: 120, refetched: 40)
        let html = try trace.html()
        for part in [
            "Of what caches gave, 70 MiB came back: 20.4 MiB were needed, and 40 MiB (57.1 %) were wasted.",
            "Bytes wasted, where keys are known</th><td>40 MiB (57.1 %)",
            "0:00:01.000</th><td class=\"figure\">50 MiB</td><td class=\"figure\">0 B</td><td class=\"figure\">40 MiB</td><td class=\"figure\">40 MiB</td><td class=\"figure\">80 %",
            "0:00:31.000</th><td class=\"figure\">20 MiB</td><td class=\"figure\">20.4 MiB",
        ] { #expect(html.contains(part), "\(part)") }
        #expect(HTMLOutline(html).mistakes == [])
        let quiet = try MadeTrace().html()
        #expect(!quiet.contains("episodes-table"))
    }

    @Test("It needs nothing from elsewhere, and can run nothing", arguments: ["plain", "<script>x</script>"])
    func standsAlone(name: String) throws {
        let html = try MadeTrace.pressure(cache: name).html(name: name)
        for part in [
            "<script", "http:", "https:", "src=", "url(", "@import", "<link", "javascript:", "<iframe", "onload",
        ] {
            #expect(!html.contains(part), "\(part)")
        }
        #expect(html.contains("default-src 'none'"))
    }

    @Test(
        "A name that looks like markup stays a name",
        arguments: [
            ("</td><b>&amp;\"'", "&lt;/td&gt;&lt;b&gt;&amp;amp;&quot;&#39;"), ("a\u{0}b\u{1b}c", "a\u{2400}b\u{241b}c"),
            ("\u{202e}gnp.exe", "<bdi>\u{202e}gnp.exe</bdi>"), ("\u{85}\u{7f}", "<bdi>\u{fffd}\u{fffd}</bdi>"),
        ])
    func escapes(name: String, expected: String) throws {
        let html = try MadeTrace.pressure(cache: name).html(name: name)
        #expect(html.contains(expected))
        #expect(!html.contains("</td><b>"))
        #expect(HTMLOutline(html).mistakes == [])
    }

    @Test("Its elements are closed in order, its identifiers are there once, and what refers to one finds it")
    func isWellFormed() throws {
        for html in [try MadeTrace.pressure().html(), try MadeTrace().html(), try Self.everything(isHigh: true)] {
            let outline = HTMLOutline(html)
            #expect(outline.mistakes == [])
            #expect(outline.headings.first == 1)
            #expect(zip(outline.headings, outline.headings.dropFirst()).allSatisfy { $1 <= $0 + 1 })
            #expect(outline.counts["main"] == 1 && outline.counts["h1"] == 1 && outline.counts["nav"] == 1)
            #expect(outline.counts["figure"] == outline.counts["figcaption"])
            #expect(outline.counts["table"] == outline.counts["caption"])
            #expect(outline.counts["desc"] == outline.counts["figure"])
        }
    }

    @Test("A dry run is told apart in the title, at the top and at each step")
    func dryRun() throws {
        let html = try MadeTrace.pressure(isDryRun: true).html()
        for part in [
            "<title>Dry run: trace.jsonl", "<h1>Memory report of a dry run</h1>", "<strong>Dry run.</strong>",
            "1 step was decided and not carried out", "decided only", "usage as it was: 108 MiB to 348 MiB",
        ] { #expect(html.contains(part), "\(part)") }
    }

    @Test("Lost records, an early end, a cut last line and the beginning of a model are said at the top")
    func marks() throws {
        var trace = MadeTrace.pressure()
        var lost = LostRecord()
        lost.records = 12
        trace.append(.lost(lost), 7000)
        lost.why = .fileFull
        lost.records = 0
        trace.append(.model(ModelRecord()), 8500)
        trace.append(.lost(lost), 9000)
        let html = ReportPage(try trace.digest(isCut: true), name: "t").html
        for part in [
            "12 records were lost", "had become as long as it may", "The last line is not whole",
            "From 0:00:08.500 on this is what would have happened",
        ] { #expect(html.contains(part), "\(part)") }
    }

    @Test("Numbers of any size come to a page", arguments: [true, false])
    func extremes(isHigh: Bool) throws {
        let html = try Self.everything(isHigh: isHigh)
        #expect(html.utf8.count < 1 << 20)
        #expect(!html.contains("nan") && !html.contains("inf,"))
    }

    @Test("A long trace comes to a page under a megabyte that has lost no peak and no trough")
    func long() throws {
        var digest = TraceDigest()
        var instant = MonotonicInstant(nanoseconds: 5)
        try digest.add(.trace(TraceHeader()), at: instant)
        let count = 100_000
        for index in 0..<count {
            var record = ReadingRecord()
            record.reading.limitBytes = 1 << 30
            record.reading.usageBytes = (index * 7919 % 900) << 20
            record.reading.headroomBytes = (1 << 30) - record.reading.usageBytes
            if index == 77_777 { record.reading.headroomBytes = 12_345 }
            if index == 33_333 { record.reading.usageBytes = 1_073_741_823 }
            instant = instant.advanced(by: .milliseconds(864))
            try digest.add(.reading(record), at: instant)
            if index % 20 == 0 {
                var level = LevelRecord()
                (level.previous, level.level) = index % 40 == 0 ? (.normal, .warning) : (.warning, .normal)
                try digest.add(.level(level), at: instant)
            }
        }
        digest.finish(isCut: false)
        #expect(digest.columns.extent(.headroom).low == 12_345)
        #expect(digest.columns.extent(.usage).high == 1_073_741_823)
        let html = ReportPage(digest, name: "day").html
        #expect(html.utf8.count < 1 << 20)
        #expect(html.contains("1 d with 100000 readings"))
        #expect(html.contains("more are left out here"))
    }

    @Test("A second first line is refused")
    func second() {
        var trace = MadeTrace()
        trace.append(.trace(TraceHeader()), 5)
        #expect(throws: TraceError.self) { try trace.digest() }
    }

    /// A record of each kind, all of it extreme.
    private static func everything(isHigh: Bool) throws -> String {
        var digest = TraceDigest()
        let fields = ExtremeFields(isHigh: isHigh)
        try digest.add(.trace(TraceHeader()), at: MonotonicInstant(nanoseconds: isHigh ? .min : 0))
        var events: [TraceEvent] = [
            .reading(fields.filled(ReadingRecord.self)), .notice(fields.filled(NoticeRecord.self)),
            .level(fields.filled(LevelRecord.self)), .demand(fields.filled(DemandRecord.self)),
            .answer(fields.filled(AnswerRecord.self)), .step(fields.filled(StepRecord.self)),
            .cache(fields.filled(CacheRecord.self)), .counts(fields.filled(CountsRecord.self)),
            .process(fields.filled(ProcessRecord.self)), .scene(fields.filled(SceneRecord.self)),
            .lost(fields.filled(LostRecord.self)), .run(fields.filled(RunRecord.self)),
        ]
        events += events
        for (index, event) in events.enumerated() {
            try digest.add(event, at: MonotonicInstant(nanoseconds: [0, .max, .min][index % 3]))
        }
        digest.finish(isCut: false)
        return ReportPage(digest, name: "").html
    }
}
