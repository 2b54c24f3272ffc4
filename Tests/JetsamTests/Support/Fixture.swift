import CoreMetrics
import JetsamTesting
import Logging
import MemoryPressure
import TestSupport
import Testing

@testable import BackgroundTasks
@testable import Jetsam
@testable import JetsamPolicy
@testable import PurgeableCaches

/// A made-up container with a manager that runs in it for the length of a test.
final class Fixture: Sendable {
    let machine: SimulatedMachine
    let registry = CacheRegistry()
    let backgroundTasks: BackgroundTaskRegistry
    let manager: ResourceManager
    private let used: Lock<Int>

    /// A container of 512 MiB of which `used` are unreclaimable and belong to this process.
    init(
        used: Int = 200 * mebibyte, configuration: ManagerConfiguration = .init(),
        allocator: SimulatedAllocator = SimulatedAllocator(), stateStore: (any SceneStateStore)? = nil,
        logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        metricsFactory: (any MetricsFactory)? = nil,
        lastResort: (@Sendable (LevelReason) -> Void)? = nil,
        redactSnapshot: (@Sendable (_ name: String, _ part: SnapshotPart) -> String?)? = nil,
        later: (@Sendable (Duration, @escaping @Sendable () -> Void) -> Void)? = nil
    ) throws {
        machine = SimulatedMachine(tree: try .v2(limit: 512 * mebibyte), allocator: allocator)
        self.used = Lock(used)
        backgroundTasks = machine.makeBackgroundTaskRegistry()
        var environment = machine.environment
        if let later { environment.later = later }
        manager = try ResourceManager(
            configuration: configuration, registry: registry, backgroundTasks: backgroundTasks,
            logger: logger, metricsFactory: metricsFactory, stateStore: stateStore,
            environment: environment, lastResort: lastResort, redactSnapshot: redactSnapshot)
        set(used: used)
    }

    deinit {
        backgroundTasks.endEverything()
    }

    /// Sets what the container and the process use.
    func set(used bytes: Int) {
        used.withLock { used in
            used = bytes
            machine.tree.setUnreclaimable(bytes: bytes)
            machine.tree.setFootprint(bytes: bytes)
        }
    }

    func change(used change: Int) {
        used.withLock { used in
            used += change
            machine.tree.setUnreclaimable(bytes: used)
            machine.tree.setFootprint(bytes: used)
        }
    }

    /// Moves the time on until the level is critical, for 95 ms at most. Then it stands still: however slow the threads of this machine are,
    /// no handler is late.
    func advanceUntilCritical() {
        for _ in 0..<95 where manager.level < .critical { machine.advance(by: .milliseconds(1)) }
    }

    /// Moves the time on until the condition holds, at the pace of real time while nobody is at work who has not come to `gate`: a
    /// thread of this machine may be slow, and is not late for it.
    func advance(
        past gate: Gate? = nil, until what: Comment, sourceLocation: SourceLocation = #_sourceLocation,
        _ condition: @escaping @Sendable () -> Bool
    ) async throws {
        let last = Lock(ContinuousClock.now)
        try await eventually(what, sourceLocation: sourceLocation) {
            if condition() { return true }
            let isDue = last.withLock { last in
                let isDue = ContinuousClock.now - last >= .milliseconds(1)
                if isDue { last = .now }
                return isDue
            }
            if isDue, self.registry.clients.count(where: \.isBusy) <= gate?.arrivals ?? 0 {
                self.machine.advance(by: .milliseconds(1))
            }
            return false
        }
    }

    /// Returns once the reclaim threads have done what they were left so far.
    func settle() async {
        await manager.releaseCaches(bytes: 0)
    }

    /// Returns once everything that was decided so far has been told: the step of a call is told after all before it.
    func toldEverything() async {
        var steps = manager.reclaimSteps.makeAsyncIterator()
        await manager.releaseCaches(bytes: 0)
        _ = await steps.next()
    }

    /// Runs the manager, then `body`, then ends the manager and waits until it has ended.
    func run<Result: Sendable>(_ body: @Sendable (Fixture) async throws -> Result) async throws -> Result {
        // A reclaim thread may be the last to let go of the tree, and need not get there before the process ends.
        defer { machine.tree.remove() }
        let task = Task { try await manager.run() }
        await machine.waitUntilStarted()
        _ = await manager.lifecycle.launchWait.outcome()
        // Handlers of tasks may refer to this fixture again.
        defer { backgroundTasks.endEverything() }
        do {
            let result = try await body(self)
            task.cancel()
            try await task.value
            return result
        } catch {
            task.cancel()
            try? await task.value
            throw error
        }
    }
}

/// A cache whose bytes are part of the made-up container's.
final class FakeCache: Sendable {
    struct State {
        var bytes = 0
        var limits: [Int?] = []
        var requests: [ReleaseRequest] = []
        var registration: CacheRegistration?
    }

    let name: String
    let state = Lock(State())
    let fixture: Fixture

    init(
        _ name: String, bytes: Int, priority: ResourcePriority = .normal, traits: CacheTraits = [], in fixture: Fixture,
        onRelease: (@Sendable (FakeCache, ReleaseRequest) throws -> Int)? = nil
    ) {
        self.name = name
        self.fixture = fixture
        let registration = fixture.registry.register(
            name, priority: priority, traits: traits,
            limit: { [weak self] limit in self?.state.withLock { $0.limits.append(limit) } },
            release: { [weak self] request in
                guard let self else { return 0 }
                state.withLock { $0.requests.append(request) }
                return try onRelease?(self, request) ?? give(request.bytes)
            })
        state.withLock { state in
            state.bytes = bytes
            state.registration = registration
        }
        registration.update(bytes: bytes)
    }

    /// One of low priority whose handler stays at the gate, and gives nothing.
    static func hanging(_ name: String, bytes: Int, at gate: Gate, in fixture: Fixture) -> FakeCache {
        FakeCache(name, bytes: bytes, priority: .low, in: fixture) { _, _ in
            gate.arrive()
            gate.waitUntilOpen()
            return 0
        }
    }

    /// Gives up to that many bytes back, to the made-up container too.
    func give(_ bytes: Int) -> Int {
        let given = state.withLock { state in
            let given = min(bytes, state.bytes)
            state.bytes -= given
            state.registration?.update(bytes: state.bytes)
            return given
        }
        fixture.change(used: -given)
        return given
    }

    /// Takes that many bytes more, of the made-up container too.
    func grow(_ bytes: Int) {
        state.withLock { state in
            state.bytes += bytes
            state.registration?.update(bytes: state.bytes)
        }
        fixture.change(used: bytes)
    }

    func end() {
        let registration = state.withLock { state in
            defer { state.registration = nil }
            return state.registration
        }
        registration?.end()
    }

    /// Whether a call of its handlers has not come back.
    var isBusy: Bool { fixture.registry.clients.contains { $0.name == name && $0.isBusy } }
    var requests: [ReleaseRequest] { state.withLock { $0.requests } }
    var limits: [Int?] { state.withLock { $0.limits } }
}
