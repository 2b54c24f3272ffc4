internal import MemoryPressure
package import PurgeableCaches

/// The progress of one synchronous client in a step: the bytes that it may still have, and the speed at which it gives.
package struct ReleaseProgress: Equatable {
    /// Bytes that it may be asked for still.
    private(set) var remainingBytes: Int
    /// Bytes that it reported, and is not asked for in this step: one that is known to give nothing is asked for its part alone.
    private var beyondBytes: Int
    /// The time that its handler has worked in this turn.
    private(set) var timeInTurn = Duration.zero
    /// Bytes that it has given.
    private(set) var givenBytes = 0
    /// Indicates whether it may have more: false for one that gave less than it was asked for, or missed its deadline.
    private var mayHaveMore = true
    private(set) var speed: ReleaseSpeed
    /// The most bytes that one call has given in this step.
    private var largestCall = 0

    /// Returns the assumed speed of a client that was never asked, in bytes a second: whole mappings, or small values that are
    /// dropped one by one.
    package static func assumedRate(_ traits: CacheTraits = []) -> Double {
        traits.contains(.unmapping) ? 4e9 : 1e9
    }

    package init(_ part: PlannedRelease, bytes: Int) {
        remainingBytes = min(max(0, bytes), part.givesNothing ? part.askBytes : .max)
        beyondBytes = max(0, bytes) - remainingBytes
        speed = part.speed.atBeginning
    }

    /// Bytes that it reported and has not given.
    var reportedBytes: Int { remainingBytes.addingSaturating(beyondBytes) }

    var canGiveMore: Bool { mayHaveMore && remainingBytes > 0 }

    /// Returns the bytes that it is asked for at a time: no more than twice what it has been seen to give at once; four times where it
    /// is urgent, and nobody waits for it.
    ///
    /// - Parameter othersCanGive: Others may be asked for the same.
    func portionBytes(deadline: Duration, isUrgent: Bool = false, othersCanGive: Bool = true) -> Int {
        let bytes = speed.portionBytes(
            deadline: deadline, assuming: Self.assumedRate(), isUrgent: isUrgent && othersCanGive)
        guard largestCall > 0 else { return bytes }
        // What it gave for an earlier step shows as much.
        let largest = max(largestCall, speed.last?.bytes ?? 0)
        return min(bytes, max(ReleaseSpeed.leastPortion, (isUrgent ? 4 : 2) * largest))
    }

    mutating func beginTurn() {
        timeInTurn = .zero
    }

    package mutating func gave(_ bytes: Int, of asked: Int, in time: Duration) {
        remainingBytes = max(0, remainingBytes - bytes)
        givenBytes = givenBytes.addingSaturating(bytes)
        largestCall = max(largestCall, bytes)
        timeInTurn += time
        if bytes < asked { mayHaveMore = false }
        speed.note(bytes, in: time)
    }

    /// It gave after its deadline.
    mutating func gaveLate(_ bytes: Int, in time: Duration) {
        givenBytes = givenBytes.addingSaturating(bytes)
        speed.note(bytes, in: time)
    }

    /// It gave what an earlier step had asked for.
    ///
    /// - Parameter left: What it has still; nil where that is not known. It may have reported a part of what it gave before this step.
    mutating func gaveForEarlier(_ bytes: Int, leaving left: Int?) {
        guard let left else {
            remainingBytes = max(0, remainingBytes - bytes)
            return
        }
        remainingBytes = left
        beyondBytes = 0
    }

    /// It gave without being called.
    mutating func gaveBeside(_ bytes: Int) {
        remainingBytes = max(0, remainingBytes - bytes)
        givenBytes = givenBytes.addingSaturating(bytes)
    }

    package mutating func missed() {
        mayHaveMore = false
    }
}
