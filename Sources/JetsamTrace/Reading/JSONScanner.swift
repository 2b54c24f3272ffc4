internal import Jetsam

/// The tokens of a JSON text, from left to right. Bounded by the text: nothing is built but the strings that are asked for.
@safe
struct JSONScanner {
    private let bytes: UnsafeRawBufferPointer
    private let count: Int
    var offset = 0
    /// What was wrong first.
    private(set) var failure: String?

    init(_ bytes: UnsafeRawBufferPointer) {
        unsafe self.bytes = unsafe bytes
        count = bytes.count
    }

    @inline(__always)
    private func byte(_ offset: Int) -> UInt8 { unsafe bytes[offset] }

    var isAtEnd: Bool { offset >= count }

    mutating func fail(_ message: String) {
        failure = failure ?? message
    }

    mutating func skipSpaces() {
        while offset < count {
            let byte = byte(offset)
            guard byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d else { return }
            offset &+= 1
        }
    }

    @inline(__always)
    mutating func consume(_ literal: StaticString) -> Bool {
        let length = literal.utf8CodeUnitCount
        guard count &- offset >= length else { return false }
        for index in 0..<length where unsafe bytes[offset &+ index] != literal.utf8Start[index] { return false }
        offset &+= length
        return true
    }

    /// Returns whether this character comes next.
    func isNext(_ character: Unicode.Scalar) -> Bool {
        offset < count && byte(offset) == UInt8(ascii: character)
    }

    func text(_ range: Range<Int>) -> String {
        unsafe String(decoding: UnsafeRawBufferPointer(rebasing: bytes[range]), as: UTF8.self)
    }

    @inline(__always)
    func isEqual(_ range: Range<Int>, _ expected: StaticString) -> Bool {
        guard range.count == expected.utf8CodeUnitCount else { return false }
        for index in 0..<range.count
        where unsafe bytes[range.lowerBound &+ index] != expected.utf8Start[index] { return false }
        return true
    }

    /// Passes what stands in quotes, whose first is behind; nil where the line ends before the second.
    mutating func name() -> Range<Int>? {
        let start = offset
        while offset < count, byte(offset) != UInt8(ascii: "\"") { offset &+= 1 }
        let range = start..<offset
        return consume("\"") ? range : nil
    }

    mutating func skipValue() {
        if consume("\"") {
            while offset < count, byte(offset) != UInt8(ascii: "\"") {
                offset &+= byte(offset) == UInt8(ascii: "\\") ? 2 : 1
            }
            offset = min(offset, count)
            if !consume("\"") { fail("a string does not end") }
        } else if !consume("true"), !consume("false"), !consume("null") {
            if numberText().isEmpty { fail("a number, a string, true, false or null is expected") }
        }
    }

    /// Passes what may be of a number.
    mutating func numberText() -> Range<Int> {
        let start = offset
        while offset < count, Self.isOfNumber(byte(offset)) { offset &+= 1 }
        return start..<offset
    }

    /// A whole number that 64 bits can hold.
    mutating func number() -> Int? {
        let isNegative = consume("-")
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
}

/// Strings, with their escapes undone.
extension JSONScanner {
    mutating func string() -> String? {
        guard consume("\"") else {
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
            case 0..<0x20:
                fail("a control character stands in a string")
                return nil
            default: result.append(byte)
            }
        }
        fail("a string does not end")
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
            if consume("\\u"), let second = fourDigits(), (0xdc00..<0xe000).contains(second) {
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
}
