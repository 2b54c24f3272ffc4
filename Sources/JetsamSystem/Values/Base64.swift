/// Base64 (RFC 4648): systemd's, for what to write into a watched file, and that of file names.
package enum Base64 {
    /// The bytes; nil where the text is not base64 with its padding (RFC 4648, section 4).
    package static func decode(_ text: String) -> [UInt8]? {
        let symbols = Array(text.utf8)
        guard symbols.count % 4 == 0 else { return nil }
        let padding = symbols.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        guard padding <= 2 else { return nil }
        var bytes: [UInt8] = []
        var bits: UInt32 = 0, count = 0
        for symbol in symbols.dropLast(padding) {
            guard let value = value(of: symbol) else { return nil }
            bits = bits << 6 | value
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        // What the padding cut off must be zero, or two texts would stand for the same bytes.
        return bits & (1 << UInt32(count) - 1) == 0 ? bytes : nil
    }

    /// The text of the alphabet for file names and without padding (section 5).
    package static func encodeForFileNames(_ bytes: [UInt8]) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        var result: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            bits <<= UInt32(3 - group.count) * 8
            for letter in 0...group.count { result.append(alphabet[Int(bits >> UInt32(18 - letter * 6) & 63)]) }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func value(of symbol: UInt8) -> UInt32? {
        switch symbol {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(symbol - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(symbol - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(symbol - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
