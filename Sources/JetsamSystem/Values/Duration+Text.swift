extension Duration {
    /// For people, to two or three digits: `250 ms`, `5 s`, `12.3 s`, `4 min 5 s`, `2 h 10 min`, `3 d 4 h`.
    package var shortText: String {
        let nanoseconds = nanoseconds
        guard nanoseconds >= 0 else { return "-" + Duration.nanoseconds(-max(nanoseconds, -.max)).shortText }
        let milliseconds = nanoseconds / 1_000_000 + (nanoseconds % 1_000_000 >= 500_000 ? 1 : 0)
        if nanoseconds < 1_000_000, nanoseconds > 0 { return "\((nanoseconds + 500) / 1000) µs" }
        if nanoseconds == 0 { return "0 s" }
        if milliseconds < 1000 { return "\(milliseconds) ms" }
        if milliseconds < 60_000 {
            let tenths = (milliseconds + 50) / 100
            return tenths % 10 == 0 ? "\(tenths / 10) s" : "\(tenths / 10).\(tenths % 10) s"
        }
        let seconds = (milliseconds + 500) / 1000
        return seconds < 3600
            ? Self.pair(seconds, 60, "min", "s")
            : seconds < 86_400
                ? Self.pair(seconds / 60, 60, "h", "min") : Self.pair(seconds / 3600, 24, "d", "h")
    }

    private static func pair(_ value: Int64, _ factor: Int64, _ large: String, _ small: String) -> String {
        value % factor == 0
            ? "\(value / factor) \(large)" : "\(value / factor) \(large) \(value % factor) \(small)"
    }
}
