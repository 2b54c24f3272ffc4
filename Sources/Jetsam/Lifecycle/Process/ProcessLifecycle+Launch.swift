internal import Logging
internal import MemoryPressure

/// The steps of a start, in their order. Each is noted as it begins.
enum LaunchStep: String, Sendable, CaseIterable {
    /// The configuration is taken over.
    case configuration
    /// Threads, descriptors and the supervisor's socket are had.
    case descriptors
    /// The flight recorder begins.
    case recorder
    /// Observers have heard that the launch begins; the first reading.
    case sampler
    /// Stored state comes back.
    case restore
    /// Observers hear that the launch is done; readiness may follow.
    case serve
}

extension ProcessLifecycle {
    /// Notes a step of the start: their order is part of what observers may rely on.
    func begin(_ step: LaunchStep) {
        dependencies.logger.debug("Launch: \(step.rawValue)")
    }

    /// From the first callback up to restored state.
    ///
    /// - Parameter previousExit: The end of the run before this one.
    func beginLaunch(after previousExit: LaunchReason.PreviousExit = .unknown) async {
        var details = LaunchDetails(
            variables: dependencies.variables, arguments: dependencies.arguments, processID: dependencies.processID)
        details.reason.previousExit = previousExit
        let reason = details.reason
        dependencies.logger.info("Launch: \(reason)")
        for problem in details.problems { dependencies.logger.warning("Launch: \(problem)") }
        lookAtTime()
        let deadline = now.advanced(by: configuration.launchDeadline)
        state.withLock { $0.launch = .underWay(reason, deadline: deadline) }
        let target: ProcessState = configuration.launchesIntoBackground ? .background : .inactive
        await turn.acquire()
        defer { turn.release() }
        try? await step(to: target, cause: .launch, by: deadline)
    }

    /// The last callback, and the way to active where it is automatic.
    func finishLaunch() async {
        let transition = state.withLock { $0.transition }
        if let transition {
            await turn.acquire()
            await tell(.didFinishLaunching, transition, by: now.advanced(by: configuration.launchDeadline))
            turn.release()
        }
        let (deadline, isWaiting, hasGate) = state.withLock { state in
            state.launch.finish()
            return (state.launch.deadline, state.servers.areAwaited, state.servers.haveGate)
        }
        dependencies.gauges.noteLaunched()
        // A launch has a deadline of its own.
        renewBackgroundTime()
        if let deadline, deadline < now {
            dependencies.logger.notice("The launch took longer than its deadline of \(configuration.launchDeadline)")
        }
        let isAutomatic = configuration.activation == .automatic && !configuration.launchesIntoBackground
        if isWaiting, isAutomatic {
            dependencies.logger.debug("Launched; the process becomes active when the servers listen")
            watchServing()
        }
        if !hasGate {
            dependencies.logger.notice(
                "The manager runs without its drain gate: readiness says nothing about servers, and stays true while they shut down. Build the group with serviceGroupConfiguration(needs:servers:serving:)"
            )
        }
        // A process without readiness has started all the same; a supervisor would wait in vain for more.
        if configuration.launchesIntoBackground { tellStarted() }
        await activateIfDue()
        launchWait.resolve(.done)
    }

    /// The gate runs: every service before it was started.
    func gateRuns() {
        let areAwaited = state.withLock { state in
            state.servers.gateRuns()
            return state.servers.areAwaited
        }
        if !areAwaited { servingWait.resolve(.done) }
        Task { await activateIfDue() }
    }

    func activateIfDue() async {
        guard configuration.activation == .automatic, !configuration.launchesIntoBackground else { return }
        await turn.acquire()
        defer { turn.release() }
        let isDue = state.withLock { state in
            let isDue =
                state.launch.isDone && state.activatesByItself && state.machine.state == .inactive
                && !state.servers.areAwaited
            if isDue { state.activatesByItself = false }
            return isDue
        }
        // Refused where shutdown has begun meanwhile.
        if isDue { try? await move(to: .active, cause: .launch) }
    }

    /// Moves the launch's deadline; tells the supervisor.
    func extendLaunch(by duration: Duration) {
        guard duration > .zero else { return }
        let deadline = state.withLock { state -> MonotonicInstant? in
            guard !state.launch.isDone || state.servers.areAwaited else { return nil }
            return state.launch.extend(by: min(duration, .seconds(3600)))
        }
        if let deadline { notifier?.extendTimeout(to: now.duration(to: deadline)) }
    }
}
