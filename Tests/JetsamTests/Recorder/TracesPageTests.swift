import Testing

@testable import Jetsam

/// `tools/manual` writes the tables: what the page says of a field stays, and a setting that is new gets its unit.
struct TracesPageTests {
    @Test(
        "Every kind of record is documented with each of its fields and no others, in their order",
        arguments: TraceKind.allCases)
    func fields(_ kind: TraceKind) throws {
        let page = try TracesPage.read()
        #expect(page.fields[kind.name.description] == EveryRecord.fields(of: EveryRecord.type(of: kind)))
    }

    @Test("The page has no kind that the code has not, says what each is, and gives every field a meaning")
    func kinds() throws {
        let page = try TracesPage.read()
        #expect(Set(page.fields.keys) == Set(TraceKind.allCases.map(\.name.description)))
        #expect(page.meanings.filter { $0.count < 4 } == [])
        #expect(page.meanings.count == page.fields.values.map(\.count).reduce(0, +))
        #expect(page.text.contains("version \(TraceSchema.version) of the\nschema"))
    }

    @Test(
        "The defaults that are not zero, false, null, empty or the first word are documented",
        arguments: TraceKind.allCases)
    func defaults(_ kind: TraceKind) throws {
        func check<Contents: Record>(_ type: Contents.Type) throws {
            guard kind != .trace else { return }
            var record = Contents()
            var visitor = UnusualDefaults()
            record.visit(&visitor)
            let page = try TracesPage.read()
            for (name, value) in visitor.found {
                let row = try #require(page.rows[kind.name.description]?[name])
                #expect(row.hasSuffix("default \(value)"), "\(kind.name).\(name)")
            }
        }
        try check(EveryRecord.type(of: kind))
    }

    @Test("The sum of a cache's traits is documented, each by its word")
    func traits() throws {
        let row = try #require(try TracesPage.read().rows["client"]?["traits"])
        for (trait, word) in CacheTraits.named { #expect(row.contains("\(trait.rawValue) \(word)")) }
        #expect(
            CacheTraits.named.reduce(into: CacheTraits()) { $0.insert($1.trait) }.words == CacheTraits.named.map(\.word)
        )
    }

    @Test("The bounds that the page states are those of the code")
    func bounds() throws {
        let page = try TracesPage.read()
        #expect(TraceSchema.longestLine == 65_536 && page.text.contains("65,536 bytes"))
        #expect(RecordBytes.longestText == 120 && page.text.contains("at most 120 bytes"))
        #expect(RecordBytes.longestShortText == 64 && page.text.contains("(states and causes 64)"))
    }
    @Test("A reading's fields are in its record, or a rule that reads them would be silent in a replay")
    func readings() throws {
        // The instant is that of the line. The number of processes is recorded as sharers, which the ladder goes by; events are
        // written one by one.
        let elsewhere: Set = ["instant", "processes", "events"]
        let recorded = Set(EveryRecord.fields(of: ReadingRecord.self).map(\.name))
        let fields = Mirror(reflecting: MemoryReading()).children.compactMap(\.label)
        #expect(fields.count > 15)
        #expect(fields.filter { !recorded.contains($0) && !elsewhere.contains($0) } == [])
    }
}

private struct TracesPage {
    var text = ""
    var fields: [String: [RecordField]] = [:]
    var meanings: [String] = []
    /// What a field's row says, by kind and name; and the same as it is written.
    var rows: [String: [String: String]] = [:]
    var writtenRows: [String: [String: String]] = [:]

    static func read() throws -> TracesPage {
        TracesPage(try contents.get())
    }

    /// The page, read once.
    private static let contents = Result {
        try DocumentationPage.read("Traces") { TracesPage($0).written }
    }

    /// The page with the rows that the code has.
    private var written: String {
        var lines: [String] = []
        var kind: TraceKind?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("### ") { kind = TraceKind.allCases.first { $0.name.description == line.dropFirst(4) } }
            if kind != nil, line.hasPrefix("| `") { continue }
            lines.append(String(line))
            guard let kind, line == "|---|---|---|" else { continue }
            lines += EveryRecord.fields(of: EveryRecord.type(of: kind)).map { field in
                let meaning = writtenRows[kind.name.description]?[field.name] ?? Self.unit(of: field)
                return "| `\(field.name)` | \(Self.cell(of: field)) | \(meaning) |"
            }
        }
        return lines.joined(separator: "\n")
    }

    private static func cell(of field: RecordField) -> String {
        let plain = ["integer", "integer or null", "true or false", "number or null", "text"]
        if plain.contains(field.type) { return field.type }
        return field.type.split(separator: ", ").map { "`\($0)`" }.joined(separator: ", ")
    }

    /// The unit by the end of the field's name, or by the kind of the setting; what a number counts nobody can tell from either.
    private static func unit(of field: RecordField) -> String {
        let units = [
            ("Bytes", "bytes"), ("Rate", "bytes a second"), ("Percent", "percent"), ("Points", "points of percent"),
            ("Nanoseconds", "nanoseconds"), ("Microseconds", "microseconds"),
        ]
        if field.type == "true or false" { return "as documented" }
        if let unit = units.first(where: { field.name.hasSuffix($0.0) })?.1 { return unit }
        switch ManagerSetting.all.first(where: { $0.name == field.name })?.kind {
        case .duration, .optionalDuration: return "nanoseconds"
        case .bytes, .boundedBytes, .budget: return "bytes"
        default: return "a number"
        }
    }

    private init(_ text: String) {
        self.text = text
        guard let start = text.firstRange(of: "## Kinds") else { return }
        var kind = ""
        for line in text[start.upperBound...].split(separator: "\n") {
            if line.hasPrefix("### ") {
                kind = String(line.dropFirst(4))
                fields[kind] = []
            }
            guard line.hasPrefix("| `") else { continue }
            let raw = line.split(separator: " | ", maxSplits: 2)
            let cells = raw.map { $0.filter { $0 != "`" && $0 != "|" } }
            let name = cells[0].filter { $0 != " " }
            fields[kind]?.append(RecordField(name: name, type: cells[1]))
            meanings.append(String(cells[2].dropLast()))
            rows[kind, default: [:]][name] = String(cells[2].dropLast())
            writtenRows[kind, default: [:]][name] = String(raw[2].dropLast(2))
        }
    }
}

/// Finds the defaults of a record that a reader would not guess.
private struct UnusualDefaults: FieldVisitor {
    var found: [(String, String)] = []

    mutating func integer(_ name: StaticString, _ value: inout Int) {
        // The smallest number is explained where it is used.
        if value != 0, value != .min { found.append((name.description, "\(value)")) }
    }
    mutating func optional(_ name: StaticString, _ value: inout Int?) {
        if let value { found.append((name.description, "\(value)")) }
    }
    mutating func flag(_ name: StaticString, _ value: inout Bool) {
        if value { found.append((name.description, "true")) }
    }
    mutating func real(_ name: StaticString, _ value: inout Double?) {
        if let value { found.append((name.description, "\(value)")) }
    }
    mutating func word<Word: RecordWord>(_ name: StaticString, _ value: inout Word) {
        if value.code != 0 { found.append((name.description, Word.words[value.code])) }
    }
    mutating func text(_ name: StaticString, _ value: inout String) {
        if !value.isEmpty { found.append((name.description, value)) }
    }
}
