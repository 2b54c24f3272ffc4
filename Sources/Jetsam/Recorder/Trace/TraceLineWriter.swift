package import MemoryPressure

/// Writes records as the lines of a trace.
///
/// Of a reading only those fields are written that differ from the reading before: most of a day's readings are alike. Of other
/// records but the header those are left out that have their default.
package struct TraceLineWriter: Sendable {
    /// The lines that were written and not taken yet.
    package private(set) var bytes: [UInt8] = []
    /// What the last reading had, field by field.
    private var lastReading: [Int]

    package init() {
        lastReading = FieldCodes.of(ReadingRecord())
    }

    package mutating func append(_ record: some Record, at instant: MonotonicInstant) {
        append(literal: "{\"k\":\"")
        append(literal: type(of: record).kind.name)
        append(literal: "\",\"t\":")
        Self.append(integer: Int(instant.nanoseconds), to: &bytes)
        let isReading = type(of: record).kind == .reading
        var writer = JSONFieldWriter(bytes: bytes, base: isReading ? lastReading : FieldCodes.base(of: record))
        // There is one owner of the bytes at a time: a second would have them copied.
        bytes = []
        if isReading { lastReading = [] }
        var record = record
        record.visit(&writer)
        if isReading { lastReading = writer.base }
        bytes = writer.bytes
        append(literal: "}\n")
    }

    /// What was written since the last call.
    package mutating func take() -> [UInt8] {
        defer { bytes.removeAll(keepingCapacity: true) }
        return bytes
    }

    /// Empties ``bytes`` and keeps its room.
    package mutating func drop() {
        bytes.removeAll(keepingCapacity: true)
    }

    private mutating func append(literal: StaticString) {
        Self.append(literal: literal, to: &bytes)
    }

    fileprivate static func append(literal: StaticString, to bytes: inout [UInt8]) {
        unsafe bytes.append(
            contentsOf: UnsafeBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
    }

    fileprivate static func append(integer: Int, to bytes: inout [UInt8]) {
        if integer < 0 { bytes.append(UInt8(ascii: "-")) }
        var rest = integer.magnitude
        var digits = 1
        var bound: UInt = 10
        while rest >= bound, digits < 20 {
            digits += 1
            bound = digits == 20 ? .max : bound * 10
        }
        let start = bytes.count
        bytes.append(contentsOf: repeatElement(0, count: digits))
        var place = start + digits
        while place > start {
            let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
            place -= 1
            bytes[place] = UInt8(ascii: "0") + UInt8(digit)
            rest = quotient
        }
    }
}

/// The fields of a record as numbers that can be compared; texts and real numbers have none.
private struct FieldCodes: FieldVisitor {
    var codes: [Int] = []

    static let none = Int.min

    /// What a field is left out for. A header leaves nothing out: another version of the library may have other defaults.
    static func base(of record: some Record) -> [Int] {
        let codes = of(type(of: record).init())
        return type(of: record).kind == .trace ? codes.map { _ in none + 1 } : codes
    }

    static func of(_ record: some Record) -> [Int] {
        var record = record
        var visitor = FieldCodes()
        record.visit(&visitor)
        return visitor.codes
    }

    mutating func integer(_ name: StaticString, _ value: inout Int) { codes.append(value) }
    mutating func optional(_ name: StaticString, _ value: inout Int?) { codes.append(value ?? Self.none) }
    mutating func flag(_ name: StaticString, _ value: inout Bool) { codes.append(value ? 1 : 0) }
    mutating func real(_ name: StaticString, _ value: inout Double?) { codes.append(0) }
    mutating func word<Word: RecordWord>(_ name: StaticString, _ value: inout Word) { codes.append(value.code) }
    mutating func text(_ name: StaticString, _ value: inout String) { codes.append(0) }
}

private struct JSONFieldWriter: FieldVisitor {
    var bytes: [UInt8]
    var base: [Int]
    private var index = 0

    init(bytes: [UInt8], base: [Int]) {
        self.bytes = bytes
        self.base = base
    }

    /// Whether the field has another value than the base; from then on that is its value there.
    @inline(__always)
    private mutating func isNew(_ code: Int) -> Bool {
        defer { index += 1 }
        guard base[index] != code else { return false }
        base[index] = code
        return true
    }

    private mutating func key(_ name: StaticString) {
        TraceLineWriter.append(literal: ",\"", to: &bytes)
        TraceLineWriter.append(literal: name, to: &bytes)
        TraceLineWriter.append(literal: "\":", to: &bytes)
    }

    mutating func integer(_ name: StaticString, _ value: inout Int) {
        guard isNew(value) else { return }
        key(name)
        TraceLineWriter.append(integer: value, to: &bytes)
    }

    mutating func optional(_ name: StaticString, _ value: inout Int?) {
        guard isNew(value ?? FieldCodes.none) || value == FieldCodes.none else { return }
        key(name)
        if let value {
            TraceLineWriter.append(integer: value, to: &bytes)
        } else {
            TraceLineWriter.append(literal: "null", to: &bytes)
        }
    }

    mutating func flag(_ name: StaticString, _ value: inout Bool) {
        guard isNew(value ? 1 : 0) else { return }
        key(name)
        TraceLineWriter.append(literal: value ? "true" : "false", to: &bytes)
    }

    mutating func real(_ name: StaticString, _ value: inout Double?) {
        index += 1
        guard let value, value.isFinite else { return }
        key(name)
        bytes.append(contentsOf: value.description.utf8)
    }

    mutating func word<Word: RecordWord>(_ name: StaticString, _ value: inout Word) {
        guard isNew(value.code) else { return }
        key(name)
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: Word.words[value.code].utf8)
        bytes.append(UInt8(ascii: "\""))
    }

    mutating func text(_ name: StaticString, _ value: inout String) {
        index += 1
        guard !value.isEmpty else { return }
        key(name)
        bytes.append(UInt8(ascii: "\""))
        for byte in value.cut(toBytes: RecordBytes.longestText).utf8 { append(escaped: byte) }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func append(escaped byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            bytes.append(UInt8(ascii: "\\"))
            bytes.append(byte)
        case 0..<0x20:
            TraceLineWriter.append(literal: "\\u00", to: &bytes)
            for digit in [byte >> 4, byte & 15] {
                bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
            }
        default: bytes.append(byte)
        }
    }
}
