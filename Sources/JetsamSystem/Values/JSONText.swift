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
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            case "\r": result += "\\r"
            // The second range is no business of JSON's, but a terminal would obey it.
            case _ where scalar.value < 0x20 || 0x7F...0x9F ~= scalar.value:
                let hex = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
