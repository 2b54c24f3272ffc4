import CommandOutput
import JetsamTrace
import MemoryPressure
import Testing

@testable import jetsam

private let mebibyte = 1 << 20

/// What a busy server under pressure says.
private func busy(wideNames: Bool = false) -> Snapshot {
    var snapshot = Snapshot()
    snapshot.process = 4711
    snapshot.uptimeSeconds = 11_520
    snapshot.level = "warning"
    snapshot.reason = "headroom 98 MiB is below 102.4 MiB (sampler)"
    snapshot.state = "active"
    snapshot.isReady = true
    snapshot.limitBytes = 512 * mebibyte
    snapshot.usageBytes = 448 * mebibyte
    snapshot.unreclaimableBytes = 414 * mebibyte
    snapshot.headroomBytes = 98 * mebibyte
    snapshot.warningBytes = 107_374_182
    snapshot.criticalBytes = 53_687_091
    snapshot.footprintBytes = 380 * mebibyte
    snapshot.stallPercent = 3
    snapshot.readings = 12_345
    let names = wideNames ? ["画像の縮小版キャッシュ", "👩‍👩‍👧 sessions", "한국어"] : ["thumbnails", "sessions", "templates"]
    for (index, name) in names.enumerated() {
        snapshot.caches.append(
            Snapshot.Cache(
                name: name, priority: "low", bytes: (index + 1) * 30 * mebibyte,
                limitBytes: index == 0 ? nil : 100 << 20,
                promisedBytes: 25 * mebibyte, freedBytes: nil, returnedBytes: 24 * mebibyte))
    }
    snapshot.cacheCount = 3
    snapshot.tasks = ["held": 3, "begun": 20, "expired": 1, "overdueNow": 1, "refused": 2]
    snapshot.oldestTasks = [
        Snapshot.HeldTask(
            name: wideNames ? "書き込み" : "flush", origin: "Server/Store.swift:88", priority: "low", state: "overdue",
            ageSeconds: 12.4, sinceProgressSeconds: 9.87, overdueSeconds: 3.21)
    ]
    snapshot.scenes = [("active", 2), ("inactive", 0), ("background", 5)]
    snapshot.scenesLost = 1
    snapshot.stepCount = 14
    snapshot.promisedBytes = 300 * mebibyte
    snapshot.wastedBytes = 12 * mebibyte
    snapshot.returnedBytes = 280 * mebibyte
    snapshot.steps = [
        Snapshot.Step(
            stage: "assertions", number: 0, level: "critical", targetBytes: 0, promisedBytes: 0, returnedBytes: 0,
            victimCount: 2, isDisturbed: false, seconds: 0.1, agoSeconds: 200),
        Snapshot.Step(
            stage: "caches", number: 2, level: "warning", targetBytes: 26_843_546, promisedBytes: 26_843_546,
            returnedBytes: 24 * mebibyte, victimCount: 0, isDisturbed: true, seconds: 0.0031, agoSeconds: 14),
    ]
    return snapshot
}

