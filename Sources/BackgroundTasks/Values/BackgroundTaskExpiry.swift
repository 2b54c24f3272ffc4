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

    /// The reasons why a background task expires. Others may be added: give a `switch` a `default`.
    public enum Reason: UInt8, Sendable {
        /// Its own deadline is near, or that of the life-cycle callback that began it.
        case deadline
        /// The process is on its way out, and the end of its waiting is near.
        case draining
        /// The process's time in the background is nearly over. The process is suspended then, and may go on later.
        case backgroundTime
        /// Memory is critically short. The process goes on.
        case memory
        /// The scene that it belongs to is suspended. The process goes on.
        case scene
        /// Somebody asked for it: `jetsam expire`, or ``BackgroundTaskRegistry/expireTasks(named:)``. The process goes on.
        case `operator`
    }
}
