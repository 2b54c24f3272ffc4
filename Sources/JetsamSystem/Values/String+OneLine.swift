extension String {
    /// The text with control characters escaped, fit for a log line.
    package var onOneLine: String {
        unicodeScalars.reduce(into: "") { result, scalar in
            result += scalar.properties.generalCategory == .control ? scalar.escaped(asASCII: true) : String(scalar)
        }
    }
}
