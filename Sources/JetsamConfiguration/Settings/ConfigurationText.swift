internal import MemoryPressure

/// The form of values in files and in the environment.
package enum ConfigurationText {
    /// Units of time in nanoseconds, the largest first.
    private static let units: [(name: String, nanoseconds: Int64)] = [
        ("h", 3_600_000_000_000), ("m", 60_000_000_000), ("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000),
        ("ns", 1),
    ]

    /// A number of at most 18 digits with at most one point, and a unit; 0 needs none. Exact down to the nanosecond, and nil
    /// for what is not.
    package static func duration(_ text: String) -> Duration? {
        if text == "0" { return .zero }
        let number = text.prefix { ("0"..."9").contains($0) || $0 == "." }
        guard let unit = units.first(where: { $0.name == text[number.endIndex...] }) else { return nil }
        let parts = number.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = Int64(parts[0]), parts[0].utf8.count <= 18 else { return nil }
        let (product, overflow) = whole.multipliedReportingOverflow(by: unit.nanoseconds)
        guard !overflow else { return nil }
        var rest: Int64 = 0
        if parts.count == 2 {
            var place = unit.nanoseconds
            guard !parts[1].isEmpty, parts[1].utf8.count <= 18 else { return nil }
            for digit in parts[1].utf8 {
                guard (0x30...0x39).contains(digit) else { return nil }
                guard place % 10 == 0 || digit == 0x30 else { return nil }
                place /= 10
                rest += Int64(digit - 0x30) * place
            }
        }
        let (sum, carried) = product.addingReportingOverflow(rest)
        return carried ? nil : .nanoseconds(sum)
    }

    /// In the largest unit that it is a whole number of.
    static func text(duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let (nanoseconds, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow, nanoseconds != 0 || attoseconds != 0 else { return overflow ? "\(seconds)s" : "0s" }
        let sum = nanoseconds + attoseconds / 1_000_000_000
        let unit = units.first { sum % $0.nanoseconds == 0 } ?? ("ns", 1)
        return "\(sum / unit.nanoseconds)\(unit.name)"
    }

    static func bytes(_ text: String) -> Int? {
        // A blank may stand between number and unit, and nowhere else.
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 1 || parts.count == 2 && parts[1].first?.isLetter == true else { return nil }
        return Int(text) ?? ByteCount(parsing: text)?.bytes
    }

    /// In the largest binary unit that it is a whole number of.
    static func text(bytes: Int) -> String {
        for (name, shift) in [("GiB", 30), ("MiB", 20), ("KiB", 10)] where bytes > 0 && bytes % (1 << shift) == 0 {
            return "\(bytes >> shift)\(name)"
        }
        return "\(bytes)"
    }

    /// In double quotes, as both YAML and JSON read it.
    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\" + String(scalar)
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            case "\r": result += "\\r"
            case _
            where scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || scalar.value == 0xFEFF
                || (0x2028...0x2029).contains(scalar.value) || (0xFFFE...0xFFFF).contains(scalar.value):
                result += "\\u" + scalar.value.padded(to: 4, radix: 16)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