@Suite struct WatchViewTests {
    @Test("At 80 columns everything stands there, in lines that fit")
    func eighty() {
        #expect(
            WatchView.lines(busy(), columns: 80) == [
                "process 4711  up 3 h 12 min  active, ready",
                "level     WARNING  headroom 98 MiB is below 102.4 MiB (sampler)",
                "memory    [######################################################W+++++.C......]",
                "          414 MiB cannot be taken back, 448 MiB used of 512 MiB, the limit",
                "headroom  98 MiB (19 %); warning below 102.4 MiB, critical below 51.2 MiB",
                "stall     3 % of 2 s; footprint 380 MiB; 12345 readings",
                "",
                "CACHES 3         priority      bytes      limit   promised      freed   returned",
                "  templates           low     90 MiB    100 MiB     25 MiB          -     24 MiB",
                "  sessions            low     60 MiB    100 MiB     25 MiB          -     24 MiB",
                "  thumbnails          low     30 MiB          -     25 MiB          -     24 MiB",
                "",
                "BACKGROUND TASKS  held 3, expired 1, overdue 1, refused 2",
                "  'flush' (Server/St…  low, for 12.4 s, no progress for 9.9 s  OVERDUE for 3.2 s",
                "",
                "SCENES  active 2, background 5; lost 1, refused 0",
                "",
                "STEPS 14  promised 300 MiB, returned 280 MiB, wasted 12 MiB",
                "       14 s ago  warning 2: promised 25.6 MiB, returned 24 MiB in 3 ms (disturb…",
                " 3 min 20 s ago  assertions: took 2, returned 0 B in 100 ms",
            ])
    }

    @Test("The footprint stands beside the budget of a process that has one")
    func budget() throws {
        let text = """
            {"reading":{"footprintBytes":419430400,"footprintBudgetBytes":536870912,"footprintWarningBytes":429496729,
            "footprintCriticalBytes":493921239}}
            """
        let lines = WatchView.lines(Snapshot(try JSONText(parsing: Array(text.utf8)), of: 7), columns: 80)
        #expect(lines.contains("budget    400 MiB of 512 MiB; warning above 409.6 MiB, critical above 471 MiB"))
    }

    @Test(
        "No line is wider than the terminal, whatever its width and the names",
        arguments: [20, 40, 60, 79, 80, 200, 500])
    func fits(columns: Int) {
        for isWide in [false, true] {
            for snapshot in [busy(wideNames: isWide), Snapshot()] {
                for line in WatchView.lines(snapshot, columns: columns) {
                    #expect(TerminalText.width(line) <= columns, "\(line)")
                }
            }
        }
        #expect(WatchView.lines(busy(), columns: 3).allSatisfy { TerminalText.width($0) <= WatchView.fewestColumns })
    }

    @Test("At 60 columns the less telling ones of a cache's figures are left out, and the names stay")
    func sixty() throws {
        let lines = WatchView.lines(busy(), columns: 60)
        let header = try #require(lines.first { $0.hasPrefix("CACHES") })
        #expect(header == "CACHES 3              bytes      limit   promised   returned")
        #expect(lines.contains("  sessions           60 MiB    100 MiB     25 MiB     24 MiB"))
    }

    @Test("At 200 columns nothing is cut, and the bar takes what there is")
    func twoHundred() throws {
        let lines = WatchView.lines(busy(), columns: 200)
        #expect(!lines.contains { $0.contains("…") })
        let bar = try #require(lines.first { $0.hasPrefix("memory") })
        #expect(TerminalText.width(bar) == 200)
        #expect(lines.contains { $0.hasSuffix("returned 24 MiB in 3 ms (disturbed, asked 25.6 MiB)") })
    }

    @Test("Columns stand under each other beside names that are wide", arguments: [60, 80, 200])
    func wideNames(columns: Int) {
        let lines = WatchView.lines(busy(wideNames: true), columns: columns)
        let table = lines.drop { !$0.hasPrefix("CACHES") }.prefix(4)
        #expect(Set(table.map(TerminalText.width)) == [columns])
        for row in table.dropFirst() { #expect(row.hasSuffix("24 MiB")) }
    }

    @Test("A server of which nothing is known yet is shown without figures that mean nothing")
    func empty() {
        let lines = WatchView.lines(Snapshot(), columns: 80)
        #expect(lines.contains("CACHES  none is registered"))
        #expect(lines.contains("STEPS  none yet"))
        #expect(!lines.contains { $0.hasPrefix("SCENES") || $0.hasPrefix("BACKGROUND") })
        #expect(lines.contains { $0.hasPrefix("memory    [????") })
    }

    @Test("Many caches are shown by size, and how many are not shown is said")
    func manyCaches() {
        var snapshot = Snapshot()
        snapshot.caches = (1...40).map { Snapshot.Cache(name: "c\($0)", bytes: $0) }
        snapshot.cacheCount = 300
        let lines = WatchView.lines(snapshot, columns: 80)
        #expect(lines.contains("  and 288 more"))
        #expect(lines.contains { $0.hasPrefix("  c40 ") })
        #expect(!lines.contains { $0.hasPrefix("  c28 ") })
    }

    @Test(
        "Times are said in the units that matter",
        arguments: [
            (0, "0 s"), (0.04, "40 ms"), (9.96, "10 s"), (59.9, "59.9 s"), (61, "1 min 1 s"), (3661, "1 h 1 min"),
            (90_000, "1 d 1 h"), (1e300, "long"), (.nan, "long"), (-5, "0 s"),
        ])
    func spans(seconds: Double, text: String) {
        #expect(WatchView.span(seconds) == text)
    }
}

