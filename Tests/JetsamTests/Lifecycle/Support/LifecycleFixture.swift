import JetsamTesting
import Logging
import MemoryPressure
import ServiceLifecycle

@testable import Jetsam

/// A manager on a made-up machine, run alone or in a service group.
final class LifecycleFixture: Sendable {
    let machine: SimulatedMachine
    let tasks: BackgroundTaskRegistry
    let manager: ResourceManager
    let registry = CacheRegistry()
    let record = LifecycleRecord()
    let exits = Lock<[Int32]>([])
    let logs = LogRecord()
    private let observation = Lock<LifecycleObservation?>(nil)

    init(
        variables: [String: String] = [:],
        _ configure: (inout ResourceManager.Configuration.Lifecycle) -> Void = { _ in }
    ) throws {
        machine = SimulatedMachine(tree: try .v2(limit: 512 * mebibyte))
        tasks = machine.makeBackgroundTaskRegistry()
        var configuration = ResourceManager.Configuration()
        configure(&configuration.lifecycle)
        var environment = machine.environment
        environment.variables = variables
        environment.exit = { [exits] status in exits.withLock { $0.append(status) } }
        environment.processID = 4711
        manager = try ResourceManager(
            configuration: configuration, registry: registry, backgroundTasks: tasks, logger: logs.logger,
            environment: environment)
        machine.tree.setUnreclaimable(bytes: 100 * mebibyte)
        let own = manager.observeLifecycle(name: "record", record)
        observation.withLock { $0 = own }
    }

    var lifecycle: ProcessLifecycle { manager.lifecycle }

    /// Runs the manager alone, then `body`, then cancels it and waits until it has ended.
    func run(_ body: @Sendable (LifecycleFixture) async throws -> Void) async throws {
        defer { machine.tree.remove() }
        let task = Task { try await manager.run() }
        await launched()
        let result = await outcome { try await body(self) }
        task.cancel()
        try? await task.value
        try result.get()
    }

    /// Runs the manager in a group, then `body`, and waits until the group has ended by itself.
    func run(
        needs: [any Service] = [], servers: [any Service] = [],
        _ body: @Sendable (LifecycleFixture, ServiceGroup) async throws -> Void
    ) async throws {
        defer { machine.tree.remove() }
        let group = ServiceGroup(
            configuration: manager.serviceGroupConfiguration(needs: needs, servers: servers))
        let task = Task { try await group.run() }
        await launched()
        let result = await outcome { try await body(self, group) }
        if case .failure = result { task.cancel() }
        let end = await outcome { try await task.value }
        try result.get()
        try end.get()
    }

    private func launched() async {
        await machine.waitUntilStarted()
        _ = await lifecycle.launchWait.outcome()
    }

    private func outcome(_ body: @Sendable () async throws -> Void) async -> Result<Void, any Error> {
        do { return .success(try await body()) } catch { return .failure(error) }
    }
}

/// Writes down what an observer is called with; can hold a callback up until it is told to go on.
final class LifecycleRecord: LifecycleObserver {
    private struct State {
        var events: [String] = []
        var waiters: [(event: String, continuation: CheckedContinuation<Void, Never>)] = []
        var held: Set<String> = []
        var holding: [String: [CheckedContinuation<Void, Never>]] = [:]
        var actions: [String: @Sendable () async -> Void] = [:]
        var transitions: [ProcessTransition] = []
        var reasons: [LaunchReason] = []
    }

    private let state = Lock(State())

    var events: [String] { state.withLock { $0.events } }
    var transitions: [ProcessTransition] { state.withLock { $0.transitions } }
    var reasons: [LaunchReason] { state.withLock { $0.reasons } }

    /// The callback does not return before `release`.
    func hold(_ event: String) { state.withLock { _ = $0.held.insert(event) } }

    func release(_ event: String) {
        let held = state.withLock { state in
            state.held.remove(event)
            return state.holding.removeValue(forKey: event) ?? []
        }
        for continuation in held { continuation.resume() }
    }

    /// Runs inside the callback.
    func on(_ event: String, _ action: @escaping @Sendable () async -> Void) {
        state.withLock { $0.actions[event] = action }
    }

    /// Returns once the callback has been called.
    func heard(_ event: String) async {
        await withCheckedContinuation { continuation in
            let isKnown = state.withLock { state in
                if !state.events.contains(event) { state.waiters.append((event, continuation)) }
                return state.events.contains(event)
            }
            if isKnown { continuation.resume() }
        }
    }

    private func note(_ event: String, _ transition: ProcessTransition? = nil) async {
        let (ready, action, isHeld) = state.withLock { state in
            state.events.append(event)
            if let transition { state.transitions.append(transition) }
            let ready = state.waiters.filter { $0.event == event }
            state.waiters.removeAll { $0.event == event }
            return (ready, state.actions[event], state.held.contains(event))
        }
        for waiter in ready { waiter.continuation.resume() }
        await action?()
        guard isHeld else { return }
        await withCheckedContinuation { continuation in
            let isHeld = state.withLock { state in
                if state.held.contains(event) { state.holding[event, default: []].append(continuation) }
                return state.held.contains(event)
            }
            if !isHeld { continuation.resume() }
        }
    }

    func willFinishLaunching(_ reason: LaunchReason) async {
        state.withLock { $0.reasons.append(reason) }
        await note("willFinishLaunching")
    }
    func didFinishLaunching() async { await note("didFinishLaunching") }
    func didBecomeActive(_ transition: ProcessTransition) async { await note("didBecomeActive", transition) }
    func willResignActive(_ transition: ProcessTransition) async { await note("willResignActive", transition) }
    func didEnterBackground(_ transition: ProcessTransition) async { await note("didEnterBackground", transition) }
    func willEnterForeground(_ transition: ProcessTransition) async { await note("willEnterForeground", transition) }
    func willTerminate(_ transition: ProcessTransition) async { await note("willTerminate", transition) }
    func resumed(after gap: Duration) async { await note("resumed \(gap)") }
    func wallClockChanged(by change: Duration) async { await note("wallClockChanged \(change)") }
    func stateStoreBecame(available: Bool) async { await note("stateStoreBecame \(available)") }
}

/// Keeps what is logged at warning and above.
final class LogRecord: Sendable {
    private struct Handler: LogHandler {
        let record: LogRecord
        var metadata = Logger.Metadata()
        var logLevel = Logger.Level.debug

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            guard event.level >= .warning else { return }
            let text = event.message.description
            record.lines.withLock { $0.append(text) }
        }
    }

    let lines = Lock<[String]>([])

    var logger: Logger { Logger(label: "test") { _ in Handler(record: self) } }

    var warnings: [String] { lines.withLock { $0 } }
}

/// A service of a group that writes down when it is told to stop, and stops then.
struct FakeService: Service {
    let onStop: @Sendable () -> Void
    let onEnd: @Sendable () -> Void

    init(onStop: @escaping @Sendable () -> Void = {}, onEnd: @escaping @Sendable () -> Void = {}) {
        self.onStop = onStop
        self.onEnd = onEnd
    }

    func run() async throws {
        try? await gracefulShutdown()
        onStop()
        onEnd()
    }
}
