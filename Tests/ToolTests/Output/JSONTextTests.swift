import CommandOutput
import JetsamTrace
import MemoryPressure
import Testing

@Suite struct JSONTextTests {
    private func parse(_ text: String) throws -> JSONText { try JSONText(parsing: Array(text.utf8)) }

    @Test(
        "What is written is read as the same",
        arguments: [
            "null", "true", "false", "0", "-12", "9223372036854775807", "1.5", "\"\"", "[]", "{}",
            #""a\"b\\c\n\t\u0001é🙂""#, #"[1,[2,{"k":null}],"x"]"#, #"{"a":1,"b":{"c":[true]},"a":2}"#,
        ])
    func roundTrip(text: String) throws {
        #expect(try parse(text).description == text)
    }

    @Test("Blanks, escapes and numbers of every form are read")
    func forms() throws {
        let value = try parse(
            " { \"a\" : [ 1e2 , -0.5,1180591620717411303424 ] ,\r\n\"b\":\"\\u00e9\\ud83d\\ude42\\/\" } ")
        #expect(value["a"]?.elements.map(\.number) == [100, -0.5, 0x1p70])
        #expect(value["b"]?.string == "é🙂/")
        #expect(value["c"] == nil)
        #expect(try parse(#""\ud83dx\udc00""#).string == "\u{fffd}x\u{fffd}")
        #expect(value["a"]?.integer == nil)
    }

    @Test(
        "What is no JSON is refused with the place",
        arguments: [
            "", " ", "nul", "tru", "[", "[1", "[1,]", "[1 2]", "{", "{1:2}", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "\"",
            "\"\\x\"", "\"\\u12\"", "\"\u{1}\"", "-", "1.2.3", "1e999",
            "01x",
            "{} {}", "+1", "'a'",
        ])
    func broken(text: String) {
        let mistake = #expect(throws: JSONText.Mistake.self) { try parse(text) }
        #expect((0...text.utf8.count).contains(mistake?.offset ?? -1))
    }

    @Test("What is nested too deeply is refused, however long it is")
    func deep() throws {
        let depth = JSONText.maximumDepth
        _ = try parse(String(repeating: "[", count: depth) + "1" + String(repeating: "]", count: depth))
        #expect(throws: JSONText.Mistake.self) { try parse(String(repeating: "[", count: 1_000_000)) }
        #expect(throws: JSONText.Mistake.self) { try parse(String(repeating: "{\"a\":", count: 100_000)) }
    }

    @Test("Changed bytes never do harm", arguments: [1, 2, 3, 4] as [UInt64])
    func changed(seed: UInt64) {
        var state = seed
        func next(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        let text = Array(#"{"a":[1,-2.5e3,"x\ud83d\ude42\n",{"b":null,"c":[true,false]}],"d":{"e":""}}"#.utf8)
        for _ in 0..<20_000 {
            var bytes = text
            for _ in 0...next(3) {
                switch next(3) {
                case 0: bytes[next(bytes.count)] = UInt8(next(256))
                case 1: bytes.remove(at: next(bytes.count))
                default: bytes.insert(text[next(text.count)], at: next(bytes.count))
                }
            }
            guard let value = try? JSONText(parsing: bytes) else { continue }
            #expect((try? JSONText(parsing: Array(value.description.utf8)))?.description == value.description)
        }
    }
}

@Suite struct TerminalTextTests {
    @Test(
        "A text is as wide as a terminal shows it",
        arguments: [
            ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("漢字", 4), ("한글", 4), ("ｆｕ", 4), ("🙂", 2), ("👩‍👩‍👧", 2),
            ("❤️", 2), ("a\u{200B}b", 2), ("ﾊﾝ", 2), ("…", 1), ("🇩🇪", 2),
        ])
    func width(text: String, columns: Int) {
        #expect(TerminalText.width(text) == columns)
    }

    @Test("Shortened texts never take more columns than there are, fitted ones exactly as many", arguments: 0...12)
    func shortened(columns: Int) {
        for text in ["", "abc", "abcdefghijklmnop", "漢字漢字漢字", "a漢b字c🙂d👩‍👩‍👧e"] {
            #expect(TerminalText.width(TerminalText.shortened(text, columns)) <= columns)
            #expect(TerminalText.width(TerminalText.fitted(text, columns)) == columns)
            #expect(TerminalText.width(TerminalText.fitted(text, columns, toRight: true)) == columns)
            if TerminalText.width(text) <= columns { #expect(TerminalText.shortened(text, columns) == text) }
        }
        #expect(TerminalText.shortened("abcdef", 4) == "abc…")
        #expect(TerminalText.fitted("ab", 4, toRight: true) == "  ab")
    }

    @Test("What a terminal would obey is shown instead")
    func clean() {
        #expect(TerminalText.clean("plain é 漢 🙂") == "plain é 漢 🙂")
        #expect(TerminalText.clean("a\u{1B}[2Jb\u{7}\u{9B}1m\n") == "a\\u{1b}[2Jb\\u{7}\\u{9b}1m\\u{a}")
        #expect(TerminalText.clean("\u{202E}x\u{2028}") == "\\u{202e}x\\u{2028}")
    }
}
