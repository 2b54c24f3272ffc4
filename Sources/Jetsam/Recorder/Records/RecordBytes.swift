/// A record as bytes of a fixed order, little endian: what a slot of the flight recorder holds.
///
/// Integers take eight bytes, flags and words one, what may be nil one more before it, a text its length in one byte and then its
/// UTF-8. A size that was added to a record later takes seven bytes at its end, and none where it and those after it are 0.
package enum RecordBytes {
    /// No record takes more.
    package static let most = 256
    /// The longest text, in bytes; what is beyond is cut at a character.
    package static let longestText = 120
    /// The longest text of those of which a record has several, in bytes.
    package static let longestShortText = 64
    /// The largest of the sizes that were added later, in bytes.
    package static let mostSize = 1 << 50
    /// The bytes that one of these takes.
    package static let bytesOfAddedSize = 7

    /// Writes `record` to `place`, which has room for ``most`` bytes.
    ///
    /// - Returns: The number of bytes that were written.
    package static func write(_ record: some Record, to place: UnsafeMutableRawBufferPointer) -> Int {
        var record = record
        var writer = unsafe ByteFieldWriter(place)
        record.visit(&writer)
        return writer.count
    }

    /// Returns the number of the first `count` bytes of a record to keep where there is room for `room`. Sizes that were added
    /// last are left out, as wholes: they are then read as 0.
    package static func kept(_ count: Int, in room: Int) -> Int {
        count <= room ? count : count - (count - room + bytesOfAddedSize - 1) / bytesOfAddedSize * bytesOfAddedSize
    }

    /// Reads one; nil where the bytes are too few or hold what no field can.
    package static func read<Contents: Record>(_ type: Contents.Type, from bytes: some Collection<UInt8>) -> Contents? {
        var record = Contents()
        var reader = ByteFieldReader(Array(bytes))
        record.visit(&reader)
        return reader.hasFailed ? nil : record
    }
}

@safe
private struct ByteFieldWriter: FieldVisitor {
    private let place: UnsafeMutableRawBufferPointer
    private(set) var count = 0
    /// Sizes of 0 that were added later: they are written only where another that is not follows.
    private var zeroSizes = 0

    init(_ place: UnsafeMutableRawBufferPointer) {
        unsafe self.place = unsafe place
    }

    @inline(__always)
    private mutating func put<Value: FixedWidthInteger & BitwiseCopyable>(_ value: Value) {
        let size = MemoryLayout<Value>.size
        // No record is that long: a test writes the longest of each.
        guard unsafe count + size <= place.count else { return }
        unsafe place.storeBytes(of: value.littleEndian, toByteOffset: count, as: Value.self)
        count += size
    }

    mutating func integer(_ name: StaticString, _ value: inout Int) { put(Int64(value)) }

    mutating func optional(_ name: StaticString, _ value: inout Int?) {
        put(value == nil ? 0 as UInt8 : 1)
        if let value { put(Int64(value)) }
    }

    mutating func flag(_ name: StaticString, _ value: inout Bool) { put(value ? 1 as UInt8 : 0) }

    mutating func real(_ name: StaticString, _ value: inout Double?) {
        put(value == nil ? 0 as UInt8 : 1)
        if let value { put(value.bitPattern) }
    }

    mutating func word<Word: RecordWord>(_ name: StaticString, _ value: inout Word) { put(UInt8(clamping: value.code)) }

    mutating func text(_ name: StaticString, _ value: inout String) {
        let cut = value.cut(toBytes: RecordBytes.longestText)
        put(UInt8(cut.utf8.count))
        for byte in cut.utf8 { put(byte) }
    }

    mutating func addedSize(_ name: StaticString, _ value: inout Int) {
        guard value != 0 else { return zeroSizes += 1 }
        for _ in 0..<(zeroSizes * RecordBytes.bytesOfAddedSize) { put(0 as UInt8) }
        zeroSizes = 0
        for byte in 0..<RecordBytes.bytesOfAddedSize { put(UInt8(truncatingIfNeeded: value >> (8 * byte))) }
    }
}

private struct ByteFieldReader: FieldVisitor {
    private let bytes: [UInt8]
    private var offset = 0
    private(set) var hasFailed = false

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    private mutating func read<Value: FixedWidthInteger & UnsignedInteger>(_ type: Value.Type) -> Value? {
        let size = MemoryLayout<Value>.size
        guard !hasFailed, bytes.count - offset >= size else {
            hasFailed = true
            return nil
        }
        var value: Value = 0
        for index in 0..<size { value |= Value(bytes[offset + index]) << Value(8 * index) }
        offset += size
        return value
    }

    /// Nil where none is there; fails where the byte that says so says neither.
    private mutating func isThere() -> Bool {
        guard let byte = read(UInt8.self) else { return false }
        if byte > 1 { hasFailed = true }
        return byte == 1
    }

    mutating func integer(_ name: StaticString, _ value: inout Int) {
        if let bits = read(UInt64.self) { value = Int(Int64(bitPattern: bits)) }
    }

    mutating func optional(_ name: StaticString, _ value: inout Int?) {
        value = isThere() ? read(UInt64.self).map { Int(Int64(bitPattern: $0)) } : nil
    }

    mutating func flag(_ name: StaticString, _ value: inout Bool) { value = isThere() }

    mutating func real(_ name: StaticString, _ value: inout Double?) {
        value = isThere() ? read(UInt64.self).map { Double(bitPattern: $0) } : nil
        if let value, !value.isFinite { hasFailed = true }
    }

    mutating func word<Word: RecordWord>(_ name: StaticString, _ value: inout Word) {
        guard let code = read(UInt8.self) else { return }
        if let word = Word(code: Int(code)) { value = word } else { hasFailed = true }
    }

    mutating func text(_ name: StaticString, _ value: inout String) {
        guard let count = read(UInt8.self), bytes.count - offset >= Int(count) else {
            hasFailed = true
            return
        }
        value = String(decoding: bytes[offset..<(offset + Int(count))], as: UTF8.self)
        offset += Int(count)
    }

    mutating func addedSize(_ name: StaticString, _ value: inout Int) {
        guard offset < bytes.count else { return value = 0 }
        var size = 0
        for byte in 0..<RecordBytes.bytesOfAddedSize { size |= Int(read(UInt8.self) ?? 0) << (8 * byte) }
        value = size
    }
}

extension String {
    /// Its beginning, no longer than so many bytes of UTF-8 and cut between two characters.
    package func cut(toBytes most: Int) -> String {
        guard utf8.count > most else { return self }
        var end = utf8.index(utf8.startIndex, offsetBy: most)
        while end > startIndex, end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return String(self[..<end])
    }
}
