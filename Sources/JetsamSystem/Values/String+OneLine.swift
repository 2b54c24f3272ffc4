extension String {
    /// The text with control characters escaped, fit for a log line.
    package var onOneLine: String {
        unicodeScalars.reduce(into: "") { result, scalar in
            result += scalar.properties.generalCategory == .control ? scalar.escaped(asASCII: true) : String(scalar)
        }
    }
}

extension [String] {
    /// These as the first of `count`, for a line of the log: `a; b; and 3 more`.
    package func listed(of count: Int) -> String {
        joined(separator: "; ") + (!isEmpty && count > self.count ? "; and \(count - self.count) more" : "")
    }
}
