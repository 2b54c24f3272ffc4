internal import MemoryPressure

extension ProcessLifecycle {
    struct State {
        var machine: ProcessMachine
        var transition: ProcessTransition?
        var observers: [(id: UInt64, mailbox: ObserverMailbox)] = []
        var nextID: UInt64 = 0
        /// The notices that are no change of the state and wait for their turn, in the order in which they happened.
        var notes: [(callback: LifecycleCallback, body: @Sendable (any LifecycleObserver) async -> Void)] = []
        var launch = Launch.before
        /// False once it has, or somebody asked for a state.
        var activatesByItself = true
        var servers = Servers()
        /// Nil until shutdown begins.
        var ending: Ending?
        var modes: [UInt64: String] = [:]
        /// The responders that are asked again and again whether they still answer.
        var responders: [UInt64: Responder] = [:]
        var missedDeadlines = 0
        var late: [LateObserver] = []
        /// The task that still empties the caches of a suspended process.
        var givingBack: Task<Void, Never>?
        var supervisor = Supervisor()
        /// The log names the tasks that the process ends without.
        var hasToldWhatIsLeft = false
    }

    /// The start of the process. Its deadline is also that of servers that do not listen when everything else is done.
    enum Launch {
        case before
        case underWay(LaunchReason, deadline: MonotonicInstant)
        case done(LaunchReason, deadline: MonotonicInstant)

        var reason: LaunchReason? {
            switch self {
            case .before: nil
            case .underWay(let reason, _), .done(let reason, _): reason
            }
        }

        var deadline: MonotonicInstant? {
            switch self {
            case .before: nil
            case .underWay(_, let deadline), .done(_, let deadline): deadline
            }
        }

        var isDone: Bool {
            if case .done = self { true } else { false }
        }

        mutating func finish() {
            if case .underWay(let reason, let deadline) = self { self = .done(reason, deadline: deadline) }
        }

        /// Returns the new deadline; nil where no launch has begun.
        mutating func extend(by duration: Duration) -> MonotonicInstant? {
            switch self {
            case .before: break
            case .underWay(let reason, let deadline):
                self = .underWay(reason, deadline: deadline.advanced(by: duration))
            case .done(let reason, let deadline): self = .done(reason, deadline: deadline.advanced(by: duration))
            }
            return deadline
        }
    }

    /// What is known of the servers of the group.
    struct Servers {
        enum Gate {
            /// Nobody asked for it: the manager knows of no group.
            case none
            /// It was asked for: becoming active waits until it runs.
            case starts(ServingSignal)
            /// Every service before it was started.
            case runs(ServingSignal)
        }

        var gate = Gate.none
        /// The servers take connections, as far as was told or seen.
        var areListening = false

        var haveGate: Bool {
            if case .none = gate { false } else { true }
        }

        var isGateRunning: Bool {
            if case .runs = gate { true } else { false }
        }

        /// The signal by which it is learnt that they listen.
        var signal: ServingSignal {
            switch gate {
            case .none: .started
            case .starts(let signal), .runs(let signal): signal
            }
        }

        /// Indicates whether there are servers that do not take connections yet.
        var areAwaited: Bool {
            switch gate {
            case .none: false
            case .starts: true
            case .runs(let signal): !areListening && signal != .started
            }
        }

        mutating func askForGate(_ signal: ServingSignal) {
            gate = isGateRunning ? .runs(signal) : .starts(signal)
        }

        mutating func gateRuns() {
            gate = .runs(signal)
        }
    }

    /// An end that has begun. It is not taken back.
    struct Ending {
        enum Manner {
            /// The group shuts down, or is to.
            case shutdown
            /// The process ends instead of suspending: it passes through neither background nor suspended. By itself where
            /// there is no gate that would have the group shut down.
            case insteadOfSuspending(LifecycleCause, byItself: Bool)
        }

        let clock: TerminationClock
        let manner: Manner
        /// The time from which the work that was under way when it began is waited for no longer.
        let workEnd: MonotonicInstant
        /// Ends the wait for the servers.
        var backgroundTimer: UInt64?

        var cause: LifecycleCause {
            switch manner {
            case .shutdown: .shutdown
            case .insteadOfSuspending(let cause, _): cause
            }
        }

        var skipsBackground: Bool {
            if case .insteadOfSuspending = manner { true } else { false }
        }

        var isByItself: Bool {
            if case .insteadOfSuspending(_, byItself: true) = manner { true } else { false }
        }
    }

    /// The supervisor that started the process.
    struct Supervisor {
        /// Nil where it does not want to be told.
        var notifier: SystemdNotifier?
        var hasHeardReady = false
    }
}
