internal import CLinuxShims

/// An instant on the kernel's monotonic clock (`CLOCK_MONOTONIC`), which stands still while the machine is suspended.
public struct MonotonicInstant: InstantProtocol, Hashable, Sendable {
    /// Nanoseconds since an arbitrary start, most often the boot of the machine.
    public var nanoseconds: Int64

    /// An instant that many nanoseconds after the clock's arbitrary start.
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// This instant moved by `duration`, which may be negative.
    public func advanced(by duration: Duration) -> MonotonicInstant {
        let (sum, overflow) = nanoseconds.addingReportingOverflow(duration.nanoseconds)
        return MonotonicInstant(nanoseconds: overflow ? (duration < .zero ? .min : .max) : sum)
    }

    /// The time from this instant to `other`; negative where `other` is earlier.
    public func duration(to other: MonotonicInstant) -> Duration {
        .nanoseconds(other.nanoseconds &- nanoseconds)
    }

    /// Returns whether `lhs` is earlier than `rhs`.
    public static func < (lhs: MonotonicInstant, rhs: MonotonicInstant) -> Bool {
        lhs.nanoseconds < rhs.nanoseconds
    }
}

/// The source of the time. The real one is `CLOCK_MONOTONIC`; tests move one by hand.
public protocol MonotonicClock: Sendable {
    /// The present instant. It never goes back.
    var now: MonotonicInstant { get }
}

/// `CLOCK_MONOTONIC`, read precisely: the coarse clock runs 4 to 6 ms behind, and nothing may be judged early.
package struct SystemMonotonicClock: MonotonicClock {
    package init() {}

    package var now: MonotonicInstant {
        MonotonicInstant(nanoseconds: jetsam_monotonic_ns())
    }
}

/// `CLOCK_REALTIME` in nanoseconds since 1970: only to see that somebody has set it, never to measure time with.
package func wallClockNanoseconds() -> Int64 { jetsam_realtime_ns() }

/// Returns the number of seconds by which the local time is ahead of UTC, as the C library tells it at that time of the wall
/// clock. The zone is that of `TZ` or of the machine. It is read anew where it has changed, which opens files and allocates.
///
/// - Parameter wallClock: Nanoseconds since 1970.
package func localSecondsFromUTC(wallClock: Int64) -> Int {
    Int(jetsam_seconds_from_utc(wallClock / 1_000_000_000))
}
