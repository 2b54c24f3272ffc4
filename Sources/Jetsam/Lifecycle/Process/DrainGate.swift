internal import MemoryPressure
public import ServiceLifecycle

/// The last service of a group: it hears first that the group shuts down.
///
/// It makes readiness false, begins the termination clock, calls ``LifecycleObserver/willResignActive(_:)`` and waits for
/// ``ResourceManager/Configuration/Lifecycle/drainDelay``; then it returns, and the group tells the servers before it. It also says that
/// every service before it was started: only then does the process become active by itself.
public struct DrainGate: Service {
    let lifecycle: ProcessLifecycle

    init(lifecycle: ProcessLifecycle) {
        self.lifecycle = lifecycle
        lifecycle.state.withLock { $0.hasGate = true }
    }

    /// Waits for the group's shutdown, and returns once the process takes no more work.
    public func run() async {
        lifecycle.gateRuns()
        do {
            try await gracefulShutdown()
        } catch {
            // Cancelled: the manager ends by itself, promptly.
            return
        }
        await lifecycle.closeGate()
    }
}
