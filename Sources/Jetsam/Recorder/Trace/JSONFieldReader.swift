internal import MemoryPressure

/// Reads one flat JSON object field by field, as a record's list of fields asks for them.
///
/// It takes what is at its place where that is the field that is asked for, and passes on otherwise. Where that does not take
/// all, as the fields are in another order than they are written in, it looks for each.
@safe
struct JSONFieldReader: FieldVisitor {
    private let bytes: UnsafeRawBufferPointer
    private let count: Int
    private var offset = 0
    /// The name of the field that comes next, as places in the bytes; nil at the object's end.
    private var name: Range<Int>?
    /// What was wrong first; from then on nothing is taken.
    private var failure: String?
    /// Every field where it looks for each; nil while it takes what comes next.
    private var places: [Place]?

    /// Where the value ends that is being taken, and where the object does, while it looks for each.
    private var valueEnd = 0
    private var end = 0

    private struct Place {
        var name: Range<Int>
        var value: Range<Int>
        var isTaken = false
    }

    init(_ bytes: UnsafeRawBufferPointer) {
        unsafe self.bytes = unsafe bytes
        count = bytes.count
    }

    @inline(__always)
    private func byte(_ offset: Int) -> UInt8 { unsafe bytes[offset] }

    var isAtEnd: Bool { offset >= count }

    /// Reads the beginning, which says what the record is and when it was made.
    mutating func open() throws(TraceError) -> (TraceKind, MonotonicInstant) {
        skipSpaces()
        guard take("{") else { throw wrong("an object '{…}' is expected") }
        skipSpaces()
        nextName(isFirst: true)
        var kind: TraceKind?
        var instant: Int?
        while kind == nil || instant == nil, failure == nil {
            if kind == nil, isNext("k") {
                kind = self.kind()
                guard kind != nil else {
                    let word = string()
                    throw wrong("unknown kind '\(word?.cut(toBytes: 40) ?? "")' in \"k\"")
                }
                nextName()
            } else if instant == nil, isNext("t") {
                instant = number()
                nextName()
            } else {
                break
            }
        }
        if let failure { throw wrong(failure) }
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
        let start = (offset, name)
        let before = record
        record.visit(&self)
        // Begun again from the start: a record may make one value of several fields, so that it has to see all of them at once.
        if failure == nil, name != nil {
            (offset, name) = start
            record = before
            findPlaces()
            if failure == nil { record.visit(&self) }
            name = failure == nil ? places?.first { !$0.isTaken }?.name : nil
        }
        if let failure { throw wrong(failure) }
        if let name { throw wrong("unknown field \"\(text(name).cut(toBytes: 40))\", or one that is there twice") }
        skipSpaces()
        guard isAtEnd else { throw wrong("more follows behind the object's end") }
    }

    /// The kind whose name is here in quotes. Most are readings.
    private mutating func kind() -> TraceKind? {
        let start = offset
        guard take("\"") else { return nil }
        if take("reading\"") { return .reading }
        let name = offset
        for kind in TraceKind.allCases where take(kind.name) {
            if take("\"") { return kind }
            offset = name
        }
        offset = start
        return nil
    }

    /// Finds every field and its value, up to the object's end.
    private mutating func findPlaces() {
        var found: [Place] = []
        while let field = name {
            let start = offset
            skipValue()
            found.append(Place(name: field, value: start..<offset))
            nextName()
        }
        places = found
        end = offset
    }

    private mutating func skipValue() {
        if take("\"") {
            while offset < count, byte(offset) != UInt8(ascii: "\"") {
                offset &+= byte(offset) == UInt8(ascii: "\\") ? 2 : 1
            }
            offset = min(offset, count)
            if !take("\"") { fail("the line ends within a string") }
        } else if !take("true"), !take("false"), !take("null") {
            let start = offset
            while offset < count, Self.isOfNumber(byte(offset)) { offset &+= 1 }
            if offset == start { fail("a number, a string, true, false or null is expected") }
        }
    }

    private func wrong(_ message: String) -> TraceError { TraceError(line: 0, message: message) }

    // MARK: - Fields

    mutating func integer(_ name: StaticString, _ value: inout Int) {
        guard isNext(name) else { return }
        if let number = number() { value = number }
        nextName()
    }

    mutating func optional(_ name: StaticString, _ value: inout Int?) {
        guard isNext(name) else { return }
        if isNull() {
            value = nil
        } else if let number = number() {
            value = number
        }
        nextName()
    }

    mutating func flag(_ name: StaticString, _ value: inout Bool) {
        guard isNext(name) else { return }
        if take("true") {
            value = true
        } else if take("false") {
            value = false
        } else {
            fail("\"\(name)\" must be true or false")
        }
        nextName()
    }

    mutating func real(_ name: StaticString, _ value: inout Double?) {
        guard isNext(name) else { return }
        let start = offset
        if isNull() {
            value = nil
            nextName()
            return
        }
        while offset < count, Self.isOfNumber(byte(offset)) { offset += 1 }
        if let number = Double(text(start..<offset)), number.isFinite {
            value = number
        } else {
            fail("\"\(name)\" must be a number")
        }
        nextName()
    }

    mutating func word<Word: RecordWord>(_ name: StaticString, _ value: inout Word) {
        guard isNext(name) else { return }
        let text = string()
        if let index = Word.words.firstIndex(where: { $0 == text }), let word = Word(code: index) {
            value = word
        } else {
            fail("\"\(name)\" must be one of \(Word.words.joined(separator: ", "))")
        }
        nextName()
    }

