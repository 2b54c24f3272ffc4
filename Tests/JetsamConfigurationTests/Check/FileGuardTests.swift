import Testing

@testable import JetsamConfiguration

struct FileGuardTests {
    private static func messages(_ text: String) -> [String] {
        CheckReport(checking: Array(text.utf8)).problems.map(\.message)
    }

    @Test("What is too large or no text is refused as such")
    func noText() {
        let large = [UInt8](repeating: 0x20, count: CheckReport.maximumBytes + 1)
        #expect(
            CheckReport(checking: large).problems.map(\.message) == [
                "the file has more than 1048576 bytes, which is the most that is allowed"
            ])
        #expect(CheckReport(checking: [0xFF, 0xFE, 0x00]).problems.map(\.message) == ["the file is not text in UTF-8"])
        #expect(Self.messages("a: \u{0}\n").count == 1)
    }

    @Test(
        "Deep nesting is refused before it is parsed",
        arguments: [
            String(repeating: "[", count: 100_000),
            String(repeating: "{\"a\":", count: 70) + "1" + String(repeating: "}", count: 70),
            String(repeating: "- ", count: 50_000) + "a", String(repeating: "? ", count: 50_000) + "a",
            (0..<400).map { String(repeating: " ", count: $0) + "a:\n" }.joined(),
            (0..<400).map { String(repeating: " ", count: $0) + "-\n" }.joined(),
            "{a:\"b" + String(repeating: "[", count: 5000) + "\"}",
            "{\"a\" \"" + String(repeating: "[", count: 5000) + "\"}",
            "it's: 'x" + String(repeating: "[", count: 5000), "\"" + String(repeating: "{", count: 5000) + "\"",
        ])
    func deep(text: String) {
        #expect(Self.messages(text).count == 1)
        #expect(FileGuard.fault(in: Array(text.unicodeScalars)) != nil)
    }

    @Test("References that multiply are refused before they are followed")
    func laughs() {
        var text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
        for level in 1...9 {
            let list = (0..<9).map { _ in "*a\(level - 1)" }.joined(separator: ",")
            text += "a\(level): &a\(level) [\(list)]\n"
        }
        #expect(Self.messages(text) == ["there are more than 16 of what may be aliases: write the values out"])
        #expect(
            Self.messages("a: &a [x]\nb: [*a, *a, *a]\n") == [
                "anchors and aliases are not allowed: write the value out"
            ])
        #expect(Self.messages("a: *b\n") == ["this cannot be read: found undefined alias"])
    }

    @Test("Comments, large files of other programs and ordinary texts are not taken for any of that")
    func ordinary() {
        let stars = String(repeating: "# * a - b - c: [see] {this}\n", count: 1000)
        #expect(Self.messages(stars + "isDryRun: true\n") == [])
        let other = (0..<2000).map { "\"app\($0)\": {\"list\": [\"[\", \"*\", \"\\\"&\"]}" }.joined(separator: ",\n")
        #expect(Self.messages("{\(other),\n\"jetsam\": {\"isDryRun\": true}}") == [])
    }

    @Test("Any bytes give a report", arguments: [UInt64(1), 2, 3])
    func anything(seed: UInt64) {
        let parts = [
            "headroom:", "\n", "\n  ", " ", ":", "- ", "[", "]", "{", "}", ",", "\"", "'", "&a ", "*a ", "!!str ",
            "|\n", ">\n",
            "?", "#", "%YAML 1.1\n", "---", "...", "warningPercent", "20", "\u{85}", "\u{2028}", "\u{FEFF}", "é", "\\",
            "\\x41",
            "\t", "isDryRun: true\n", "<<: ", "~", "\u{E000}", "\r", "\r\n",
        ]
        var state = seed
        func next(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        for _ in 0..<500 {
            var bytes = (0..<next(24)).flatMap { _ in Array(parts[next(parts.count)].utf8) }
            if next(8) == 0, !bytes.isEmpty { bytes[next(bytes.count)] = UInt8(next(256)) }
            let report = CheckReport(checking: bytes)
            #expect(report.isGood == (report.settings != nil))
            #expect(report.isGood || !report.problems.isEmpty)
        }
    }
}
