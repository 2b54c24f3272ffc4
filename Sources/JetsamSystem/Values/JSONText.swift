/// A JSON value that keeps the order of its keys and writes itself on one line.
package enum JSONText: CustomStringConvertible, Sendable {
    case null
    case bool(Bool)
    case integer(Int)
    /// Written with three decimals.
    case number(Double)
    case string(String)
    case array([JSONText])
    case object([(String, JSONText)])

    package static func integer(_ value: Int?) -> JSONText { value.map { .integer($0) } ?? .null }
    package static func bool(_ value: Bool?) -> JSONText { value.map { .bool($0) } ?? .null }
    package static func string(_ value: String?) -> JSONText { value.map { .string($0) } ?? .null }

    package var description: String {
        switch self {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .integer(let value): "\(value)"
        case .number(let value): "\((value * 1000).rounded() / 1000)"
        case .string(let value): Self.quoted(value)
        case .array(let values): "[" + values.map(\.description).joined(separator: ",") + "]"
        case .object(let pairs):
            "{" + pairs.map { "\(Self.quoted($0.0)):\($0.1)" }.joined(separator: ",") + "}"
        }
    }

    private static func quoted(_ text: String) -> String {
        var bytes = [UInt8(ascii: "\"")]
        escape(text) { bytes.append($0) }
        bytes.append(UInt8(ascii: "\""))
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Gives the bytes of a text as they stand between the quotes of a JSON string: at most six for each of its own.
    package static func escape(_ text: String, _ put: (UInt8) -> Void) {
        func putEscape(_ character: Unicode.Scalar) {
            put(UInt8(ascii: "\\"))
            put(UInt8(ascii: character))
        }
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": putEscape("\"")
            case "\\": putEscape("\\")
            case "\n": putEscape("n")
            case "\t": putEscape("t")
            case "\r": putEscape("r")
            // The second range is no business of JSON's, but a terminal would obey it.
            case _ where scalar.value < 0x20 || 0x7F...0x9F ~= scalar.value:
                putEscape("u")
                scalar.value.padded(to: 4, radix: 16).utf8.forEach(put)
            default: UTF8.encode(scalar)?.forEach(put)
            }
        }
    }
}

/// What a value holds.
extension JSONText {
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

extension JSONText {
    /// Bytes, times and counts of a run are far less.
    private static let largestFigure = 1e15

    /// A sentence on the first figure in it that no run has; nil where there is none. Figures that somebody wrote by hand are looked at
    /// once, before they are reckoned with.
    package var wildFigure: String? {
        guard let (key, value) = firstNumber(beyond: Self.largestFigure) else { return nil }
        return "\(key) is \(value): a figure of such a table is no larger than \(Int(Self.largestFigure))"
    }

    /// The first number in it that is beyond `bound`, above or below 0, or is none at all, with the key under which it stands; nil where
    /// there is none.
    private func firstNumber(beyond bound: Double) -> (key: String, value: JSONText)? {
        switch self {
        case .null, .bool, .string: return nil
        case .integer(let value): return Double(value.magnitude) > bound ? ("", self) : nil
        case .number(let value): return value.magnitude <= bound ? nil : ("", self)
        case .array(let values):
            for value in values { if let found = value.firstNumber(beyond: bound) { return found } }
        case .object(let pairs):
            for (key, value) in pairs {
                if let found = value.firstNumber(beyond: bound) {
                    return (found.key.isEmpty ? key : found.key, found.value)
                }
            }
        }
        return nil
    }
}
