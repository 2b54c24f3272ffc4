internal import MemoryPressure
internal import ServiceLifecycle

/// The last service of a group: it hears first that the group shuts down.
///
/// It makes readiness false, begins the termination clock, calls ``LifecycleObserver/willResignActive(_:)`` and waits for
/// ``ManagerConfiguration/Lifecycle/drainDelay``; then it returns, and the group tells the servers before it. It also says that
/// every service before it was started: the process becomes active by itself no sooner than that, and than its servers listen.
///
/// ``ResourceManager/serviceGroupConfiguration(needs:servers:serving:)`` makes one and puts it where it belongs.
struct DrainGate: Service {
    let lifecycle: ProcessLifecycle
    let serving: ServingSignal

    init(lifecycle: ProcessLifecycle, serving: ServingSignal) {
        self.lifecycle = lifecycle
        self.serving = serving
        lifecycle.state.withLock { $0.servers.askForGate(serving) }
    }

    /// Waits for the group's shutdown, and returns once the process takes no more work. A process that ends instead of suspending
    /// begins that shutdown: it returns without one then.
    func run() async {
        lifecycle.gateRuns()
        let search = Task {
            if case .listening(let ports) = serving { await lifecycle.lookForListening(on: ports) }
        }
        defer { search.cancel() }
        // Cancelled: the manager ends by itself, promptly.
        guard await lifecycle.waitToClose() else { return }
        await lifecycle.closeGate()
    }
}
