package import MemoryPressure

extension JSONText {
    /// Why a text is no JSON, and at which byte.
    package struct Mistake: Error, Sendable, Equatable, CustomStringConvertible {
        package var what: String
        package var offset: Int
        package var description: String { "\(what) at byte \(offset)" }
    }

    /// The deepest that arrays and objects may be nested.
    package static let maximumDepth = 32

    /// Reads one value, with nothing but blanks around it. Numbers with a fraction or an exponent, and those that do not
    /// fit an `Int`, become ``number(_:)``.
    ///
    /// Whatever the bytes are, it ends after a look at each of them and takes memory in proportion to their number.
    package init(parsing bytes: [UInt8]) throws(Mistake) {
        var scanner = JSONScanner(bytes: bytes)
        self = try scanner.value(depth: 0)
        try scanner.expectEnd()
    }

    /// The value of a key; nil where there is none, or this is no object.
    package subscript(key: String) -> JSONText? {
        if case .object(let pairs) = self { pairs.first { $0.0 == key }?.1 } else { nil }
    }

    /// A whole number; nil where it is something else.
    package var integer: Int? { if case .integer(let value) = self { value } else { nil } }
    /// A number of either kind.
    package var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }
    package var string: String? { if case .string(let value) = self { value } else { nil } }
    package var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The elements; none where it is no array.
    package var elements: [JSONText] { if case .array(let values) = self { values } else { [] } }
    /// The keys and values in their order; none where it is no object.
    package var pairs: [(String, JSONText)] { if case .object(let pairs) = self { pairs } else { [] } }
}

/// Goes over the bytes of a JSON text once.
private struct JSONScanner {
    let bytes: [UInt8]
    var position = 0

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private func mistake(_ what: String) -> JSONText.Mistake { .init(what: what, offset: position) }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipBlanks() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    private mutating func consume(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    mutating func expectEnd() throws(JSONText.Mistake) {
        skipBlanks()
        guard position == bytes.count else { throw mistake("something follows the value") }
    }

    mutating func value(depth: Int) throws(JSONText.Mistake) -> JSONText {
        guard depth <= JSONText.maximumDepth else { throw mistake("it is nested too deeply") }
        skipBlanks()
        switch next {
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case nil: throw mistake("it ends too early")
        default: return try number()
        }
    }

    private mutating func word(_ text: StaticString, _ value: JSONText) throws(JSONText.Mistake) -> JSONText {
        guard bytes[position...].starts(with: Array(text.description.utf8)) else { throw mistake("no value begins so") }
        position += text.utf8CodeUnitCount
        return value
    }

    private mutating func object(depth: Int) throws(JSONText.Mistake) -> JSONText {
        position += 1
        var pairs: [(String, JSONText)] = []
        skipBlanks()
        if consume("}") { return .object(pairs) }
        while true {
            skipBlanks()
            guard next == UInt8(ascii: "\"") else { throw mistake("a key was expected") }
            let key = try string()
            skipBlanks()
            guard consume(":") else { throw mistake("':' was expected") }
            pairs.append((key, try value(depth: depth + 1)))
            skipBlanks()
            if consume("}") { return .object(pairs) }
            guard consume(",") else { throw mistake("',' or '}' was expected") }
        }
    }

    private mutating func array(depth: Int) throws(JSONText.Mistake) -> JSONText {
        position += 1
        var values: [JSONText] = []
        skipBlanks()
        if consume("]") { return .array(values) }
        while true {
            values.append(try value(depth: depth + 1))
            skipBlanks()
            if consume("]") { return .array(values) }
            guard consume(",") else { throw mistake("',' or ']' was expected") }
        }
    }

    private mutating func number() throws(JSONText.Mistake) -> JSONText {
        let start = position
        var isWhole = true
        guard let first = next, first == UInt8(ascii: "-") || 0x30...0x39 ~= first else {
            throw mistake("no value begins so")
        }
        while let byte = next {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): break
            case UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"), UInt8(ascii: "+"): isWhole = false
            default: return try number(start, isWhole)
            }
            position += 1
        }
        return try number(start, isWhole)
    }

    private func number(_ start: Int, _ isWhole: Bool) throws(JSONText.Mistake) -> JSONText {
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if isWhole, let value = Int(text) { return .integer(value) }
        guard let value = Double(text), value.isFinite else { throw mistake("'\(text.prefix(40))' is no number") }
        return .number(value)
    }

    private mutating func string() throws(JSONText.Mistake) -> String {
        position += 1
        var text: [UInt8] = []
        while let byte = next {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"): text += Array(String(try escaped()).utf8)
            case 0..<0x20: throw mistake("a control character stands in a string")
            default: text.append(byte)
            }
        }
        throw mistake("a string does not end")
    }

    private mutating func escaped() throws(JSONText.Mistake) -> Unicode.Scalar {
        guard let byte = next else { throw mistake("a string does not end") }
        position += 1
        switch byte {
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "u"): return try unicode()
        default: throw mistake("'\\' is followed by what it cannot be")
        }
    }

    private mutating func unicode() throws(JSONText.Mistake) -> Unicode.Scalar {
        let first = try hexadecimal()
        if let scalar = Unicode.Scalar(first) { return scalar }
        // Half of a pair of UTF-16: the other half has to follow.
        guard first < 0xDC00, consume("\\"), consume("u") else { throw mistake("half of a character stands alone") }
        let second = try hexadecimal()
        guard 0xDC00..<0xE000 ~= second else { throw mistake("half of a character stands alone") }
        let value = 0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)
        guard let scalar = Unicode.Scalar(value) else { throw mistake("half of a character stands alone") }
        return scalar
    }

    private mutating func hexadecimal() throws(JSONText.Mistake) -> UInt32 {
        guard bytes.count - position >= 4 else { throw mistake("a string does not end") }
        let digits = bytes[position..<position + 4]
        guard digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let value = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw mistake("four hexadecimal digits were expected") }
        position += 4
        return value
    }
}
