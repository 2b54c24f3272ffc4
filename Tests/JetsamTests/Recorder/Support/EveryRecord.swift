import MemoryPressure

@testable import Jetsam

/// One record of each kind, filled by a visitor.
enum EveryRecord {
    /// Calls `body` with the type of each kind of record.
    static func forEach(_ body: (any Record.Type) throws -> Void) rethrows {
        for kind in TraceKind.allCases { try body(type(of: kind)) }
    }

    /// A kind that is added to the enumeration does not compile until it is added here.
    static func type(of kind: TraceKind) -> any Record.Type {
        switch kind {
        case .reading: ReadingRecord.self
        case .notice: NoticeRecord.self
        case .level: LevelRecord.self
        case .demand: DemandRecord.self
        case .regrowth: RegrowthRecord.self
        case .ladder: LadderRecord.self
        case .look: LookRecord.self
        case .run: RunRecord.self
        case .client: ClientRecord.self
        case .turn: TurnRecord.self
        case .answer: AnswerRecord.self
        case .trimmed: TrimmedRecord.self
        case .segments: ReleasedSegmentsRecord.self
        case .hurry: HurryRecord.self
        case .step: StepRecord.self
        case .cache: CacheRecord.self
        case .counts: CountsRecord.self
        case .process: ProcessRecord.self
        case .scene: Jetsam.SceneRecord.self
        case .snapshot: SnapshotRecord.self
        case .trace: TraceHeader.self
        case .lost: LostRecord.self
        case .model: ModelRecord.self
        }
    }

    static func filled<Contents: Record>(_ type: Contents.Type, by visitor: some FieldVisitor) -> Contents {
        var record = Contents()
        var visitor = visitor
        record.visit(&visitor)
        // Once more into itself, as a record holds some of its fields to what they can be.
        var settler = NoVisitor()
        record.visit(&settler)
        return record
    }

    /// The fields of a record in their order.
    static func fields(of type: any Record.Type) -> [RecordField] {
        func fields<Contents: Record>(_ type: Contents.Type) -> [RecordField] {
            var record = Contents()
            var visitor = NameVisitor()
            record.visit(&visitor)
            return visitor.fields
        }
        return fields(type)
    }
}

struct RecordField: Equatable {
    var name: String
    /// `integer`, `integer or null`, `true or false`, `number`, `text`, or the words.
    var type: String
}

private struct NoVisitor: FieldVisitor {
    mutating func integer(_ name: StaticString, _ value: inout Int) {}
    mutating func optional(_ name: StaticString, _ value: inout Int?) {}
    mutating func flag(_ name: StaticString, _ value: inout Bool) {}
    mutating func real(_ name: StaticString, _ value: inout Double?) {}
    mutating func word<Word: RecordWord>(_ name: StaticString, _ value: inout Word) {}
    mutating func text(_ name: StaticString, _ value: inout String) {}
}

private struct NameVisitor: FieldVisitor {
    var fields: [RecordField] = []

    private mutating func add(_ name: StaticString, _ type: String) {
        fields.append(RecordField(name: name.description, type: type))
    }

    mutating func integer(_ name: StaticString, _ value: inout Int) { add(name, "integer") }
    mutating func optional(_ name: StaticString, _ value: inout Int?) { add(name, "integer or null") }
    mutating func flag(_ name: StaticString, _ value: inout Bool) { add(name, "true or false") }
    mutating func real(_ name: StaticString, _ value: inout Double?) { add(name, "number or null") }
    mutating func word<Word: RecordWord>(_ name: StaticString, _ value: inout Word) {
        add(name, Word.words.joined(separator: ", "))
    }
    mutating func text(_ name: StaticString, _ value: inout String) { add(name, "text") }
}

/// Fills fields with random values of any size, often the extreme ones.
struct RandomFields: FieldVisitor {
    var random: SeededGenerator
    /// How many in ten fields are left as they are.
    var kept = 2

    private mutating func keeps() -> Bool { Int.random(in: 0..<10, using: &random) < kept }

    private mutating func number() -> Int {
        let extremes = [0, 1, -1, .max, .min, .max - 1, .min + 1, 1 << 53, 1 << 32]
        if Int.random(in: 0..<4, using: &random) == 0 { return extremes.randomElement(using: &random) ?? 0 }
        let magnitude = Int.random(in: 0..<63, using: &random)
        return Int.random(in: .min ... .max, using: &random) >> magnitude
    }

    mutating func integer(_ name: StaticString, _ value: inout Int) {
        if !keeps() { value = number() }
    }

    mutating func optional(_ name: StaticString, _ value: inout Int?) {
        if !keeps() { value = Int.random(in: 0..<3, using: &random) == 0 ? nil : number() }
    }

    mutating func flag(_ name: StaticString, _ value: inout Bool) {
        if !keeps() { value = Bool.random(using: &random) }
    }

    mutating func real(_ name: StaticString, _ value: inout Double?) {
        guard !keeps() else { return }
        let some: [Double?] = [
            nil, 0, -0.0, 1, 0.1, -1e-300, .greatestFiniteMagnitude, .leastNonzeroMagnitude, .pi, 1e22,
        ]
        value = some.randomElement(using: &random) ?? nil
    }

    mutating func word<Word: RecordWord>(_ name: StaticString, _ value: inout Word) {
        if !keeps() { value = Word(code: Int.random(in: 0..<Word.words.count, using: &random)) ?? value }
    }

    mutating func text(_ name: StaticString, _ value: inout String) {
        guard !keeps() else { return }
        let parts = [
            "a", "\"", "\\", "\\u0041", "\n", "\u{0}", "\u{1f}", "\u{7f}", "é", "語", "😀", "\u{2028}", "/", "}{,:",
            "\u{202e}",
        ]
        value = (0..<Int.random(in: 0..<50, using: &random)).map { _ in parts.randomElement(using: &random) ?? "" }
            .joined().cut(toBytes: RecordBytes.longestText)
    }
}

/// Fills every field with what takes the most room.
struct LongestFields: FieldVisitor {
    mutating func integer(_ name: StaticString, _ value: inout Int) { value = .min }
    mutating func optional(_ name: StaticString, _ value: inout Int?) { value = .min }
    mutating func flag(_ name: StaticString, _ value: inout Bool) { value.toggle() }
    mutating func real(_ name: StaticString, _ value: inout Double?) { value = -1.234_567_890_123_456_7e-300 }
    mutating func word<Word: RecordWord>(_ name: StaticString, _ value: inout Word) {
        value = Word(code: Word.words.count - 1) ?? value
    }
    mutating func text(_ name: StaticString, _ value: inout String) {
        value = String(repeating: "\u{1}", count: RecordBytes.longestText)
    }
    mutating func addedSize(_ name: StaticString, _ value: inout Int) { value = RecordBytes.mostSize }
}
