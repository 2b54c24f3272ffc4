/// The kind of change of the date or the time of day, as ``LifecycleObserver/significantTimeChange(_:)`` tells it. Others may be
/// added: give a `switch` a `default`.
public enum SignificantTimeChange: Sendable, CaseIterable {
    /// A day has begun in the local time zone. Told once for all midnights that passed while the process did not run.
    case midnight
    /// The local time is ahead of UTC by another time than before: the time zone was changed, or summer time has begun or ended.
    case timeZone
    /// The wall clock was set, by a second or more.
    case wallClock
}
