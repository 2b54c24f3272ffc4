public import MemoryPressure

/// The states of the process's life, as its manager sees them.
public enum ProcessState: UInt8, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// The manager has not begun, or has ended.
    case notRunning
    /// Running, but not ready: being launched, paused, or at the start of a shutdown.
    case inactive
    /// Ready: the only state in which readiness is true.
    case active
    /// Not ready: draining before the end, or idle with work that is still held.
    case background
    /// Nothing held, caches given back: frozen, or ready to end at once.
    case suspended

    /// The state in one or two words.
    public var description: String {
        switch self {
        case .notRunning: "not running"
        case .inactive: "inactive"
        case .active: "active"
        case .background: "background"
        case .suspended: "suspended"
        }
    }
}

/// The cause of a change of the process's state. Others may be added: give a `switch` a `default`.
public enum LifecycleCause: Sendable, CaseIterable {
    /// The process starts, or its start failed.
    case launch
    /// The service group shuts down, or the manager's task was cancelled.
    case shutdown
    /// The application or whoever runs it asked for it.
    case `operator`
    /// Nothing was held for as long as ``ManagerConfiguration/Lifecycle/idleDelay``.
    case idle
    /// Memory is short.
    case pressure
    /// There is work again, or the process was stopped and goes on.
    case resume
    /// The time in the background is over: ``ManagerConfiguration/Lifecycle/backgroundTimeLimit``.
    case expiration
}

/// One change of the process's state.
public struct ProcessTransition: Sendable, Hashable, CustomStringConvertible {
    /// Its place among all notifications of the process: what happened first has the lower number.
    public var sequence: UInt64
    /// The state that it leaves.
    public var from: ProcessState
    /// The state that it enters.
    public var to: ProcessState
    /// The cause of the change.
    public var cause: LifecycleCause
    /// The time when it began, on the monotonic clock.
    public var instant: MonotonicInstant

    /// One line for a log, such as `active → inactive (shutdown)`.
    public var description: String { "\(from) → \(to) (\(cause))" }
}
