public import MemoryPressure

/// An observer that was still at work when its deadline had passed.
public struct LateObserver: Sendable, Equatable {
    /// The name that it was registered with.
    public var name: String
    /// The callback that it was in, or was to be called with.
    public var callback: String
    /// The deadline that it missed, on the monotonic clock.
    public var deadline: MonotonicInstant

    /// One line for a log.
    var line: String { "'\(name.onOneLine)' in \(callback)" }
}

/// The process's life cycle at one instant.
public struct ProcessStatus: Sendable, Equatable {
    /// The number of late observers that are kept.
    static let lateCapacity = 16

    /// The state.
    public var state: ProcessState
    /// The change that led to it; nil where the manager has not begun.
    public var transition: ProcessTransition?
    /// Indicates whether readiness is true.
    public var isReady: Bool
    /// Indicates whether shutdown has begun.
    public var isShuttingDown: Bool
    /// The time when the termination grace period is over, on the monotonic clock; nil before shutdown began. It never moves.
    public var terminationDeadline: MonotonicInstant?
    /// The named reasons that bar suspension now.
    public var backgroundModes: [String]
    /// The number of times that an observer missed a deadline.
    public var missedDeadlines: Int
    /// The latest of them, 16 at most.
    public var lateObservers: [LateObserver]
    /// The reason why this run was started; nil where the manager has not begun.
    public var launchReason: LaunchReason?

    /// The time when the state was entered.
    package var since: MonotonicInstant? { transition?.instant }

    /// The cause of the change to this state.
    package var cause: LifecycleCause? { transition?.cause }
}
