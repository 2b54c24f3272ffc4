/// The time when a background task expires if it has not ended.
public enum BackgroundTaskExpiry: Sendable, Hashable {
    /// No deadline while the process is active; the process's own once it drains.
    case atTermination

    /// So long after it began, and no later than the process's deadline. Time in which the process did not run (SIGSTOP,
    /// the freezer, a paused machine) does not count while a manager runs. Zero and less expire at once; what is more than
    /// the clock can hold, some 292 years, never does before the process.
    case after(Duration)

    /// Its own time; nil where it has none.
    package var duration: Duration? {
        if case .after(let duration) = self { duration } else { nil }
    }
}
