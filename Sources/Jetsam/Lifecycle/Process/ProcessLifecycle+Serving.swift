internal import Logging
internal import MemoryPressure

extension ProcessLifecycle {
    /// Between two looks at the ports that are listened to.
    private static let searchInterval = Duration.milliseconds(50)

    /// The servers take connections: where everything else is done, the process becomes active. Does nothing the second time.
    func didStartServing() {
        let isFirst = state.withLock { state in
            defer { state.servers.areListening = true }
            return !state.servers.areListening
        }
        guard isFirst else { return }
        servingWait.resolve(.done)
        Task { await activateIfDue() }
    }

    /// Returns once each port is listened to, or nobody needs to know any more.
    func lookForListening(on ports: [UInt16]) async {
        while !Task.isCancelled, !isShuttingDown, !state.withLock({ $0.servers.areListening }) {
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
    func watchServing() {
        Task {
            _ = await waits.run(
                servingWait, until: { [self] in state.withLock { $0.launch.deadline } ?? now }, movesWithPauses: true
            ) { [self] in
                let signal = state.withLock { $0.servers.signal }
                dependencies.logger.warning(
                    "The servers do not listen yet, as far as is known, and the process is not ready: it waits until \(signal.text)"
                )
                noteLate(
                    ["servers"], "didStartServing", state.withLock { $0.launch.deadline } ?? now, isLogged: true)
            }
        }
    }
}
