/// The dimensions of one series as the page shows them: `a="x",b="y"`, by name. The same dimensions in another order are the same
/// series.
struct SeriesLabels: Hashable, Comparable, Sendable {
    let bytes: [UInt8]

    /// - Parameter reserved: A name that the kind of metric has for itself; nil for none.
    init(_ dimensions: [(String, String)], reserved: String?) {
        var used: Set<String> = []
        var labels: [(name: String, value: String)] = []
        for (name, value) in dimensions {
            var wanted = MetricNames.label(name)
            if wanted == reserved { wanted = "exported_" + wanted }
            // Two of one name would make the page unreadable.
            var unique = wanted
            var number = 2
            while !used.insert(unique).inserted {
                unique = "\(wanted)_\(number)"
                number += 1
            }
            labels.append((unique, value))
        }
        labels.sort { $0.name < $1.name }
        var bytes: [UInt8] = []
        for (name, value) in labels {
            if !bytes.isEmpty { bytes.append(UInt8(ascii: ",")) }
            bytes += name.utf8
            bytes += "=\"".utf8
            bytes.appendEscaped(value, quotes: true)
            bytes.append(UInt8(ascii: "\""))
        }
        self.bytes = bytes
    }

    static func < (lhs: SeriesLabels, rhs: SeriesLabels) -> Bool { lhs.bytes.lexicographicallyPrecedes(rhs.bytes) }
}

extension [UInt8] {
    /// Appends a text on one line: backslash and newline are escaped, and the quote where it would end the text. By bytes: a
    /// character may have a newline in it.
    mutating func appendEscaped(_ text: String, quotes: Bool) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\\"): self += #"\\"#.utf8
            case UInt8(ascii: "\n"): self += #"\n"#.utf8
            case UInt8(ascii: "\"") where quotes: self += #"\""#.utf8
            default: append(byte)
            }
        }
    }
}
