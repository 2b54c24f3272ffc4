public import MemoryPressure

/// An observer that was still at work when its deadline had passed.
public struct LateObserver: Sendable, Equatable, CustomStringConvertible {
    /// The name that it was registered with.
    public var name: String
    /// The callback that it was in, or was to be called with.
    public var callback: String
    /// The deadline that it missed, on the monotonic clock.
    public var deadline: MonotonicInstant

    /// One line for a log.
    public var description: String { "'\(name.onOneLine)' in \(callback)" }
}

/// The process's life cycle at one instant.
public struct ProcessStatus: Sendable, Equatable {
    /// How many late observers are kept.
    static let lateCapacity = 16

    /// The state.
    public var state: ProcessState
    /// The change that led to it; nil where the manager has not begun.
    public var transition: ProcessTransition?
    /// Whether readiness is true.
    public var isReady: Bool
    /// Whether shutdown has begun.
    public var isShuttingDown: Bool
    /// When the termination grace period is over, on the monotonic clock; nil before shutdown began. It never moves.
    public var terminationDeadline: MonotonicInstant?
    /// The named reasons that bar suspension now.
    public var backgroundModes: [String]
    /// How often an observer missed a deadline.
    public var missedDeadlines: Int
    /// The latest of them, 16 at most.
    public var lateObservers: [LateObserver]
    /// How this run was started; nil where the manager has not begun.
    public var launchReason: LaunchReason?

    /// When the state was entered.
    public var since: MonotonicInstant? { transition?.instant }

    /// Why.
    public var cause: LifecycleCause? { transition?.cause }
}
