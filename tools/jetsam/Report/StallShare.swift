internal import MemoryPressure

/// The share of time in which somebody waited for memory, over the last two seconds: as the rule `stall` takes it.
struct StallShare {
    private struct Total {
        var instant: MonotonicInstant
        var microseconds: Int
    }

    private static let window = Duration.seconds(2)
    /// Totals that are nearer to each other than this tell no more, and would fill memory.
    private static let spacing = Duration.milliseconds(20)
    private var totals: [Total] = []

    /// Adds the next total. Returns the share in hundredths of a percent; nil where too little is known.
    mutating func add(_ total: UInt64, at instant: MonotonicInstant) -> Int? {
        let new = Total(instant: instant, microseconds: Int(clamping: total))
        if let last = totals.last {
            // Another kernel's totals, or an earlier instant: begin again.
            if new.microseconds < last.microseconds || instant < last.instant { totals = [] }
        }
        defer {
            if totals.last.map({ $0.instant.advanced(by: Self.spacing) <= instant }) ?? true { totals.append(new) }
        }
        while totals.count > 1, totals[1].instant.advanced(by: Self.window) <= instant { totals.removeFirst() }
        guard let base = totals.first else { return nil }
        let nanoseconds = Int(instant.nanoseconds).subtractingSaturating(Int(base.instant.nanoseconds))
        guard nanoseconds > 0 else { return nil }
        let waited = Double(new.microseconds.subtractingSaturating(base.microseconds)) * 1000
        // A shorter time than the window has no share of it that could be compared.
        let over = max(Double(nanoseconds), Double(Self.window.nanoseconds))
        return Int(min(10_000, waited / over * 10_000))
    }
}
