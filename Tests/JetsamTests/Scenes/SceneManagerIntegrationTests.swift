import JetsamTesting
import Logging
import MemoryPressure
import TestSupport
import Testing

@testable import BackgroundTasks
@testable import Jetsam
@testable import JetsamPolicy
@testable import PurgeableCaches

/// Scenes together with the manager that they belong to.
struct SceneManagerIntegrationTests {
    @Test("Background tasks of a scene expire when it is suspended and end when it is gone; others stay")
    func backgroundTasks() async throws {
        let clock = ManualClock()
        let tasks = BackgroundTaskRegistry(clock: clock, isAutomatic: false)
        let scenes = SceneManager(
            dependencies: SceneDependencies(
                clock: clock, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
                registry: CacheRegistry(), tasks: tasks, nextSequence: { 0 }, isAutomatic: false))
        let expired = Lock<[String]>([])
        let scene = try await scenes.connect("a", observer: SceneRecord())
        let own = try tasks.begin("own", scene: "a") { expired.withLock { $0.append("own") } }.intoIdentifier()
        let other = try tasks.begin("other") { expired.withLock { $0.append("other") } }.intoIdentifier()
        try await scene.enterBackground()
        tasks.runDue()
        #expect(
            expired.withLock { $0 } == [] && tasks.heldCount(of: "a") == 1, "the background may hold background tasks")
        try await scene.suspend()
        clock.advance(by: .milliseconds(10))
        tasks.runDue()
        #expect(expired.withLock { $0 } == ["own"])
        try await scene.disconnect()
        #expect(tasks.heldCount(of: "a") == 0)
        #expect(tasks.heldCount == 1)
        tasks.endBackgroundTask(own)
        tasks.endBackgroundTask(other)
        #expect(tasks.heldCount == 0)
    }

    @Test("Room for a scene is made from caches first, and it is refused where that is not enough")
    func room() async throws {
        let fixture = try Fixture(used: 300 * mebibyte)
        try await fixture.run { fixture in
            let cache = FakeCache("cache", bytes: 200 * mebibyte, in: fixture)
            let scene = try await fixture.manager.scenes.connect(
                "a", expectedBytes: 200 * mebibyte, observer: SceneRecord())
            #expect(scene.sceneState == .active)
            #expect(!cache.requests.isEmpty)
            await #expect(throws: SceneRefusal.self) {
                try await fixture.manager.scenes.connect("b", expectedBytes: 500 * mebibyte, observer: SceneRecord())
            }
            try await scene.disconnect()
            cache.end()
        }
    }

    @Test("Changes of scenes and of the level take their numbers from one sequence")
    func sequence() async throws {
        let fixture = try Fixture()
        try await fixture.run { fixture in
            let first = fixture.manager.governor.nextSequence()
            let record = SceneRecord()
            try await fixture.manager.scenes.connect("a", observer: record).suspend()
            let last = fixture.manager.governor.nextSequence()
            let sequences = record.transitions.map(\.sequence)
            #expect(sequences == sequences.sorted())
            #expect(sequences.allSatisfy { $0 > first && $0 < last })
        }
    }

    @Test("Regrowth leaves the limits of a scene in the background alone, and gives others theirs back")
    func regrowth() async throws {
        let fixture = try Fixture(used: 100 * mebibyte)
        try await fixture.run { fixture in
            let limits = Lock<[String: [Int?]]>([:])
            let registrations = ["a", "b"].map { name in
                let registration = fixture.registry.register(
                    name, scene: SceneIdentifier(String(name)),
                    limit: { bytes in limits.withLock { $0[name, default: []].append(bytes) } }, release: { _ in 0 })
                registration.update(bytes: 10 * mebibyte)
                return registration
            }
            for name in ["a", "b"] as [SceneIdentifier] {
                try await fixture.manager.scenes.connect(name, observer: SceneRecord()).enterBackground()
            }
            // As if nothing held it down: what regrowth does with an ordinary cache that has a limit.
            fixture.registry.clients[1].isHeldDown = false
            fixture.set(used: 430 * mebibyte)
            fixture.machine.advance(by: .seconds(1))
            await fixture.settle()
            #expect(fixture.manager.level == .warning)
            fixture.set(used: 100 * mebibyte)
            for registration in registrations { registration.update(bytes: 0) }
            for _ in 0..<180 {
                fixture.machine.advance(by: .seconds(2))
                await fixture.settle()
            }
            #expect(fixture.manager.level == .normal)
            // The step asked for all but the quarter that is kept at warning.
            #expect(limits.withLock { $0["a"] } == [5 * mebibyte, 5 * mebibyte / 2])
            #expect(limits.withLock { $0["b"]?.first } == 5 * mebibyte)
            #expect(limits.withLock { $0["b"]?.last } == .some(nil))
            withExtendedLifetime(registrations) {}
        }
    }

    @Test(
        "Limits that cannot be lifted, because the cache is at work or its scene in the background, are lifted later",
        arguments: [false, true])
    func liftedLater(isHeldDown: Bool) async throws {
        let fixture = try Fixture(used: 100 * mebibyte)
        try await fixture.run { fixture in
            @Sendable func pass(_ seconds: Int) async {
                for _ in 0..<seconds {
                    fixture.machine.advance(by: .seconds(1))
                    await fixture.settle()
                }
            }
            let limits = Lock<[Int?]>([])
            let registration = fixture.registry.register(
                "cache", scene: "a", limit: { bytes in limits.withLock { $0.append(bytes) } }, release: { _ in 0 })
            registration.update(bytes: 10 * mebibyte)
            let client = try #require(fixture.registry.clients.first)
            let scene = try await fixture.manager.scenes.connect("a", observer: SceneRecord())
            fixture.set(used: 430 * mebibyte)
            await pass(1)
            #expect(limits.withLock { $0.count == 1 && $0[0] != nil }, "a warning limits it")
            if isHeldDown { try await scene.enterBackground() } else { #expect(client.beginCall()) }
            fixture.set(used: 100 * mebibyte)
            await pass(320)
            #expect(fixture.manager.level == .normal)
            #expect(client.limitBytes != nil)
            if isHeldDown { try await scene.activate() } else { client.endCall() }
            registration.update(bytes: 0)
            // It is lifted at one of the next looks.
            for _ in 0..<30 where client.limitBytes != nil { await pass(1) }
            #expect(client.limitBytes == nil)
            #expect(limits.withLock { $0.last } == .some(nil))
            registration.end()
        }
    }

    @Test("Scenes that found no room are restored when memory recovers, without being asked for")
    func recovers() async throws {
        let store = MemoryStore()
        store.put("large", expectedBytes: 300 * mebibyte)
        let fixture = try Fixture(used: 400 * mebibyte, stateStore: store)
        let tries = Lock(0)
        fixture.manager.scenes.restoreScenes { _ in
            tries.withLock { $0 += 1 }
            return SceneRecord()
        }
        try await fixture.run { fixture in
            @Sendable func pass(_ seconds: Int) async {
                for _ in 0..<seconds {
                    fixture.machine.advance(by: .seconds(1))
                    await fixture.settle()
                }
            }
            fixture.set(used: 430 * mebibyte)
            await pass(1)
            #expect(fixture.manager.level == .warning)
            // Time passes only while nobody restores: deadlines are by this clock, and a busy machine is behind it.
            try await eventually("it was tried when the process became active, and is left for later") {
                let progress = fixture.manager.scenes.restorer.progress
                return tries.withLock { $0 } > 0 && !progress.isTrying && !progress.postponed.isEmpty
            }
            #expect(fixture.manager.scenes["large"] == nil)
            fixture.set(used: 100 * mebibyte)
            for _ in 0..<20 where fixture.manager.level > .normal { await pass(1) }
            #expect(fixture.manager.level == .normal)
            try await eventually("it is restored") { fixture.manager.scenes["large"]?.sceneState == .background }
        }
    }

    @Test("Room is taken from scenes only where scenes are taken at all", arguments: [false, true])
    func takesScenes(isAllowed: Bool) throws {
        var configuration = ManagerConfiguration()
        configuration.ladder.takesScenes = isAllowed
        let fixture = try Fixture(configuration: configuration)
        defer { fixture.machine.tree.remove() }
        #expect(fixture.manager.scenes.configuration.takesRoomFromScenes == isAllowed)
    }

    @Test("Scenes of an earlier run are restored between the first and the last callback of the launch")
    func restored() async throws {
        let store = MemoryStore()
        store.put("a")
        let fixture = try Fixture(used: 100 * mebibyte, stateStore: store)
        let calls = Lock<[String]>([])
        fixture.manager.scenes.restoreScenes { _ in
            SceneRecord { name, _ in calls.withLock { if name == "willConnect" { $0.append(name) } } }
        }
        let observation = fixture.manager.observeLifecycle(LaunchRecord { call in calls.withLock { $0.append(call) } })
        try await fixture.run { fixture in
            #expect(fixture.manager.scenes["a"] != nil)
            #expect(calls.withLock { $0 } == ["willFinishLaunching", "willConnect", "didFinishLaunching"])
        }
        observation.cancel()
    }

    private struct LaunchRecord: LifecycleObserver {
        let note: @Sendable (String) -> Void

        func willFinishLaunching(_ reason: LaunchReason) async { note("willFinishLaunching") }
        func didFinishLaunching() async { note("didFinishLaunching") }
    }
}
