internal import MemoryPressure

/// The kind of change of the date or the time of day, as ``LifecycleObserver/significantTimeChange(_:)`` tells it. Others may be
/// added: give a `switch` a `default`.
public enum SignificantTimeChange: Sendable, CaseIterable {
    /// A day has begun in the local time zone. Told once for all midnights that passed while the process did not run.
    case midnight
    /// The offset of local time from UTC has changed: the time zone was changed, or summer time has begun or ended.
    case timeZone
    /// The wall clock was set, by a second or more.
    case wallClock
}

/// Finds when a day begins in the local time zone, and when the offset of local time from UTC changes. Pure.
struct DayWatch: Sendable {
    private static let day = Int64(86_400_000_000_000)

    /// The last day that has begun, counted from 1970; nil before the first look.
    private var today: Int64?
    private var secondsFromUTC = 0

    /// - Parameters:
    ///   - wallClock: Nanoseconds since 1970.
    ///   - seconds: The number of seconds by which the local time is ahead of UTC then.
    /// - Returns: The changes since the last look.
    mutating func observe(wallClock: Int64, secondsFromUTC seconds: Int) -> [SignificantTimeChange] {
        let new = Self.number(wallClock, seconds)
        guard let today else {
            self.today = new
            secondsFromUTC = seconds
            return []
        }
        var changes: [SignificantTimeChange] = []
        if seconds != secondsFromUTC { changes.append(.timeZone) }
        // By the old zone as well: a change of the zone alone begins no day, and an hour that comes twice begins it once.
        if new > today, Self.number(wallClock, secondsFromUTC) > today { changes.append(.midnight) }
        self.today = new
        secondsFromUTC = seconds
        return changes
    }

    /// Returns the number of nanoseconds from `wallClock` to the next day, if the zone does not change before.
    func untilMidnight(wallClock: Int64) -> Int64 {
        let local = wallClock &+ Int64(secondsFromUTC) &* 1_000_000_000
        return (Self.number(wallClock, secondsFromUTC) + 1) &* Self.day &- local
    }

    private static func number(_ wallClock: Int64, _ seconds: Int) -> Int64 {
        let local = wallClock &+ Int64(seconds) &* 1_000_000_000
        let days = local / day
        return local % day < 0 ? days - 1 : days
    }
}

/// The local time: what has changed in it since the last look, and when to look again.
final class LocalTime: Sendable {
    /// What a look has found.
    struct Look: Sendable {
        let changes: [SignificantTimeChange]
        let secondsFromUTC: Int
        /// The time until the next look.
        let pause: Duration
    }

    /// The zone is looked at this often: nothing tells that it has changed.
    private static let zoneInterval = Duration.seconds(60)

    private let days = Lock(DayWatch())
    private let wallClock: @Sendable () -> Int64
    private let secondsFromUTC: @Sendable (_ wallClock: Int64) -> Int

    init(_ dependencies: LifecycleDependencies) {
        wallClock = dependencies.wallClock
        secondsFromUTC = dependencies.secondsFromUTC
    }

    /// Reads files, and allocates.
    func look() -> Look {
        let wallClock = wallClock()
        let seconds = secondsFromUTC(wallClock)
        return days.withLock { days in
            let changes = days.observe(wallClock: wallClock, secondsFromUTC: seconds)
            let midnight = Duration.nanoseconds(days.untilMidnight(wallClock: wallClock))
            return Look(changes: changes, secondsFromUTC: seconds, pause: min(Self.zoneInterval, midnight))
        }
    }
}
