internal import Jetsam
internal import MemoryPressure

/// Reads one flat JSON object field by field, as a record's list of fields asks for them.
///
/// It takes what is at its place where that is the field that is asked for, and passes on otherwise. Where that does not take
/// all, as the fields are in another order than they are written in, it looks for each.
@safe
struct JSONFieldReader: FieldVisitor {
    private var scanner: JSONScanner
    /// The name of the field that comes next, as places in the bytes; nil at the object's end.
    private var name: Range<Int>?
    /// Every field where it looks for each; nil while it takes what comes next.
    private var places: [Place]?

    /// Where the value ends that is being taken, and where the object does, while it looks for each.
    private var valueEnd = 0
    /// The name that the next field had in earlier versions; nil where it had none.
    private var former: StaticString?
    private var end = 0

    private struct Place {
        var name: Range<Int>
        var value: Range<Int>
        var isTaken = false
    }

    init(_ bytes: UnsafeRawBufferPointer) {
        scanner = unsafe JSONScanner(bytes)
    }

    /// Whether nothing but blanks is left.
    mutating func isBlank() -> Bool {
        scanner.skipSpaces()
        return scanner.isAtEnd
    }

    /// Reads the beginning, which says what the record is and when it was made.
    mutating func open() throws(TraceError) -> (TraceKind, MonotonicInstant) {
        scanner.skipSpaces()
        guard scanner.consume("{") else { throw wrong("an object '{…}' is expected") }
        scanner.skipSpaces()
        nextName(isFirst: true)
        var kind: TraceKind?
        var instant: Int?
        while kind == nil || instant == nil, scanner.failure == nil {
            if kind == nil, isNext("k") {
                kind = self.kind()
                guard kind != nil else {
                    let word = scanner.string()
                    throw wrong("unknown kind '\(word?.cut(toBytes: 40) ?? "")' in \"k\"")
                }
                nextName()
            } else if instant == nil, isNext("t") {
                instant = scanner.number()
                nextName()
            } else {
                break
            }
        }
        if let failure = scanner.failure { throw wrong(failure) }
        guard let kind, let instant else {
            throw wrong("the line must begin with \"k\", the kind, and \"t\", nanoseconds of the monotonic clock")
        }
        return (kind, MonotonicInstant(nanoseconds: Int64(instant)))
    }

    mutating func read<Contents: Record>() throws(TraceError) -> Contents {
        var record = Contents()
        try fill(&record)
        return record
    }

    /// Takes every field that is there, and checks that the object ends with the line.
    mutating func fill(_ record: inout some Record) throws(TraceError) {
        let start = (scanner.offset, name)
        let before = record
        record.visit(&self)
        // Begun again from the start: a record may make one value of several fields, so that it has to see all of them at once.
        if scanner.failure == nil, name != nil {
            (scanner.offset, name) = start
            record = before
            findPlaces()
            if scanner.failure == nil { record.visit(&self) }
            name = scanner.failure == nil ? places?.first { !$0.isTaken }?.name : nil
        }
        if let failure = scanner.failure { throw wrong(failure) }
        if let name {
            throw wrong("unknown field \"\(scanner.text(name).cut(toBytes: 40))\", or one that is there twice")
        }
        scanner.skipSpaces()
        guard scanner.isAtEnd else { throw wrong("more follows behind the object's end") }
    }

    /// The kind whose name is here in quotes. Most are readings.
    private mutating func kind() -> TraceKind? {
        let start = scanner.offset
        guard scanner.consume("\"") else { return nil }
        if scanner.consume("reading\"") { return .reading }
        let name = scanner.offset
        for kind in TraceKind.allCases where scanner.consume(kind.name) {
            if scanner.consume("\"") { return kind }
            scanner.offset = name
        }
        scanner.offset = start
        return nil
    }

    /// Finds every field and its value, up to the object's end.
    private mutating func findPlaces() {
        var found: [Place] = []
        while let field = name {
            let start = scanner.offset
            scanner.skipValue()
            found.append(Place(name: field, value: start..<scanner.offset))
            nextName()
        }
        places = found
        end = scanner.offset
    }

    private func wrong(_ message: String) -> TraceError { TraceError(line: 0, message: message) }

