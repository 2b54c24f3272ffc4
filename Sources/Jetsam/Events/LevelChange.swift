public import MemoryPressure
internal import Synchronization

/// A change of the level, or its repetition where it sticks.
public struct LevelChange: Sendable, Equatable, CustomStringConvertible {
    /// Shares one numbering with reclaim steps: what happened first has the lower number.
    public var sequence: UInt64
    /// The level before.
    public var previous: PressureLevel
    /// The level now; equal to ``previous`` where this is a repetition.
    public var level: PressureLevel
    /// The rule, the reading and the threshold.
    public var reason: LevelReason
    /// The time when it was decided.
    public var instant: MonotonicInstant
    /// The headroom that was seen, in bytes.
    public var headroomBytes: Int
    /// The number of changes that this observer missed directly before this one, because they came faster than it took them.
    public var missedBefore = 0

    /// The rule that called for the higher level before; nil where the level rose, or another vote holds it where it is.
    package var endedRule: PressureRule?

    /// Counts level changes alone; it is how an observer's gaps are found.
    var ordinal: UInt64 = 0

    /// Indicates whether the level stayed the same and is announced again.
    package var isRepetition: Bool { previous == level }

    /// One line, such as `normal → warning: headroom 98 MiB is below 102.4 MiB (sampler)`.
    public var description: String {
        isRepetition ? "still \(level): \(reason)" : "\(previous) → \(level): \(reason.text(after: endedRule))"
    }
}

/// The level changes of a manager, from when iteration begins. Each iteration keeps the newest 16 that it has not taken yet.
struct LevelChanges: AsyncSequence, Sendable {
    /// The number of changes that an observer may lag behind before it misses the oldest.
    static let capacity = 16

    let broadcast: Broadcast<LevelChange>

    /// Begins to listen.
    func makeAsyncIterator() -> Iterator {
        Iterator(base: broadcast.subscribe().makeAsyncIterator())
    }

    /// Takes the changes in their order, and counts those that were missed.
    struct Iterator: AsyncIteratorProtocol {
        var base: AsyncStream<LevelChange>.AsyncIterator
        private var lastOrdinal: UInt64?

        init(base: AsyncStream<LevelChange>.AsyncIterator) {
            self.base = base
        }

        /// The next change; nil once the manager has stopped.
        mutating func next(isolation actor: isolated (any Actor)?) async -> LevelChange? {
            guard var change = await base.next(isolation: actor) else { return nil }
            if let lastOrdinal { change.missedBefore = Int(clamping: change.ordinal - lastOrdinal - 1) }
            lastOrdinal = change.ordinal
            return change
        }
    }
}

/// The numbers of everything that a manager notifies of, in one sequence.
final class NotificationSequence: Sendable {
    private let newest = Atomic<UInt64>(0)

    /// The next number. Allocates nothing, and takes no lock.
    func next() -> UInt64 { newest.add(1, ordering: .relaxed).newValue }
}
