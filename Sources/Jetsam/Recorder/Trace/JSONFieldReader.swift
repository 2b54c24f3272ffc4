internal import MemoryPressure

/// Reads one flat JSON object field by field, as a record's list of fields asks for them.
///
/// It takes what is at its place where that is the field that is asked for, and passes on otherwise. Whoever reads asks again
/// until a round takes nothing.
@safe
struct JSONFieldReader: FieldVisitor {
    private let bytes: UnsafeRawBufferPointer
    private let count: Int
    private var offset = 0
    /// The name of the field that comes next, as places in the bytes; nil at the object's end.
    private var name: Range<Int>?
    /// What was wrong first; from then on nothing is taken.
    private var failure: String?
    private var taken = 0

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
        repeat {
            taken = 0
            record.visit(&self)
        } while taken > 0 && name != nil && failure == nil
        if let failure { throw wrong(failure) }
        if let name { throw wrong("unknown field \"\(text(name).cut(toBytes: 40))\"") }
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
        guard let name, name.count == expected.utf8CodeUnitCount else { return false }
        for index in 0..<name.count
        where unsafe bytes[name.lowerBound &+ index] != expected.utf8Start[index] { return false }
        taken &+= 1
        return true
    }

    /// Goes on to the name of the next field and behind its colon.
    private mutating func nextName(isFirst: Bool = false) {
        guard failure == nil else { return }
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
        var value = 0
        let start = offset
        while offset < count {
            let digit = Int(byte(offset)) &- 0x30
            guard digit >= 0, digit <= 9 else { break }
            // Downwards, as the smallest number has no positive.
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            let (difference, borrow) = product.subtractingReportingOverflow(digit)
            guard !overflow, !borrow else {
                fail("a number does not fit 64 bits")
                return nil
            }
            value = difference
            offset &+= 1
        }
        guard offset > start, isNegative || value != .min else {
            fail(offset > start ? "a number does not fit 64 bits" : "a whole number is expected")
            return nil
        }
        if offset < count, Self.isOfNumber(byte(offset)) {
            fail("a whole number is expected")
            return nil
        }
        return isNegative ? value : -value
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

    /// What follows a backslash. Halves of a pair of surrogates, which no trace has, become a replacement character.
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
            guard count - offset >= 4, let value = UInt32(text(offset..<(offset + 4)), radix: 16) else {
                return nil
            }
            offset += 4
            return Unicode.Scalar(value) ?? "\u{fffd}"
        default: return nil
        }
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
