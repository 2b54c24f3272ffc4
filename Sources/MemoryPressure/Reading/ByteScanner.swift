/// Walks the lines of a kernel file without making a `String` or allocating.
///
/// It holds only its place; the bytes are handed to every call.
struct ByteScanner {
    private(set) var offset = 0

    /// One line of the form `key value`, `key: value kB` or the like.
    struct Entry {
        var key: PackedKey
        var value: Int
    }

    /// The next line that has a key and a number; others are skipped. Nil at the end.
    ///
    /// `isWanted` may rule lines out by their first byte, which saves looking at the rest of them.
    @inline(__always)
    mutating func nextEntry(
        in bytes: borrowing Span<UInt8>, where isWanted: (UInt8) -> Bool = { _ in true }
    ) -> Entry? {
        while offset < bytes.count {
            guard isWanted(bytes[offset]) else {
                skipLine(in: bytes)
                continue
            }
            var key = PackedKey()
            while offset < bytes.count, !Self.endsKey(bytes[offset]) {
                key.append(bytes[offset])
                offset &+= 1
            }
            while offset < bytes.count, Self.separates(bytes[offset]) { offset &+= 1 }
            let value = number(in: bytes)
            skipLine(in: bytes)
            if let value { return Entry(key: key, value: value) }
        }
        return nil
    }

    /// The decimal number here, held to `Int.max` where it is larger; nil where there is no digit.
    @inline(__always)
    mutating func number(in bytes: borrowing Span<UInt8>) -> Int? {
        var value = 0
        let start = offset
        while offset < bytes.count {
            let digit = Int(bytes[offset]) &- 0x30
            guard digit >= 0, digit <= 9 else { break }
            if value >= 922_337_203_685_477_580 {
                let (product, overflow) = value.multipliedReportingOverflow(by: 10)
                let (sum, carry) = product.addingReportingOverflow(digit)
                value = overflow || carry ? .max : sum
            } else {
                value = value &* 10 &+ digit
            }
            offset &+= 1
        }
        return offset > start ? value : nil
    }

    /// Moves past spaces.
    @inline(__always)
    mutating func skipSpaces(in bytes: borrowing Span<UInt8>) {
        while offset < bytes.count, bytes[offset] == 0x20 { offset &+= 1 }
    }

    /// Moves behind the next occurrence of `text` on this line; false, and to the line's end, where there is none.
    mutating func skip(past text: StaticString, in bytes: borrowing Span<UInt8>) -> Bool {
        let length = text.utf8CodeUnitCount
        while offset < bytes.count, bytes[offset] != 0x0A {
            if starts(with: text, in: bytes) {
                offset &+= length
                return true
            }
            offset &+= 1
        }
        return false
    }

    /// Returns whether `text` stands here.
    func starts(with text: StaticString, in bytes: borrowing Span<UInt8>) -> Bool {
        let length = text.utf8CodeUnitCount
        guard bytes.count - offset >= length else { return false }
        for index in 0..<length where unsafe bytes[offset + index] != text.utf8Start[index] { return false }
        return true
    }

    /// Moves to the start of the next line.
    @inline(__always)
    mutating func skipLine(in bytes: borrowing Span<UInt8>) {
        offset = Syscalls.index(after: 0x0A, in: bytes, from: offset)
    }

    @inline(__always)
    private static func endsKey(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x3A || byte == 0x0A
    }

    @inline(__always)
    private static func separates(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x3A
    }
}
