import Jetsam
import JetsamTesting
import Logging
import MemoryPressure
import Synchronization
import Testing

/// The cache under test.
final class PageCache: Sendable {
    private let state = Mutex<(bytes: Int, registration: CacheRegistration?)>((0, nil))

    init(registry: CacheRegistry = .shared) {
        let registration = registry.register(
            "pages", priority: .low, release: { [weak self] request in self?.release(request.bytes) ?? 0 })
        state.withLock { $0.registration = registration }
    }

    var bytes: Int { state.withLock { $0.bytes } }

    func fill(bytes: Int) {
        state.withLock { state in
            state.bytes += bytes
            state.registration?.update(bytes: state.bytes)
        }
    }

    func release(_ bytes: Int) -> Int {
        state.withLock { state in
            let given = min(bytes, state.bytes)
            state.bytes -= given
            state.registration?.update(bytes: state.bytes)
            return given
        }
    }
}

/// The observer under test.
final class Saving: LifecycleObserver {
    private let saved = Mutex(0)

    var count: Int { saved.withLock { $0 } }

    func didEnterBackground(_ transition: ProcessTransition) async { saved.withLock { $0 += 1 } }
}

struct ServerTests {
    @Test("When memory is short the cache gives what is missing")
    func cacheGives() async throws {
        let machine = SimulatedMachine(tree: try .v2(limit: 512 << 20))
        defer { machine.tree.remove() }
        machine.tree.setUnreclaimable(bytes: 200 << 20)
        machine.tree.setFootprint(bytes: 200 << 20)
        let registry = CacheRegistry()
        let cache = PageCache(registry: registry)
        cache.fill(bytes: 150 << 20)
        let manager = try ResourceManager(
            registry: registry, backgroundTasks: machine.makeBackgroundTaskRegistry(), logger: Logger(label: "test"),
            environment: machine.environment)
        let running = Task { try await manager.run() }
        await machine.waitUntilStarted()

        var steps = manager.reclaimSteps.makeAsyncIterator()
        machine.tree.setUnreclaimable(bytes: 430 << 20)
        machine.tree.setFootprint(bytes: 430 << 20)
        machine.advance(by: .milliseconds(200))
        #expect(manager.level > .normal)
        let step = try #require(await steps.next())
        #expect(step.parts.map(\.name) == ["pages"])
        #expect(cache.bytes < 150 << 20)

        running.cancel()
        try await running.value
    }

    @Test("The state is saved when the process enters the background")
    func saves() async throws {
        let machine = SimulatedMachine(tree: try .v2(limit: 512 << 20))
        defer { machine.tree.remove() }
        let manager = try ResourceManager(
            registry: CacheRegistry(), backgroundTasks: machine.makeBackgroundTaskRegistry(),
            logger: Logger(label: "test"), environment: machine.environment)
        let saving = Saving()
        manager.observeLifecycle(saving)
        let running = Task { try await manager.run() }
        await machine.waitUntilStarted()

        // Returns when every observer has been told.
        try await manager.enterBackground()
        #expect(saving.count == 1)

        running.cancel()
        try await running.value
    }

    @Test("An upload is told before its deadline, once")
    func expires() throws {
        let machine = SimulatedMachine(tree: try .v2(limit: 512 << 20))
        defer { machine.tree.remove() }
        let tasks = machine.makeBackgroundTaskRegistry()
        let told = Told()
        var task = try tasks.begin("upload", expiry: .after(.seconds(30)), onExpiration: { told.add() })
        machine.advance(by: .seconds(29))
        #expect(told.count == 0)
        machine.advance(by: .seconds(1))
        #expect(told.count == 1)
        task.end()
    }
}

/// Counts the calls of a handler.
final class Told: Sendable {
    private let calls = Mutex(0)

    var count: Int { calls.withLock { $0 } }

    func add() { calls.withLock { $0 += 1 } }
}
