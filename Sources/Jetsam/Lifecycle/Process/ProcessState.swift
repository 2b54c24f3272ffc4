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

/// The cause of a change of the process's state.
public struct LifecycleCause: Sendable, Hashable, CaseIterable, CustomStringConvertible {
    private enum Code: String, Sendable, CaseIterable {
        case launch, shutdown, `operator`, idle, pressure, resume, expiration
    }

    private let code: Code

    /// The process starts, or its start failed.
    public static let launch = LifecycleCause(code: .launch)
    /// The service group shuts down, or the manager's task was cancelled.
    public static let shutdown = LifecycleCause(code: .shutdown)
    /// The application or whoever runs it asked for it.
    public static let `operator` = LifecycleCause(code: .operator)
    /// Nothing was held for as long as ``ManagerConfiguration/Lifecycle/idleDelay``.
    public static let idle = LifecycleCause(code: .idle)
    /// Memory is short.
    public static let pressure = LifecycleCause(code: .pressure)
    /// There is work again, or the process was stopped and goes on.
    public static let resume = LifecycleCause(code: .resume)
    /// The time in the background is over: ``ManagerConfiguration/Lifecycle/backgroundTimeLimit``.
    public static let expiration = LifecycleCause(code: .expiration)

    /// Every cause that there is.
    public static var allCases: [LifecycleCause] { Code.allCases.map { LifecycleCause(code: $0) } }

    /// The cause in a word.
    public var description: String { code.rawValue }
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
