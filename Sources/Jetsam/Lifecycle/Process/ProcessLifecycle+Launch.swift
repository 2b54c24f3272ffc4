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
        state.beginLaunch(reason, deadline: deadline)
        let target: ProcessState = configuration.launchesIntoBackground ? .background : .inactive
        await turn.acquire()
        defer { turn.release() }
        try? await step(to: target, cause: .launch, by: deadline)
    }

    /// The last callback, and the way to active where it is automatic.
    func finishLaunch() async {
        if let transition = state.current.transition {
            await turn.acquire()
            await tell(.didFinishLaunching, transition, by: now.advanced(by: configuration.launchDeadline))
            turn.release()
        }
        let launched = state.finishLaunch()
        dependencies.gauges.noteLaunched()
        // A launch has a deadline of its own.
        renewBackgroundTime()
        if let deadline = launched.launch.deadline, deadline < now {
            dependencies.logger.notice("The launch took longer than its deadline of \(configuration.launchDeadline)")
        }
        if launched.servers.areAwaited, becomesActiveByItself {
            dependencies.logger.debug("Launched; the process becomes active when the servers listen")
            watchServing()
        }
        if !launched.servers.haveGate {
            dependencies.logger.notice(
                "The manager runs without its drain gate: readiness says nothing about servers, and stays true while they shut down. Build the group with serviceGroupConfiguration(needs:servers:serving:)"
            )
        }
        // A process without readiness has started all the same; a supervisor would wait in vain for more.
        if configuration.launchesIntoBackground { tellStarted() }
        await activateIfDue()
        launchWait.resolve(.done)
    }

    private var becomesActiveByItself: Bool {
        configuration.activation == .automatic && !configuration.launchesIntoBackground
    }

    private func activateIfDue() async {
        guard becomesActiveByItself else { return }
        await turn.acquire()
        defer { turn.release() }
        // Refused where shutdown has begun meanwhile.
        if state.takeActivation() { try? await move(to: .active, cause: .launch) }
    }

    /// Moves the launch's deadline; tells the supervisor.
    func extendLaunch(by duration: Duration) {
        guard duration > .zero else { return }
        if let deadline = state.extendLaunch(by: min(duration, .seconds(3600))) {
            notifier?.extendTimeout(to: now.duration(to: deadline))
        }
    }
}

/// The servers of the group: the launch is over when they take connections.
extension ProcessLifecycle {
    /// Between two looks at the ports that are listened to.
    private static let searchInterval = Duration.milliseconds(50)

    /// The gate runs: every service before it was started.
    func gateRuns() {
        if !state.gateRuns().servers.areAwaited { servingWait.resolve(.done) }
        Task { await activateIfDue() }
    }

    /// The servers take connections: where everything else is done, the process becomes active. Does nothing the second time.
    func didStartServing() {
        guard state.serversListen() else { return }
        servingWait.resolve(.done)
        Task { await activateIfDue() }
    }

    /// Returns once each port is listened to, or nobody needs to know any more.
    func lookForListening(on ports: [UInt16]) async {
        while !Task.isCancelled, !isShuttingDown, !state.current.servers.areListening {
            guard let listening = dependencies.listeningPorts() else {
                dependencies.logger.warning(
                    "The ports that listen cannot be read here: call didStartServing() when the servers listen")
                return
            }
            if ports.allSatisfy(listening.contains) { return didStartServing() }
            let next = now.advanced(by: Self.searchInterval)
            let outcome = await waits.run(TimedWait(), until: { next }, movesWithPauses: false)
            if outcome == .abandoned { return }
        }
    }

    /// The launch is done but for the servers: they are a part of it, and have its deadline.
    private func watchServing() {
        let end: @Sendable () -> MonotonicInstant = { [self] in state.current.launch.deadline ?? now }
        Task {
            _ = await waits.run(servingWait, until: end, movesWithPauses: true) { [self] in
                let signal = state.current.servers.signal
                dependencies.logger.warning(
                    "The servers do not listen yet, as far as is known, and the process is not ready: it waits until \(signal.text)"
                )
                missed.note(["servers"], in: "didStartServing", by: end(), isLogged: true)
            }
        }
    }
}
