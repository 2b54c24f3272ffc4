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
    /// For any bytes, it reads each one once, and takes memory in proportion to their number.
    package init(parsing bytes: [UInt8]) throws(Mistake) {
        let result = unsafe bytes.withUnsafeBytes { bytes -> Result<JSONText, Mistake> in
            var scanner = unsafe JSONScanner(bytes)
            let value = scanner.value(depth: 0)
            scanner.skipSpaces()
            if let value, scanner.isAtEnd { return .success(value) }
            scanner.fail("something follows the value")
            return .failure(Mistake(what: scanner.failure ?? "it is no JSON", offset: scanner.offset))
        }
        self = try result.get()
    }
}

/// Values of any kind, which may hold others. Nil where something is wrong, with the reason in ``JSONScanner/failure``.
extension JSONScanner {
    fileprivate mutating func value(depth: Int) -> JSONText? {
        guard depth <= JSONText.maximumDepth else { return refuse("it is nested too deeply") }
        skipSpaces()
        if isAtEnd { return refuse("it ends too early") }
        if consume("{") { return object(depth: depth) }
        if consume("[") { return array(depth: depth) }
        if isNext("\"") { return string().map { .string($0) } }
        if consume("true") { return .bool(true) }
        if consume("false") { return .bool(false) }
        if consume("null") { return .null }
        return anyNumber()
    }

    private mutating func refuse(_ message: String) -> JSONText? {
        fail(message)
        return nil
    }

    private mutating func object(depth: Int) -> JSONText? {
        var pairs: [(String, JSONText)] = []
        skipSpaces()
        if consume("}") { return .object(pairs) }
        while true {
            skipSpaces()
            guard isNext("\"") else { return refuse("a key was expected") }
            guard let key = string() else { return nil }
            skipSpaces()
            guard consume(":") else { return refuse("':' was expected") }
            guard let value = value(depth: depth + 1) else { return nil }
            pairs.append((key, value))
            skipSpaces()
            if consume("}") { return .object(pairs) }
            guard consume(",") else { return refuse("',' or '}' was expected") }
        }
    }

    private mutating func array(depth: Int) -> JSONText? {
        var values: [JSONText] = []
        skipSpaces()
        if consume("]") { return .array(values) }
        while true {
            guard let value = value(depth: depth + 1) else { return nil }
            values.append(value)
            skipSpaces()
            if consume("]") { return .array(values) }
            guard consume(",") else { return refuse("',' or ']' was expected") }
        }
    }

    /// A number with a fraction or an exponent, or one that fits no `Int`, is real.
    private mutating func anyNumber() -> JSONText? {
        let text = text(numberText())
        guard let first = text.utf8.first else { return refuse("no value begins so") }
        if let value = Int(text), first != UInt8(ascii: "+") { return .integer(value) }
        guard first == UInt8(ascii: "-") || (0x30...0x39).contains(first), let value = Double(text), value.isFinite
        else { return refuse("'\(text.prefix(40))' is not a number") }
        return .number(value)
    }
}
