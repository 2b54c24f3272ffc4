/// How background tasks expire: `BackgroundTaskRegistry.Configuration`.
public struct BackgroundTaskConfiguration: Sendable, Hashable {
    /// How long before its deadline a task is told, at most: never more than a tenth of its expiry, so that short ones
    /// are not told at once. 0…60 s, default 500 ms.
    public var lead = Duration.milliseconds(500)
    /// How long after its deadline a task that has not ended is overdue. 0…3600 s, default 2 s.
    public var grace = Duration.seconds(2)
    /// Whether an overdue task still holds up suspension and the end of the process (until its deadline). Default false.
    public var overdueTasksHold = false
    /// After how long a manager reports a task that is still held: once for each, by one notice in the log and in
    /// ``BackgroundTaskStatistics/longHeld``. It expires none. 1 s…1 h, default 15 min; nil for never.
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
