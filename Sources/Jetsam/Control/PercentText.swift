/// Text as one word of printable ASCII: what is not that, a blank and `%` become `%` and the two hexadecimal digits of each byte.
enum PercentText {
    static func encoded(_ text: String) -> String {
        var result = ""
        for byte in text.utf8 {
            if 0x21...0x7E ~= byte, byte != UInt8(ascii: "%") {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                result += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return result
    }

    /// Returns the text; nil where a `%` has not two hexadecimal digits after it, or the bytes are not UTF-8.
    static func decoded(_ word: String) -> String? {
        var bytes: [UInt8] = []
        var rest = Substring(word).utf8
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = rest.prefix(2)
            guard digits.count == 2, let high = digits.first?.hexadecimal, let low = digits.last?.hexadecimal else {
                return nil
            }
            bytes.append(high << 4 | low)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

extension UInt8 {
    /// The value of an ASCII hexadecimal digit; nil for another character.
    fileprivate var hexadecimal: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
