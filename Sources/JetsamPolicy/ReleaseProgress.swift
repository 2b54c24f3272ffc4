internal import MemoryPressure
package import PurgeableCaches

/// The progress of one synchronous client in a step: the bytes that it may still have, and the speed at which it gives.
package struct ReleaseProgress: Equatable {
    /// Bytes that it reported and has not given.
    private(set) var remainingBytes: Int
    /// The time that its handler has worked in this turn.
    private(set) var timeInTurn = Duration.zero
    /// Indicates whether it may have more: false for one that gave less than it was asked for, or missed its deadline.
    private var mayHaveMore = true
    private var bytesPerSecond: Double?

    /// Asked for at a time, it is expected to give in this part of its deadline.
    private static let deadlineShare = 4
    /// Returns the assumed speed of a client that was never asked, in bytes a second: whole mappings, or small values that are
    /// dropped one by one.
    package static func assumedRate(_ traits: CacheTraits = []) -> Double {
        traits.contains(.unmapping) ? 4e9 : 1e9
    }

    /// Smaller portions would be more calls than help.
    static let leastPortion = 4 << 20
    /// Less says nothing about how fast it is.
    private static let leastMeasured = 1 << 20

    package init(_ part: PlannedRelease, bytes: Int) {
        remainingBytes = max(0, bytes)
        bytesPerSecond = part.bytesPerSecond
    }

    var canGiveMore: Bool { mayHaveMore && remainingBytes > 0 }

    /// Returns the bytes that it is asked for at a time.
    func portionBytes(deadline: Duration) -> Int {
        let seconds = Double(deadline.nanoseconds) * 1e-9 / Double(Self.deadlineShare)
        let bytes = (bytesPerSecond ?? Self.assumedRate()) * seconds
        return max(Self.leastPortion, Int(saturating: bytes))
    }

    mutating func beginTurn() {
        timeInTurn = .zero
    }

    package mutating func gave(_ bytes: Int, of asked: Int, in time: Duration) {
        remainingBytes = max(0, remainingBytes - bytes)
        timeInTurn += time
        if bytes < asked { mayHaveMore = false }
        if let rate = Self.rate(bytes, time) { bytesPerSecond = rate }
    }

    /// It gave without being called.
    mutating func gaveBeside(_ bytes: Int) {
        remainingBytes = max(0, remainingBytes - bytes)
    }

    package mutating func missed() {
        mayHaveMore = false
    }

    /// Bytes a second; nil where it was too little to tell.
    package static func rate(_ bytes: Int, _ time: Duration) -> Double? {
        guard bytes >= leastMeasured else { return nil }
        return Double(bytes) / (Double(max(1_000, time.nanoseconds)) * 1e-9)
    }
}
