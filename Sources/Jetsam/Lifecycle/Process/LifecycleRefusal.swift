/// The reason why the process did not change its state.
public struct LifecycleRefusal: Error, Sendable, Equatable, CustomStringConvertible {
    private enum Code: Sendable, Equatable {
        case shuttingDown, notRunning, ended, insideCallback, changeUnderWay
        case transition(ProcessState, ProcessState)
        case cause(ProcessState, ProcessState, LifecycleCause)
    }

    private let code: Code

    /// Shutdown has begun: there is no way back to the foreground.
    public static let shuttingDown = LifecycleRefusal(code: .shuttingDown)
    /// The manager has not begun yet: ``ResourceManager/run()`` begins it.
    public static let notRunning = LifecycleRefusal(code: .notRunning)
    /// The manager has ended.
    public static let ended = LifecycleRefusal(code: .ended)
    /// The call came from inside a life-cycle callback, of the process or of a scene, which the change would have to wait for.
    public static let insideCallback = LifecycleRefusal(code: .insideCallback)

    /// Another change is not complete. Changes that come through the manager wait for one another instead.
    static let changeUnderWay = LifecycleRefusal(code: .changeUnderWay)

    static func transition(_ from: ProcessState, _ to: ProcessState) -> LifecycleRefusal {
        LifecycleRefusal(code: .transition(from, to))
    }

    static func cause(_ from: ProcessState, _ to: ProcessState, _ cause: LifecycleCause) -> LifecycleRefusal {
        LifecycleRefusal(code: .cause(from, to, cause))
    }

    /// Indicates whether the life cycle has no such change at all, or not for this cause.
    public var isForUnknownTransition: Bool {
        switch code {
        case .transition, .cause: true
        default: false
        }
    }

    /// The problem, and what to do instead.
    public var description: String {
        switch code {
        case .shuttingDown: "shutdown has begun: there is no way back to the foreground"
        case .notRunning: "the manager has not begun: run it before its state is changed"
        case .ended: "the manager has ended"
        case .insideCallback:
            "called from inside a callback of the process or a scene, which the change would wait for: return first"
        case .changeUnderWay: "another change is under way"
        case .transition(let from, let to): "there is no change from \(from) to \(to)"
        case .cause(let from, let to, let cause): "\(cause) is no cause for a change from \(from) to \(to)"
        }
    }
}
