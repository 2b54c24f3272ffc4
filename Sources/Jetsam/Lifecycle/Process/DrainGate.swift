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
        lifecycle.state.askForGate(serving)
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

/// The signal by which the manager learns that the servers of its group take connections.
///
/// A group starts its services and does not know when they listen. If a process called itself ready before, its first connections
/// would be refused.
public enum ServingSignal: Sendable, Hashable {
    /// The application calls ``ResourceManager/didStartServing()`` when the last of its servers listens, such as in
    /// Hummingbird's `onServerRunning`.
    case reported

    /// The manager looks every 50 ms whether each of these TCP ports is listened to, by any process of this network
    /// namespace. It makes no connection. ``ResourceManager/didStartServing()`` ends the search.
    case listening(onPorts: [UInt16])

    /// The group has started the servers: for those that take work from elsewhere, such as a queue, and listen to nothing.
    case started

    /// The signal in a few words, for the log.
    var text: String {
        switch self {
        case .reported: "didStartServing() is called"
        case .started: "the group has started the servers"
        case .listening(let ports): "something listens on \(ports.map { "port \($0)" }.joined(separator: " and "))"
        }
    }
}