    mutating func text(_ name: StaticString, _ value: inout String) {
        guard isNext(name) else { return }
        if let text = string() {
            value = text.cut(toBytes: RecordBytes.longestText)
        }
        nextName()
    }

    // MARK: - Tokens

    mutating func skipSpaces() {
        while offset < count {
            let byte = byte(offset)
            guard byte == 0x20 || byte == 0x09 || byte == 0x0d else { return }
            offset &+= 1
        }
    }

    private mutating func fail(_ message: String) {
        failure = failure ?? message
        name = nil
    }

    /// Whether the field that comes next has that name; then it is the caller's to take its value.
    @inline(__always)
    private mutating func isNext(_ expected: StaticString) -> Bool {
        guard places == nil else { return find(expected) }
        guard let name else { return false }
        return isEqual(name, expected)
    }

    @inline(__always)
    private func isEqual(_ name: Range<Int>, _ expected: StaticString) -> Bool {
        guard name.count == expected.utf8CodeUnitCount else { return false }
        for index in 0..<name.count
        where unsafe bytes[name.lowerBound &+ index] != expected.utf8Start[index] { return false }
        return true
    }

    /// Goes to the value of the first field of that name.
    private mutating func find(_ expected: StaticString) -> Bool {
        guard failure == nil, let index = places?.firstIndex(where: { !$0.isTaken && isEqual($0.name, expected) })
        else { return false }
        places?[index].isTaken = true
        offset = places?[index].value.lowerBound ?? offset
        valueEnd = places?[index].value.upperBound ?? offset
        return true
    }

    /// Goes on to the name of the next field and behind its colon.
    private mutating func nextName(isFirst: Bool = false) {
        guard failure == nil else { return }
        if places != nil {
            if offset != valueEnd { fail("a value of another kind is expected") }
            offset = end
            return
        }
        name = nil
        skipSpaces()
        if take("}") { return }
        if !isFirst {
            guard take(",") else { return fail("',' or '}' is expected") }
            skipSpaces()
        }
        guard take("\"") else { return fail("a field's name in quotes is expected") }
        let start = offset
        while offset < count, byte(offset) != UInt8(ascii: "\"") { offset &+= 1 }
        let range = start..<offset
        guard take("\"") else { return fail("the line ends within a name") }
        skipSpaces()
        guard take(":") else { return fail("':' is expected behind \"\(text(range).cut(toBytes: 40))\"") }
        skipSpaces()
        name = range
    }

    private mutating func isNull() -> Bool { take("null") }

    /// A whole number that 64 bits can hold.
    private mutating func number() -> Int? {
        let isNegative = take("-")
        let start = offset
        var magnitude: UInt64 = 0
        while offset < count {
            let digit = UInt64(byte(offset) &- 0x30)
            guard digit <= 9 else { break }
            // Only the nineteenth digit and those after it can be too many.
            guard offset &- start < 18 || magnitude <= (.max - digit) / 10 else {
                fail("a number does not fit 64 bits")
                return nil
            }
            magnitude = magnitude &* 10 &+ digit
            offset &+= 1
        }
        guard offset > start else {
            fail("a whole number is expected")
            return nil
        }
        guard magnitude <= UInt64(Int.max) + (isNegative ? 1 : 0) else {
            fail("a number does not fit 64 bits")
            return nil
        }
        if offset < count, Self.isOfNumber(byte(offset)) {
            fail("a whole number is expected")
            return nil
        }
        return Int(truncatingIfNeeded: isNegative ? 0 &- magnitude : magnitude)
    }

    private static func isOfNumber(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."),
            UInt8(ascii: "e"), UInt8(ascii: "E"):
            true
        default: false
        }
    }

    private mutating func string() -> String? {
        guard take("\"") else {
            fail("a string is expected")
            return nil
        }
        var result: [UInt8] = []
        while offset < count {
            let byte = byte(offset)
            offset += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: result, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let scalar = escape() else {
                    fail("an escape that JSON does not have")
                    return nil
                }
                result.append(contentsOf: String(Character(scalar)).utf8)
            default: result.append(byte)
            }
        }
        fail("the line ends within a string")
        return nil
    }

    /// What follows a backslash. Half of a pair of surrogates alone becomes a replacement character.
    private mutating func escape() -> Unicode.Scalar? {
        guard offset < count else { return nil }
        let byte = byte(offset)
        offset += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{c}"
        case UInt8(ascii: "u"):
            guard let unit = fourDigits() else { return nil }
            guard (0xd800..<0xdc00).contains(unit) else { return Unicode.Scalar(unit) ?? "\u{fffd}" }
            let afterFirst = offset
            if take("\\u"), let second = fourDigits(), (0xdc00..<0xe000).contains(second) {
                return Unicode.Scalar(0x10000 + (unit - 0xd800) << 10 + (second - 0xdc00))
            }
            offset = afterFirst
            return "\u{fffd}"
        default: return nil
        }
    }

    private mutating func fourDigits() -> UInt32? {
        guard count - offset >= 4 else { return nil }
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = Character(Unicode.Scalar(byte(offset))).hexDigitValue else { return nil }
            value = value << 4 | UInt32(digit)
            offset += 1
        }
        return value
    }

    @inline(__always)
    private mutating func take(_ literal: StaticString) -> Bool {
        let length = literal.utf8CodeUnitCount
        guard count &- offset >= length else { return false }
        for index in 0..<length where unsafe bytes[offset &+ index] != literal.utf8Start[index] { return false }
        offset &+= length
        return true
    }

    private func text(_ range: Range<Int>) -> String {
        unsafe String(decoding: UnsafeRawBufferPointer(rebasing: bytes[range]), as: UTF8.self)
    }
}
