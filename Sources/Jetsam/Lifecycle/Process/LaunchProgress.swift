internal import MemoryPressure

/// The start of the process. Its deadline is also that of servers that do not listen when everything else is done. Pure.
enum LaunchProgress: Sendable {
    /// A launch that has begun.
    struct Run: Sendable {
        let reason: LaunchReason
        fileprivate(set) var deadline: MonotonicInstant
        /// False once it has, or somebody asked for a state.
        fileprivate(set) var activatesByItself = true

        init(reason: LaunchReason, deadline: MonotonicInstant) {
            self.reason = reason
            self.deadline = deadline
        }
    }

    /// The manager does not run.
    case before
    /// The observers hear of it, or scenes are restored.
    case underWay(Run)
    /// Everything is done, but for servers that do not listen yet.
    case done(Run)

    private var run: Run? {
        switch self {
        case .before: nil
        case .underWay(let run), .done(let run): run
        }
    }

    var reason: LaunchReason? { run?.reason }

    var deadline: MonotonicInstant? { run?.deadline }

    var isDone: Bool {
        if case .done = self { true } else { false }
    }

    mutating func finish() {
        if case .underWay(let run) = self { self = .done(run) }
    }

    /// - Returns: The new deadline; nil where no launch has begun.
    mutating func extend(by duration: Duration) -> MonotonicInstant? {
        change { $0.deadline = $0.deadline.advanced(by: duration) }
        return deadline
    }

    /// Leaves it to those who ask for a state whether the process becomes active.
    mutating func leaveActivation() {
        change { $0.activatesByItself = false }
    }

    /// - Returns: True, once, unless it was left to others.
    mutating func takeActivation() -> Bool {
        defer { leaveActivation() }
        return run?.activatesByItself ?? false
    }

    private mutating func change(_ body: (inout Run) -> Void) {
        switch self {
        case .before: break
        case .underWay(var run):
            body(&run)
            self = .underWay(run)
        case .done(var run):
            body(&run)
            self = .done(run)
        }
    }
}
