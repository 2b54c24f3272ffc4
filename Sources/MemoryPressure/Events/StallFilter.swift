/// Tells a PSI trigger's true events from the false one that a freshly armed unprivileged trigger can fire at once.
struct StallFilter: Sendable, Equatable {
    /// Microseconds of stall that the trigger stands for.
    let threshold: UInt64
    /// The file's total at arming, or at the last event that was let through.
    private var total: UInt64

    init(threshold: Duration, total: UInt64) {
        self.threshold = UInt64(max(0, threshold.nanoseconds / 1000))
        self.total = total
    }

    /// Returns whether an event is true: the total has grown by what the trigger asks for since arming or the last true event.
    mutating func accepts(total new: UInt64) -> Bool {
        guard new >= total else {
            // Another file than before, so its count starts anew.
            total = new
            return false
        }
        guard new - total >= threshold else { return false }
        total = new
        return true
    }
}
