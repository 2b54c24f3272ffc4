/// The settings for how a ``BackgroundTaskRegistry``'s tasks expire.
public struct BackgroundTaskConfiguration: Sendable, Hashable {
    /// The longest time between the call of a task's expiration handler and its deadline. It is never more than a tenth of the
    /// expiry, so that short tasks are not told at once. 0…60 s, default 500 ms.
    ///
    /// Why: Time to bring work to an end before the deadline; at most a tenth of the expiry, so that short ones are not
    /// told at once.
    public var lead = Duration.milliseconds(500)
    /// The time after its deadline from which a task that has not ended is overdue. 0…3600 s, default 2 s.
    ///
    /// Why: Time to end after the deadline, before it is reported. The termination grace period keeps room for it, a
    /// quarter of itself at most.
    public var grace = Duration.seconds(2)
    /// Indicates whether an overdue task still holds up suspension and the end of the process (until the process's deadline).
    /// Default false.
    ///
    /// Why: One that never ends does not take the rest of the grace period from those that would.
    public var overdueTasksHold = false
    /// The time after which a manager reports a task that is still held. Each is reported once, by one notice in the log and in
    /// ``BackgroundTaskStatistics/longHeld``. The report expires none. 1 s…1 h, default 15 min; nil for never.
    ///
    /// Why: Longer than most work that must not be cut off: who holds on longer may have forgotten to end. Only a
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
