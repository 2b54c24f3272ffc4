public import MemoryPressure
internal import Synchronization

/// A clock that stands still until it is moved by hand.
public final class ManualClock: MonotonicClock {
    private let nanoseconds: Atomic<Int64>

    /// A clock that shows `start`; by default one hour, so that a test can also look back.
    public init(start: MonotonicInstant = MonotonicInstant(nanoseconds: 3_600_000_000_000)) {
        nanoseconds = Atomic(start.nanoseconds)
    }

    /// The instant that it shows.
    public var now: MonotonicInstant {
        MonotonicInstant(nanoseconds: nanoseconds.load(ordering: .acquiring))
    }

    /// Moves it on. A negative duration is a programming error and traps: a monotonic clock never goes back.
    public func advance(by duration: Duration) {
        precondition(duration >= .zero, "a monotonic clock cannot go back by \(duration)")
        nanoseconds.add(duration.nanoseconds, ordering: .acquiringAndReleasing)
    }

    /// Moves it on to `instant`; does nothing where it is later already.
    public func advance(to instant: MonotonicInstant) {
        if now < instant { nanoseconds.store(instant.nanoseconds, ordering: .releasing) }
    }
}