@Suite struct SnapshotTests {
    @Test("Numbers and texts that nobody in their right mind would send are shown without harm")
    func hostile() throws {
        let numbers = ["-9223372036854775808", "9223372036854775807", "1e300", "-1e300", "null", "\"x\"", "[]"]
        let keys = [
            "uptimeSeconds", "limitBytes", "usageBytes", "unreclaimableBytes", "headroomBytes", "warningBytes",
            "criticalBytes", "footprintBudgetBytes", "footprintWarningBytes", "footprintCriticalBytes", "stallPercent",
            "reportedBytes", "promisedBytes", "returnedBytes", "durationSeconds",
            "agoSeconds", "ageSeconds", "sinceProgressSeconds", "overdueSeconds", "held", "begun", "steps", "lost",
            "active", "cacheCount", "victimCount",
        ]
        for number in numbers {
            let fields = keys.map { "\"\($0)\":\(number)" }.joined(separator: ",") + ",\"name\":\"a\\u001b[2J\""
            let text = """
                {\(fields),"reading":{\(fields),"limitBytes":1},"caches":[{\(fields)}],"scenes":{\(fields),"connected":{\(fields)}},
                "backgroundTasks":{\(fields),"begun":1,"oldest":[{\(fields)}]},"totals":{\(fields),"steps":1}}
                """
            let status = try JSONText(parsing: Array(text.utf8))
            for line in WatchView.lines(Snapshot(status, of: 7), columns: 80) {
                #expect(TerminalText.width(line) <= 80)
                #expect(!line.contains("\u{1B}"))
            }
        }
    }
}

@Suite struct AskedProcessTests {
    @Test("a process is shown by the number that was asked for, and by its own where a container gave it another")
    func numbers() throws {
        let inside = try JSONText(parsing: Array(#"{"pid":7}"#.utf8))
        #expect(
            WatchView.lines(Snapshot(inside, of: 4711), columns: 80)[0].hasPrefix("process 4711 (7 in its container) "))
        #expect(WatchView.lines(Snapshot(inside, of: 7), columns: 80)[0].hasPrefix("process 7  "))
    }
}

@Suite struct ScreenTests {
    /// As much of a terminal as the screen uses.
    private struct FakeTerminal {
        var lines: [String]
        var row: Int
        var column = 0

        mutating func write(_ text: String) {
            var rest = Array(text.unicodeScalars)[...]
            while let scalar = rest.popFirst() {
                switch scalar {
                case "\r": column = 0
                case "\n":
                    row += 1
                    while lines.count <= row { lines.append("") }
                case "\u{1B}":
                    _ = rest.popFirst()
                    var number = ""
                    while let next = rest.first, next.properties.numericType != nil {
                        number.unicodeScalars.append(next)
                        rest = rest.dropFirst()
                    }
                    let count = Int(number) ?? 1
                    switch rest.popFirst() {
                    case "A": row -= count
                    case "B": row += count
                    case "J": lines = Array(lines.prefix(row)) + [String(lines[row].prefix(column))]
                    case "K": lines[row] = String(lines[row].prefix(column))
                    case let other: Issue.record("an escape sequence that is not known: \(String(describing: other))")
                    }
                default:
                    var line = Array(lines[row].unicodeScalars)
                    while line.count <= column { line.append(" ") }
                    line[column] = scalar
                    lines[row] = String(String.UnicodeScalarView(line))
                    column += 1
                }
            }
        }
    }

    @Test("Whatever follows whatever, the terminal shows the lines, what stood there before, and the cursor below")
    func shows() {
        var terminal = FakeTerminal(lines: ["$ jetsam watch 1", ""], row: 1)
        var screen = Screen()
        let pages = [
            ["a", "bb", "ccc"], ["a", "b", "ccc"], ["a", "b", "ccc"], ["x"], ["longer than before", "", "z", "y"],
            ["longer", "", "z", "yy"], [],
        ]
        for page in pages {
            terminal.write(screen.update(to: page, rows: 24, columns: 80))
            #expect(terminal.lines == ["$ jetsam watch 1"] + page + [""])
            #expect(terminal.row == page.count + 1)
            #expect(terminal.column == 0)
        }
    }

    @Test("Only what has changed is written again")
    func littleIsWritten() {
        var screen = Screen()
        let page = (0..<20).map { "line \($0) of a page that does not change" }
        _ = screen.update(to: page, rows: 24, columns: 80)
        #expect(screen.update(to: page, rows: 24, columns: 80).isEmpty)
        var other = page
        other[7] = "changed"
        #expect(screen.update(to: other, rows: 24, columns: 80).utf8.count < 30)
    }

    @Test("Lines that the terminal has no rows for are left out, and a new width writes everything again")
    func size() {
        var screen = Screen()
        let page = (0..<50).map { "line \($0)" }
        #expect(screen.update(to: page, rows: 24, columns: 80).split(separator: "\r\n").count == 23)
        #expect(screen.update(to: page, rows: 24, columns: 70).contains("line 0\r\n"))
        #expect(screen.update(to: page, rows: 1, columns: 70).contains("line 0\r\n"))
    }
}
