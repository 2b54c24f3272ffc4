internal import MemoryPressure

/// The life of the process, as far as its parts change together: its state and its end, its launch, and its servers. Pure.
struct LifecycleState: Sendable {
    /// The answer to a request from outside.
    enum Answer: Sendable, Equatable {
        /// The process goes there.
        case move
        /// The process ends instead: see ``ManagerConfiguration/Lifecycle/exitsOnSuspend``.
        case leave
        /// The process ends already, and passes through no such state.
        case stay
    }

    private(set) var machine: ProcessMachine
    /// The change that led to the state; nil before the first.
    private(set) var transition: ProcessTransition?
    private(set) var launch = LaunchProgress.before
    private(set) var servers = ServingProgress()

    init(exitsOnSuspend: Bool = false) {
        machine = ProcessMachine(exitsOnSuspend: exitsOnSuspend)
    }

    // MARK: Changes of the state

    /// Answers a request from outside. From here on the process does not become active by itself.
    ///
    /// - Throws: ``LifecycleRefusal`` where the process does not run, or would end and `cause` does not allow it.
    mutating func ask(for target: ProcessState, cause: LifecycleCause) throws(LifecycleRefusal) -> Answer {
        if machine.state == .notRunning { throw machine.hasEnded ? .ended : .notRunning }
        launch.leaveActivation()
        if try machine.leaves(for: target, cause: cause) { return .leave }
        let isPassedOver = (target == .background || target == .suspended) && ending?.skipsBackground ?? false
        return isPassedOver ? .stay : .move
    }

    /// Begins one change; it holds once `commit` was called.
    ///
    /// - Returns: The state that the process leaves, and what has to be done.
    mutating func begin(
        _ target: ProcessState, cause: LifecycleCause
    ) throws(LifecycleRefusal) -> (from: ProcessState, actions: [ProcessMachine.Action]) {
        let from = machine.state
        return (from, try machine.request(to: target, cause: cause))
    }

    /// Completes the change that was begun.
    mutating func commit(_ transition: ProcessTransition) {
        machine.commit()
        self.transition = transition
    }

    /// - Returns: The readiness from here on.
    mutating func setReady(_ isReady: Bool) -> Bool { machine.setReady(isReady) }

    // MARK: The end

    var isShuttingDown: Bool { machine.isShuttingDown }

    /// Nil until an end with a grace period begins.
    var ending: ProcessEnding? { machine.ending }

    /// - Returns: The end that has begun earlier; nil where this one begins.
    mutating func begin(_ ending: ProcessEnding) -> ProcessEnding? { machine.begin(ending) }

    /// From here on nothing leads to the foreground. No grace period begins.
    mutating func beginShutdown() { machine.beginShutdown() }

    /// Returns whether servers may take new connections: always, but for a shutdown whose drain delay is over.
    func takesConnections(at now: MonotonicInstant, drainDelay: Duration) -> Bool {
        guard let clock = ending?.clock else { return !isShuttingDown }
        return now < clock.began.advanced(by: drainDelay)
    }

    // MARK: The launch and the servers

    /// Indicates whether the process spends its time in the background, unless a mode holds it.
    var spendsBackgroundTime: Bool { launch.isDone && machine.state == .background && !isShuttingDown }

    mutating func beginLaunch(_ reason: LaunchReason, deadline: MonotonicInstant) {
        launch = .underWay(LaunchProgress.Run(reason: reason, deadline: deadline))
    }

    mutating func finishLaunch() { launch.finish() }

    /// Moves the launch's deadline, unless everything is done that has it.
    ///
    /// - Returns: The new deadline; nil where it was not moved.
    mutating func extendLaunch(by duration: Duration) -> MonotonicInstant? {
        guard !launch.isDone || servers.areAwaited else { return nil }
        return launch.extend(by: duration)
    }

    /// - Returns: True, once, where the process is to become active by itself.
    mutating func takeActivation() -> Bool {
        guard launch.isDone, machine.state == .inactive, !servers.areAwaited else { return false }
        return launch.takeActivation()
    }

    mutating func askForGate(_ signal: ServingSignal) { servers.askForGate(signal) }

    /// The gate runs: every service before it was started.
    mutating func gateRuns() { servers.gateRuns() }

    /// - Returns: True the first time.
    mutating func serversListen() -> Bool { servers.listen() }

    /// Returns the time from which the observers are waited for no longer in a callback of a change.
    ///
    /// - Parameters:
    ///   - deadline: The one of the change. The launch has its own, which moves.
    ///   - isOfTheEnd: False where the change began before the end. Such a change is cut short when the end begins.
    func end(of callback: LifecycleCallback, by deadline: MonotonicInstant, isOfTheEnd: Bool) -> MonotonicInstant {
        let deadline = callback.isOfLaunch ? launch.deadline ?? deadline : deadline
        return isOfTheEnd ? deadline : min(deadline, ending?.workEnd ?? deadline)
    }
}
