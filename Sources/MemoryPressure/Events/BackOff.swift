/// The time to wait before the next try: one second, doubled with each failure, at most a minute.
struct BackOff: Sendable, Equatable {
    private var next = Duration.seconds(1)

    /// The wait after one more failure.
    mutating func failed() -> Duration {
        defer { next = min(next * 2, .seconds(60)) }
        return next
    }

    /// A success that lasted: the next failure starts from one second again.
    mutating func succeeded() {
        next = .seconds(1)
    }
}
