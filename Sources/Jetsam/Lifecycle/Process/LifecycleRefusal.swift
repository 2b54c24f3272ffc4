/// The reason why the process did not change its state. Others may be added: give a `switch` a `default`.
public enum LifecycleRefusal: Error, Equatable, CustomStringConvertible {
    /// Shutdown has begun: there is no way back to the foreground.
    case shuttingDown
    /// The manager has not begun yet: ``ResourceManager/run()`` begins it.
    case notRunning
    /// The manager has ended.
    case ended
    /// The call came from inside a life-cycle callback, of the process or of a scene, which the change would have to wait for.
    case insideCallback
    /// Another change is not complete. Changes that come through the manager wait for one another instead.
    case changeUnderWay
    /// The life cycle has no change from the first state to the second.
    case transition(ProcessState, ProcessState)
    /// There is a change from the first state to the second, but not for this cause.
    case cause(ProcessState, ProcessState, LifecycleCause)

    /// Indicates whether the life cycle has no such change at all, or not for this cause.
    package var isForUnknownTransition: Bool {
        switch self {
        case .transition, .cause: true
        default: false
        }
    }

    /// The problem, and what to do instead.
    public var description: String {
        switch self {
        case .shuttingDown: "shutdown has begun: the process does not return to the foreground"
        case .notRunning: "the manager has not begun: run it before its state is changed"
        case .ended: "the manager has ended"
        case .insideCallback:
            "called inside a callback of the process or a scene; the change would wait for that callback, so return first"
        case .changeUnderWay: "another change is under way"
        case .transition(let from, let to): "there is no change from \(from) to \(to)"
        case .cause(let from, let to, let cause): "\(cause) does not allow a change from \(from) to \(to)"
        }
    }
}
