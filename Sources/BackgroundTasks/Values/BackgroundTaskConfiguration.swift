/// The settings for how a ``BackgroundTaskRegistry``'s tasks expire.
public struct BackgroundTaskConfiguration: Sendable, Hashable {
    /// The longest time between the call of a task's expiration handler and its deadline. It is never more than a tenth of the
    /// expiry, so that short tasks are not notified at once. 0…60 s, default 500 ms.
    ///
    /// Why: Time to stop the work before the deadline. At most a tenth of the expiry, so that short tasks are not
    /// notified at once.
    public var lead = Duration.milliseconds(500)
    /// The time after its deadline from which a task that has not ended is overdue. 0…3600 s, default 2 s.
    ///
    /// Why: Time to end after the deadline, before the task is overdue. The termination grace period includes it, but
    /// gives it at most a quarter.
    public var grace = Duration.seconds(2)
    /// Indicates whether an overdue task still holds up suspension and the end of the process (until the process's deadline).
    /// Default false.
    ///
    /// Why: A task that never ends does not use up the grace period of the others.
    public var overdueTasksHold = false
    /// The time after which a manager reports a task that is still held. Each is reported once, by one notice in the log and in
    /// ``BackgroundTaskStatistics/longHeld``. The report expires none. 1 s…1 h, default 15 min; nil for never.
    ///
    /// Why: Longer than most work that must not be cut off, so the end may have been forgotten. This causes only a
    /// notice.
    public var longHeldAfter: Duration? = .seconds(900)

    /// The documented defaults.
    public init() {}

    /// Held to their ranges: a registry has no error to throw where it is made.
    package var bounded: Self {
        var copy = self
        copy.lead = min(max(lead, .zero), .seconds(60))
        copy.grace = min(max(grace, .zero), .seconds(3600))
        copy.longHeldAfter = longHeldAfter.map { min(max($0, .seconds(1)), .seconds(3600)) }
        return copy
    }
}
