internal import MemoryPressure

/// Cuts a move into steps with absolute deadlines, so that neither a long step nor a late wake-up changes the average.
struct Pacer {
    private let start: MonotonicInstant
    private let bytesPerSecond: Double?
    private let total: Int
    private let chunk: Int
    private var handedOut = 0

    static let largestChunk = 1 << 20

    /// A step is what the rate gives in a millisecond, in whole pages, at most 1 MiB.
    init(total: Int, rate: Rate, pageSize: Int, from start: MonotonicInstant) {
        self.start = start
        self.total = total
        bytesPerSecond = rate.bytesPerSecond.map(Double.init)
        let perMillisecond = rate.bytesPerSecond.map { $0 / 1000 } ?? Self.largestChunk
        let pages = min(max(perMillisecond, pageSize), Self.largestChunk) / pageSize
        chunk = max(pages, 1) * pageSize
    }

    /// The bytes of the next step, and when the step after it is due; nil once all is handed out.
    mutating func next() -> (bytes: Int, nextDue: MonotonicInstant)? {
        guard handedOut < total else { return nil }
        let bytes = min(chunk, total - handedOut)
        handedOut += bytes
        guard let bytesPerSecond else { return (bytes, start) }
        let offset = Int64((Double(handedOut) / bytesPerSecond * 1e9).rounded(.up))
        return (bytes, start.advanced(by: .nanoseconds(offset)))
    }
}
