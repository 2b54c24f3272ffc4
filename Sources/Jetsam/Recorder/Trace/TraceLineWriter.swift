internal import JetsamSystem
internal import MemoryPressure

/// Writes records as the lines of a trace.
///
/// A reading has only the fields that differ from the reading before: most of a day's readings are alike. Other records leave
/// out the fields that have their default; but a header has them all, as another version of the library may have other
/// defaults.
package struct TraceLineWriter: Sendable {
    /// The lines that were written and not collected yet.
    package private(set) var bytes: [UInt8] = []
    /// The values of the last reading, field by field.
    private var lastReading: [Int]

    package init() {
        lastReading = FieldCodes.of(ReadingRecord())
    }

    package mutating func append(_ record: some Record, at instant: MonotonicInstant) {
        let isReading = type(of: record).kind == .reading
        let isHeader = type(of: record).kind == .trace
        // Lines after a header are read without the lines before it.
        if isHeader { lastReading = FieldCodes.of(ReadingRecord()) }
        let base = isReading ? lastReading : FieldCodes.of(type(of: record).init())
        // There is one owner of the codes at a time: a second would have them copied.
        if isReading { lastReading = [] }
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: TraceSchema.longestLine / 4) { place in
            guard let start = place.baseAddress else { return }
            var line = unsafe JSONFieldWriter(start, base: base, writesAll: isHeader)
            line.begin(type(of: record).kind, at: instant)
            var record = record
            record.visit(&line)
            line.end()
            if isReading { lastReading = line.base }
            unsafe bytes.append(contentsOf: UnsafeBufferPointer(start: start, count: line.count))
        }
    }

    /// Returns the bytes that were written since the last call.
    package mutating func collectBytes() -> [UInt8] {
        defer { bytes.removeAll(keepingCapacity: true) }
        return bytes
    }

    /// Empties ``bytes`` and keeps its room.
    package mutating func drop() {
        bytes.removeAll(keepingCapacity: true)
    }
}

/// The fields of a record as numbers that can be compared; texts and real numbers have none.
private struct FieldCodes: FieldVisitor {
    var codes: [Int] = []

    static func of(_ record: some Record) -> [Int] {
        var record = record
        var visitor = FieldCodes()
        record.visit(&visitor)
        return visitor.codes
    }

    mutating func integer(_ name: StaticString, _ value: inout Int) { codes.append(value) }
    mutating func optional(_ name: StaticString, _ value: inout Int?) {
        codes.append(value == nil ? 0 : 1)
        codes.append(value ?? 0)
    }
    mutating func flag(_ name: StaticString, _ value: inout Bool) { codes.append(value ? 1 : 0) }
    mutating func real(_ name: StaticString, _ value: inout Double?) { codes.append(0) }
    mutating func word<Word: RecordWord>(_ name: StaticString, _ value: inout Word) { codes.append(value.code) }
    mutating func text(_ name: StaticString, _ value: inout String) { codes.append(0) }
}

/// Writes one line. The longest record, every text of it escaped, takes a quarter of the longest line.
@safe
private struct JSONFieldWriter: FieldVisitor {
    private let place: UnsafeMutablePointer<UInt8>
    private(set) var count = 0
    private(set) var base: [Int]
    /// Indicates whether fields that are the same as the base are written too.
    private let writesAll: Bool
    private var index = 0

    init(_ place: UnsafeMutablePointer<UInt8>, base: [Int], writesAll: Bool) {
        self.writesAll = writesAll
        unsafe self.place = place
        self.base = base
    }

    mutating func begin(_ kind: TraceKind, at instant: MonotonicInstant) {
        put("{\"k\":\"")
        put(kind.name)
        put("\",\"t\":")
        put(Int(instant.nanoseconds))
    }

    mutating func end() {
        put("}\n")
    }

    @inline(__always)
    private mutating func put(byte: UInt8) {
        unsafe place[count] = byte
        count &+= 1
    }

    private mutating func put(_ text: StaticString) {
        let length = text.utf8CodeUnitCount
        unsafe (place + count).update(from: text.utf8Start, count: length)
        count &+= length
    }

    private mutating func put(_ number: Int) {
        if number < 0 { put(byte: UInt8(ascii: "-")) }
        var rest = number.magnitude
        var digits = 1
        var bound: UInt = 10
        while digits < 20, rest >= bound {
            digits &+= 1
            bound = bound &* 10
        }
        var end = count &+ digits
        count = end
        // Two at a time: each division waits for the one before.
        while rest >= 10 {
            let (quotient, pair) = rest.quotientAndRemainder(dividingBy: 100)
            end &-= 2
            unsafe place[end] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: pair / 10)
            unsafe place[end &+ 1] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: pair % 10)
            rest = quotient
        }
        if end > count &- digits { unsafe place[end &- 1] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest) }
    }

    /// Returns whether the field has another value than the base; from then on that is its value there.
    @inline(__always)
    private mutating func isNew(_ code: Int) -> Bool {
        defer { index &+= 1 }
        guard base[index] != code else { return writesAll }
        base[index] = code
        return true
    }

    private mutating func key(_ name: StaticString) {
        put(byte: UInt8(ascii: ","))
        put(byte: UInt8(ascii: "\""))
        put(name)
        put(byte: UInt8(ascii: "\""))
        put(byte: UInt8(ascii: ":"))
    }

    mutating func integer(_ name: StaticString, _ value: inout Int) {
        guard isNew(value) else { return }
        key(name)
        put(value)
    }

    mutating func optional(_ name: StaticString, _ value: inout Int?) {
        let isOther = isNew(value == nil ? 0 : 1)
        // Both are asked: each keeps its own place in the base.
        guard isNew(value ?? 0) || isOther else { return }
        key(name)
        if let value { put(value) } else { put("null") }
    }

    mutating func flag(_ name: StaticString, _ value: inout Bool) {
        guard isNew(value ? 1 : 0) else { return }
        key(name)
        put(value ? "true" : "false")
    }

    mutating func real(_ name: StaticString, _ value: inout Double?) {
        index &+= 1
        guard let value, value.isFinite else { return }
        key(name)
        for byte in value.description.utf8 { put(byte: byte) }
    }

    mutating func word<Word: RecordWord>(_ name: StaticString, _ value: inout Word) {
        guard isNew(value.code) else { return }
        key(name)
        put(byte: UInt8(ascii: "\""))
        for byte in Word.words[value.code].utf8 { put(byte: byte) }
        put(byte: UInt8(ascii: "\""))
    }

    mutating func text(_ name: StaticString, _ value: inout String) {
        index &+= 1
        guard !value.isEmpty else { return }
        key(name)
        put(byte: UInt8(ascii: "\""))
        JSONText.escape(value.cut(toBytes: RecordBytes.longestText)) { put(byte: $0) }
        put(byte: UInt8(ascii: "\""))
    }
}
