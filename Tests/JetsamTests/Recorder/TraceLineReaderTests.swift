import MemoryPressure
import SystemPackage
import Testing

@testable import Jetsam
@testable import JetsamTrace

struct TraceLineReaderTests {
    @Test(
        "A wrong line is refused with its number and what is wrong with it",
        arguments: [
            (#"{"k":"nothing","t":1}"#, "unknown kind 'nothing'"),
            (#"{"k":5,"t":1}"#, "unknown kind"),
            (#"{"k":"step"}"#, #"must begin with "k""#),
            (#"{"t":1}"#, #"must begin with "k""#),
            (#"{"step":1,"k":"step","t":1}"#, #"must begin with "k""#),
            (#"{"k":"step","t":1,"stepp":1}"#, #"unknown field "stepp""#),
            (#"{"k":"step","t":1,"step":1,"step":2}"#, #""step", or one that is there twice"#),
            (#"{"k":"step","t":1,"step":9223372036854775808}"#, "does not fit 64 bits"),
            (#"{"k":"step","t":1,"step":-9223372036854775809}"#, "does not fit 64 bits"),
            (#"{"k":"step","t":1,"step":99999999999999999999999}"#, "does not fit 64 bits"),
            (#"{"k":"step","t":99999999999999999999999}"#, "does not fit 64 bits"),
            (#"{"k":"step","t":1,"step":1.5}"#, "a whole number is expected"),
            (#"{"k":"step","t":1,"step":1e3}"#, "a whole number is expected"),
            (#"{"k":"step","t":1,"step":-}"#, "a whole number is expected"),
            (#"{"k":"step","t":1,"step":"1"}"#, "a whole number is expected"),
            (#"{"k":"step","t":1,"step":null}"#, "a whole number is expected"),
            (#"{"k":"step","t":1,"step":[1]}"#, "a whole number is expected"),
            (#"{"k":"step","t":1,"isDryRun":1}"#, #""isDryRun" must be true or false"#),
            (#"{"k":"step","t":1,"level":"high"}"#, #""level" must be one of normal, warning, critical"#),
            (#"{"k":"step","t":1,"level":1}"#, "a string is expected"),
            (#"{"k":"client","t":1,"rebuildCost":"x"}"#, #""rebuildCost" must be a number"#),
            (#"{"k":"client","t":1,"rebuildCost":1e999}"#, #""rebuildCost" must be a number"#),
            (#"{"k":"cache","t":1,"name":"a"#, "a string does not end"),
            (#"{"k":"cache","t":1,"name":"a\"}"#, "a string does not end"),
            (#"{"k":"cache","t":1,"name":"\x"}"#, "an escape that JSON does not have"),
            (#"{"k":"cache","t":1,"name":"\u+123"}"#, "an escape that JSON does not have"),
            (#"{"k":"cache","t":1,"name":"\u12"}"#, "an escape that JSON does not have"),
            (#"{"k":"cache","t":1,"na"#, "ends within a name"),
            (#"{"k":"cache","t":1,"name" "a"}"#, "':' is expected"),
            (#"{"k":"cache","t":1 "name":"a"}"#, "',' or '}' is expected"),
            (#"{"k":"cache","t":1,name:"a"}"#, "a field's name in quotes"),
            (#"{"k":"cache","t":1,}"#, "a field's name in quotes"),
            (#"{"k":"cache","t":1"#, "',' or '}' is expected"),
            (#"{"k":"cache","t":1}}"#, "more follows behind"),
            (#"{"k":"cache","t":1} {"#, "more follows behind"),
            (#"{"k":"cache","name":"a","t":1}"#, #"must begin with "k""#),
            (#"{"k":"step","t":1,"level":"warning","step":true}"#, "a whole number is expected"),
            (#"{"k":"step","t":1,"level":"warning","step":{}}"#, "is expected"),
            ("{", "a field's name in quotes"), ("[]", "an object"), ("x", "an object"), ("{}", #"must begin with "k""#),
        ])
    func wrong(_ line: String, _ message: String) {
        var reader = TraceLineReader()
        #expect(throws: Never.self) { try Self.read(#"{"k":"look","t":0}"#, &reader) }
        let error = #expect(throws: TraceError.self) { try Self.read(line, &reader) }
        #expect(error?.line == 2)
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
        #expect(error?.description.hasPrefix("line 2: ") == true)
        #expect((error?.message.utf8.count ?? 0) < 300)
    }

    @Test("Blank lines are passed over and counted, also with a carriage return")
    func blank() throws {
        var reader = TraceLineReader()
        for line in ["", "  ", "\r", "\t \r"] { #expect(try Self.read(line, &reader) == nil) }
        #expect(try Self.read("{\"k\":\"look\",\"t\":7}\r", &reader) == .look(LookRecord()))
        #expect(reader.line == 5)
    }

    @Test("What a reading leaves out is as it was before, and a new first line begins anew")
    func kept() throws {
        var reader = TraceLineReader()
        _ = try Self.read(
            #"{"k":"reading","t":1,"usageBytes":5,"highBytes":7,"high":1,"max":2,"oom":3,"oomKill":4}"#, &reader)
        func reading(_ line: String) throws -> MemoryReading {
            guard case .reading(let record) = try Self.read(line, &reader) else { throw Errno.invalidArgument }
            return record.reading
        }
        var next = try reading(#"{"k":"reading","t":2,"highBytes":null}"#)
        #expect(next.usageBytes == 5 && next.highBytes == nil && next.events?.oomKill == 4)
        next = try reading(#"{"k":"reading","t":3,"oomKill":5}"#)
        #expect(next.events?.high == 1 && next.events?.oomKill == 5)
        #expect(next.instant.nanoseconds == 3)
        _ = try Self.read(#"{"k":"trace","t":4}"#, &reader)
        next = try reading(#"{"k":"reading","t":5}"#)
        #expect(next.usageBytes == 0 && next.events == nil)
    }

    @Test("Fields of a footprint's budget and of the kernel's events belong together in any order")
    func together() throws {
        var reader = TraceLineReader()
        let first =
            #"{"k":"trace","t":1,"footprint.exitPoints":3,"footprint.warningPercent":70,"footprint.budgetBytes":99}"#
        guard case .trace(let header) = try Self.read(first, &reader) else { throw Errno.invalidArgument }
        #expect(header.configuration.footprint?.warningPercent == 70)
        #expect(header.configuration.footprint?.exitPoints == 3)
        let second = #"{"k":"reading","t":1,"oomKill":4,"oom":3,"max":2,"high":1,"usageBytes":8}"#
        guard case .reading(let record) = try Self.read(second, &reader) else { throw Errno.invalidArgument }
        #expect(record.reading.events?.max == 2 && record.reading.usageBytes == 8)
    }

    @Test(
        "Escapes of every kind are understood, those of other writers too",
        arguments: [
            (#"a\"b\\c\/d"#, #"a"b\c/d"#), (#"\n\t\r\b\f"#, "\n\t\r\u{8}\u{c}"), (#"\u0041\u00e9\u8a9e"#, "Aé語"),
            (#"\ud83d\ude00"#, "😀"), (#"\ud83d"#, "\u{fffd}"), (#"\ude00x"#, "\u{fffd}x"),
            (#"\ud83d\u0041"#, "\u{fffd}A"), ("😀é", "😀é"), (#"\u0000"#, "\u{0}"), ("", ""),
        ])
    func escapes(_ written: String, _ name: String) throws {
        var reader = TraceLineReader()
        let line = "{\"k\":\"cache\",\"t\":1,\"name\":\"\(written)\",\"cache\":3}"
        #expect(try Self.read(line, &reader) == .cache(CacheRecord(cache: 3, name: name)))
    }

    @Test("A name that is too long is cut between two characters")
    func longName() throws {
        var reader = TraceLineReader()
        let line = "{\"k\":\"cache\",\"t\":1,\"name\":\"x\(String(repeating: "é", count: 300))\"}"
        guard case .cache(let record) = try Self.read(line, &reader) else { throw Errno.invalidArgument }
        #expect(record.name == "x" + String(repeating: "é", count: 59))
    }

    @Test("A line that is too long is refused by its number, within a file too, and so is a file without line feeds")
    func longLine() throws {
        let long = "{\"k\":\"look\",\"t\":1}" + String(repeating: " ", count: TraceSchema.longestLine)
        for text in ["\n\(long)\n", "\n\(long)", "\n" + String(repeating: "x", count: 3 << 20)] {
            let error = #expect(throws: TraceError.self) { try Self.lines(of: text) }
            #expect(error?.line == 2)
            #expect(error?.message.contains("longer than \(TraceSchema.longestLine) bytes") == true)
        }
        let longest = "{\"k\":\"look\",\"t\":1" + String(repeating: " ", count: TraceSchema.longestLine - 19) + "}"
        #expect(try Self.lines(of: "\(longest)\n\(longest)\n").lines == 2)
    }

    @Test("The lines of a file are read whole across the borders of the buffer, and a cut last one is left out")
    func file() throws {
        let line = "{\"k\":\"look\",\"t\":1}"
        let many = String(repeating: line + String(repeating: " ", count: 983) + "\n", count: 3000)
        #expect(try Self.lines(of: many) == (3000, true))
        #expect(try Self.lines(of: many + "{\"k\":\"lo") == (3000, false))
        #expect(try Self.lines(of: line) == (0, false))
        #expect(try Self.lines(of: "") == (0, true))
    }

    // MARK: - Support

    private static func read(_ line: String, _ reader: inout TraceLineReader) throws -> TraceEvent? {
        let bytes = Array(line.utf8)
        return try unsafe bytes.withUnsafeBytes { unsafe try reader.read($0)?.event }
    }

    private static func lines(of text: String) throws -> (lines: Int, isWhole: Bool) {
        let file = try TemporaryFile()
        let writing = try FileDescriptor.open(
            FilePath(file.path), .readWrite, options: [.create, .exclusiveCreate], permissions: .ownerReadWrite)
        defer { try? writing.close() }
        try writing.writeAll(text.utf8)
        try writing.seek(offset: 0, from: .start)
        var reader = TraceLineReader()
        var count = 0
        let isWhole = try unsafe TraceLines.forEach(in: writing) { line in
            if try unsafe reader.read(line) != nil { count += 1 }
        }
        return (count, isWhole)
    }
}
