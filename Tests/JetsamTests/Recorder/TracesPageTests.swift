import SystemPackage
import Testing

@testable import Jetsam

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

    @Test("The bounds that the page states are those of the code")
    func bounds() throws {
        let page = try TracesPage.read()
        #expect(TraceSchema.longestLine == 65_536 && page.text.contains("65,536 bytes"))
        #expect(RecordBytes.longestText == 120 && page.text.contains("at most 120 bytes"))
        #expect(RecordBytes.longestShortText == 64 && page.text.contains("(states and causes 64)"))
    }
}

private struct TracesPage {
    var text = ""
    var fields: [String: [RecordField]] = [:]
    var meanings: [String] = []
    /// What a field's row says, by kind and name.
    var rows: [String: [String: String]] = [:]

    static func read() throws -> TracesPage {
        let root = FilePath(#filePath).removingLastComponent().removingLastComponent().removingLastComponent()
            .removingLastComponent()
        let page = root.appending("Sources/Jetsam/Documentation.docc/Traces.md")
        let descriptor = try FileDescriptor.open(page, .readOnly)
        defer { try? descriptor.close() }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = try unsafe bytes.withUnsafeMutableBytes { unsafe try descriptor.read(into: $0) }
        return TracesPage(String(decoding: bytes[..<count], as: UTF8.self))
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
            let cells = line.split(separator: " | ").map { $0.filter { $0 != "`" && $0 != "|" } }
            let name = cells[0].filter { $0 != " " }
            fields[kind]?.append(RecordField(name: name, type: cells[1]))
            meanings.append(String(cells[2].dropLast()))
            rows[kind, default: [:]][name] = String(cells[2].dropLast())
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
