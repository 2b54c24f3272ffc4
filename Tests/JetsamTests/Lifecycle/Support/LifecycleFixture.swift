import JetsamTesting
import Logging
import MemoryPressure
import ServiceLifecycle
import TestSupport
import Testing

@testable import BackgroundTasks
@testable import Jetsam
@testable import JetsamPolicy
@testable import PurgeableCaches

/// A manager on a made-up machine, run alone or in a service group.
final class LifecycleFixture: Sendable {
    let machine: SimulatedMachine
    let tasks: BackgroundTaskRegistry
    let manager: ResourceManager
    let registry = CacheRegistry()
    let record = LifecycleRecord()
    let exits = Lock<[Int32]>([])
    let logs = LogRecord()
    let allocator = SimulatedAllocator()
    /// What is listened to on the made-up machine; nil where that cannot be told.
    let ports = Lock<Set<UInt16>?>([])

    init(
        variables: [String: String] = [:], arguments: [String] = [], overdueTasksHold: Bool = false,
        recorderDirectory: String? = nil,
        _ configure: (inout ManagerConfiguration.Lifecycle) -> Void = { _ in }
    ) throws {
        machine = SimulatedMachine(tree: try .v2(limit: 512 * mebibyte))
        var tasksConfiguration = BackgroundTaskConfiguration()
        tasksConfiguration.overdueTasksHold = overdueTasksHold
        tasks = machine.makeBackgroundTaskRegistry(configuration: tasksConfiguration)
        var configuration = ManagerConfiguration()
        configuration.recorder.directory = recorderDirectory
        configure(&configuration.lifecycle)
        var environment = machine.environment
        environment.variables = variables
        environment.arguments = arguments
        environment.exit = { [exits] status in exits.withLock { $0.append(status) } }
        environment.processID = 4711
        environment.listeningPorts = { [ports] in ports.withLock { $0 } }
        environment.allocator = allocator
        manager = try ResourceManager(
            configuration: configuration, registry: registry, backgroundTasks: tasks, logger: logs.logger,
            environment: environment)
        machine.tree.setUnreclaimable(bytes: 100 * mebibyte)
        manager.observeLifecycle(name: "record", record)
    }

    deinit {
        tasks.endEverything()
    }

    var lifecycle: ProcessLifecycle { manager.lifecycle }

    /// How long ago the machine's clock began, in seconds.
    var seconds: Double { Double(machine.clock.now.nanoseconds) / 1e9 - 3600 }

    /// When the life cycle stops waiting for something that is under way, on the scale of `seconds`.
    var nextDeadline: Double? {
        lifecycle.waits.deadlines.nextDue.map { Double($0.nanoseconds - 3_600_000_000_000) / 1e9 }
    }

    /// Returns once every call that an observer got so far has returned.
    func hasReturned(_ name: String) async {
        let mailbox = lifecycle.notices.mailboxes.first { $0.name == name }
        await withCheckedContinuation { continuation in
            let call = mailbox?.post(onReturn: { continuation.resume() }) { _ in }
            if call == nil { continuation.resume() }
        }
    }

    /// Returns once what the sampler left to the notification queue so far has been done.
    func settle() async {
        var steps = manager.reclaimSteps.makeAsyncIterator()
        await manager.releaseCaches(bytes: 0)
        _ = await steps.next()
        // The queue leaves changes of the state to tasks of their own.
        for _ in 0..<20 { await Task.yield() }
        await lifecycle.turn.acquire()
        lifecycle.turn.release()
    }

    /// Returns once the condition holds; the made-up time stands still meanwhile.
    func until(
        _ what: Comment, sourceLocation: SourceLocation = #_sourceLocation, _ condition: @Sendable () async -> Bool
    ) async throws {
        try await eventually(what, sourceLocation: sourceLocation, condition)
    }

    /// Runs the manager alone, then `body`, then cancels it and waits until it has ended.
    func run(_ body: @Sendable (LifecycleFixture) async throws -> Void) async throws {
        defer { machine.tree.remove() }
        let task = Task { try await manager.run() }
        await launched()
        let result = await outcome { try await body(self) }
        task.cancel()
        try? await task.value
        letGo()
        try result.get()
    }

    /// Runs the manager in a group, then `body`, and waits until the group has ended by itself.
    func run(
        needs: [any Service] = [], servers: [any Service] = [], serving: ServingSignal? = .started,
        _ body: @Sendable (LifecycleFixture, ServiceGroup) async throws -> Void
    ) async throws {
        defer { machine.tree.remove() }
        var configuration = manager.serviceGroupConfiguration(needs: needs, servers: servers, serving: serving)
        // The group would count real seconds.
        configuration.maximumGracefulShutdownDuration = nil
        let group = ServiceGroup(configuration: configuration)
        let task = Task { try await group.run() }
        await launched()
        let result = await outcome { try await body(self, group) }
        if case .failure = result { task.cancel() }
        let end = await outcome { try await task.value }
        letGo()
        try result.get()
        try end.get()
    }

    /// What tests hand in may refer to this fixture again.
    private func letGo() {
        record.forgetActions()
        tasks.endEverything()
    }

    private func launched() async {
        await machine.waitUntilStarted()
        _ = await lifecycle.launchWait.outcome()
    }

    private func outcome(_ body: @Sendable () async throws -> Void) async -> Result<Void, any Error> {
        do { return .success(try await body()) } catch { return .failure(error) }
    }
}