    /// From then on nothing is taken.
    private mutating func fail(_ message: String) {
        scanner.fail(message)
        name = nil
    }

    // MARK: - Fields

    mutating func integer(_ name: StaticString, _ value: inout Int) {
        guard isNext(name) else { return }
        if let number = scanner.number() { value = number }
        nextName()
    }

    mutating func optional(_ name: StaticString, _ value: inout Int?) {
        guard isNext(name) else { return }
        if scanner.consume("null") {
            value = nil
        } else if let number = scanner.number() {
            value = number
        }
        nextName()
    }

    mutating func formerly(_ name: StaticString) {
        former = name
    }

    mutating func retired(_ name: StaticString) {
        var dropped: Int?
        optional(name, &dropped)
    }

    mutating func flag(_ name: StaticString, _ value: inout Bool) {
        guard isNext(name) else { return }
        if scanner.consume("true") {
            value = true
        } else if scanner.consume("false") {
            value = false
        } else {
            fail("\"\(name)\" must be true or false")
        }
        nextName()
    }

    mutating func real(_ name: StaticString, _ value: inout Double?) {
        guard isNext(name) else { return }
        if scanner.consume("null") {
            value = nil
        } else if let number = Double(scanner.text(scanner.numberText())), number.isFinite {
            value = number
        } else {
            fail("\"\(name)\" must be a number")
        }
        nextName()
    }

    mutating func word<Word: RecordWord>(_ name: StaticString, _ value: inout Word) {
        guard isNext(name) else { return }
        let text = scanner.string()
        let index = Word.words.firstIndex { $0 == text } ?? text.flatMap { Word.formerWords[$0] }
        if let index, let word = Word(code: index) {
            value = word
        } else {
            fail("\"\(name)\" must be one of \(Word.words.joined(separator: ", "))")
        }
        nextName()
    }

    mutating func text(_ name: StaticString, _ value: inout String) {
        guard isNext(name) else { return }
        if let text = scanner.string() {
            value = text.cut(toBytes: RecordBytes.longestText)
        }
        nextName()
    }

    // MARK: - Names

    /// Whether the field that comes next has that name; then the caller takes its value.
    @inline(__always)
    private mutating func isNext(_ expected: StaticString) -> Bool {
        guard former == nil else { return isNext(expected, formerly: former.take()!) }
        guard places == nil else { return find(expected) }
        guard let name else { return false }
        return scanner.isEqual(name, expected)
    }

    /// The same for a field that had another name in earlier versions.
    private mutating func isNext(_ expected: StaticString, formerly old: StaticString) -> Bool {
        guard places == nil else { return find(expected) || find(old) }
        guard let name else { return false }
        return scanner.isEqual(name, expected) || scanner.isEqual(name, old)
    }

    /// Goes to the value of the first field of that name.
    private mutating func find(_ expected: StaticString) -> Bool {
        guard scanner.failure == nil,
            let index = places?.firstIndex(where: { !$0.isTaken && scanner.isEqual($0.name, expected) })
        else { return false }
        places?[index].isTaken = true
        scanner.offset = places?[index].value.lowerBound ?? scanner.offset
        valueEnd = places?[index].value.upperBound ?? scanner.offset
        return true
    }

    /// Goes on to the name of the next field and behind its colon.
    private mutating func nextName(isFirst: Bool = false) {
        guard scanner.failure == nil else { return name = nil }
        if places != nil {
            if scanner.offset != valueEnd { fail("a value of another kind is expected") }
            scanner.offset = end
            return
        }
        name = nil
        scanner.skipSpaces()
        if scanner.consume("}") { return }
        if !isFirst {
            guard scanner.consume(",") else { return fail("',' or '}' is expected") }
            scanner.skipSpaces()
        }
        guard scanner.consume("\"") else { return fail("a field's name in quotes is expected") }
        guard let range = scanner.name() else { return fail("the line ends within a name") }
        scanner.skipSpaces()
        guard scanner.consume(":") else {
            return fail("':' is expected behind \"\(scanner.text(range).cut(toBytes: 40))\"")
        }
        scanner.skipSpaces()
        name = range
    }
}
