internal import MemoryPressure

/// What `wrk` says at its end.
struct LoadReport: Equatable {
    /// Requests that were answered, whatever the answer.
    var requests = 0
    /// Answers other than 2xx and 3xx.
    var refused = 0
    /// Requests whose connection broke or that were not answered in time.
    var broken = 0
    /// The latency that 99 of 100 requests stay below, in milliseconds; nil where it is not told.
    var p99Milliseconds: Double?

    /// - Parameter text: What `wrk --latency` wrote. What is missing from it counts as 0.
    init(_ text: String) {
        for line in text.split(separator: "\n") {
            let words = line.split { " ,:\t".contains($0) }
            if line.contains(" requests in "), let first = words.first { requests = Int(first) ?? 0 }
            if line.contains("Non-2xx"), let last = words.last { refused = Int(last) ?? 0 }
            if line.contains("Socket errors") { broken = Self.count("read", words) + Self.count("timeout", words) }
            if words.first == "99%", words.count > 1 { p99Milliseconds = Self.milliseconds(words[1]) }
        }
    }

    private static func count(_ name: Substring, _ words: [Substring]) -> Int {
        guard let index = words.firstIndex(of: name), index + 1 < words.count else { return 0 }
        return Int(words[index + 1]) ?? 0
    }

    /// A time as `wrk` writes it: `850.00us`, `1.23ms`, `2.50s`, `1.10m`.
    static func milliseconds(_ text: Substring) -> Double? {
        let digits = text.prefix { $0.isNumber || $0 == "." }
        let units: [Substring: Double] = ["us": 0.001, "ms": 1, "s": 1000, "m": 60_000]
        guard let number = Double(digits), let unit = units[text.dropFirst(digits.count)] else { return nil }
        return number * unit
    }
}
