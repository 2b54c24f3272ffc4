package import MemoryPressure

/// Tells when the wall clock was set: its distance to the monotonic clock jumps, while slewing hardly moves it.
package struct WallClockWatch {
    private var distance: Int64?

    package init() {}

    /// Less than this between two looks is slewing: the kernel slews by at most half a millisecond a second.
    static let leastChange = Int64(1_000_000_000)

    /// - Parameter wallClock: Nanoseconds since 1970.
    /// - Returns: The time by which the wall clock was set since the last look, negative where it went back; nil where it was not
    ///   set.
    package mutating func observe(wallClock: Int64, at now: MonotonicInstant) -> Duration? {
        let new = wallClock &- now.nanoseconds
        guard let old = distance else {
            distance = new
            return nil
        }
        distance = new
        let change = new &- old
        return change.magnitude >= Self.leastChange.magnitude ? .nanoseconds(change) : nil
    }
}
