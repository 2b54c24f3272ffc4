import JetsamTesting
import MemoryPressure
import TestSupport
import Testing

@testable import Jetsam
@testable import PurgeableCaches

struct SceneCachesTests {
    /// A cache of a scene that gives what it is asked for.
    private final class Cache: Sendable {
        let limits = Lock<[Int?]>([])
        let asked = Lock<[Int]>([])
        let content: Lock<Int>
        let registration = Lock<CacheRegistration?>(nil)

        init(_ registry: CacheRegistry, scene: SceneIdentifier?, bytes: Int, traits: CacheTraits = []) {
            content = Lock(bytes)
            let made = registry.register(
                "cache", traits: traits, scene: scene,
                limit: { [limits] bytes in limits.withLock { $0.append(bytes) } },
                release: { [weak self] request in
                    self?.asked.withLock { $0.append(request.bytes) }
                    let left = self?.content.withLock { bytes in
                        bytes -= request.bytes
                        return bytes
                    }
                    self?.registration.withLock { $0 }?.update(bytes: left ?? 0)
                    return request.bytes
                })
            registration.withLock { $0 = made }
            made.update(bytes: bytes)
        }
    }

    @Test("Background halves a scene's caches, suspension empties them, the foreground gives their limits back")
    func changes() async throws {
        let fixture = SceneFixture()
        let cache = Cache(fixture.registry, scene: "a", bytes: 1000)
        let other = Cache(fixture.registry, scene: "b", bytes: 1000)
        let scene = try await fixture.scenes.connect("a", expectedBytes: 10, observer: SceneRecord())
        #expect(scene.footprintBytes == 1010)
        try await scene.enterBackground()
        #expect(cache.limits.withLock { $0 } == [500])
        #expect(cache.asked.withLock { $0 } == [500])
        #expect(scene.footprintBytes == 510)
        try await scene.activate()
        #expect(cache.limits.withLock { $0 } == [500, nil])
        try await scene.suspend()
        #expect(cache.limits.withLock { $0 } == [500, nil, 250, 0])
        #expect(cache.asked.withLock { $0 } == [500, 250, 250])
        #expect(scene.footprintBytes == 10)
        try await scene.activate()
        #expect(cache.limits.withLock { $0 } == [500, nil, 250, 0, nil])
        #expect(other.limits.withLock { $0 } == [])
    }

    @Test("A sensitive cache is emptied on entering the background")
    func sensitive() async throws {
        let fixture = SceneFixture()
        let cache = Cache(fixture.registry, scene: "a", bytes: 1000, traits: .sensitive)
        try await fixture.scenes.connect("a", observer: SceneRecord()).enterBackground()
        #expect(cache.limits.withLock { $0 } == [0])
        #expect(cache.asked.withLock { $0 } == [1000])
    }

    @Test(
        "A scene of a process that drains keeps what it needs to finish, but for what is private",
        arguments: [false, true])
    func draining(isSensitive: Bool) async throws {
        let fixture = SceneFixture()
        let cache = Cache(fixture.registry, scene: "a", bytes: 1000, traits: isSensitive ? .sensitive : [])
        _ = try await fixture.scenes.connect("a", observer: SceneRecord())
        let end = fixture.clock.now.advanced(by: .seconds(5))
        await fixture.scenes.processGoesDown(to: .background, isFinal: true, by: end)
        #expect(cache.limits.withLock { $0 } == (isSensitive ? [0] : []))
        #expect(cache.asked.withLock { $0 } == (isSensitive ? [1000] : []))
    }

    @Test("Disconnecting empties a scene's caches and ends them, and its background tasks; suspension expires those")
    func ending() async throws {
        let fixture = SceneFixture()
        let cache = Cache(fixture.registry, scene: "a", bytes: 1000)
        let scene = try await fixture.scenes.connect("a", observer: SceneRecord())
        try await scene.suspend()
        #expect(fixture.tasks.calls.withLock { $0 } == ["expire a"])
        try await scene.disconnect()
        #expect(fixture.tasks.calls.withLock { $0 } == ["expire a", "end a"])
        #expect(cache.asked.withLock { $0 } == [500, 500])
        #expect(fixture.registry.clients.isEmpty)
        cache.registration.withLock { $0 }?.update(bytes: 5)
        #expect(fixture.registry.reportedBytes == 0)
    }

    @Test("A cache whose handler hangs does not hold up its scene beyond the deadline")
    func hung() async throws {
        let fixture = SceneFixture()
        let gate = Gate()
        let registration = fixture.registry.register(
            "hung", scene: "a",
            limit: { _ in
                gate.arrive()
                gate.waitUntilOpen()
            }, release: { _ in 0 })
        registration.update(bytes: 100)
        let scene = try await fixture.scenes.connect("a", observer: SceneRecord())
        let change = Task { try await scene.enterBackground() }
        await fixture.advance(by: .seconds(5), whenArrived: gate)
        try await change.value
        #expect(scene.sceneState == .background)
        #expect(fixture.scenes.statistics.lateCallbacks.map(\.callback) == ["cacheHandlers"])
        gate.open()
    }

    @Test(
        "A cache that reclaim is asking has its turn with the scene's change afterwards, or not at all once that is over"
    )
    func busy() async throws {
        let fixture = SceneFixture()
        let cache = Cache(fixture.registry, scene: "a", bytes: 1000)
        let client = try #require(fixture.registry.clients(of: "a").first)
        let scene = try await fixture.scenes.connect("a", observer: SceneRecord())
        #expect(client.beginCall())
        let change = Task { try await scene.enterBackground() }
        try await eventually("the change waits for the cache") { client.waiting == 1 }
        #expect(cache.limits.withLock { $0 } == [])
        client.endCall()
        try await change.value
        #expect(cache.limits.withLock { $0 } == [500])
        try await scene.activate()
        #expect(client.beginCall())
        let late = Task { try await scene.enterBackground() }
        try await eventually("the change waits for the cache") { client.waiting == 1 }
        fixture.advance(by: .seconds(5))
        try await late.value
        try await eventually("it waits no more") { client.waiting == 0 }
        client.endCall()
        #expect(scene.sceneState == .background)
        #expect(cache.limits.withLock { $0 } == [500, nil])
    }

    @Test("A cache that ends while its scene's change waits for it is waited for no longer")
    func endsMeanwhile() async throws {
        let fixture = SceneFixture()
        let cache = Cache(fixture.registry, scene: "a", bytes: 1000)
        let client = try #require(fixture.registry.clients(of: "a").first)
        let scene = try await fixture.scenes.connect("a", observer: SceneRecord())
        #expect(client.beginCall())
        let change = Task { try await scene.enterBackground() }
        try await eventually("the change waits for the cache") { client.waiting == 1 }
        cache.registration.withLock { $0 }?.end()
        try await change.value
        #expect(cache.limits.withLock { $0 } == [])
        client.endCall()
    }

    @Test("Asynchronous caches are asked too, and what handlers throw is borne")
    func asynchronous() async throws {
        let fixture = SceneFixture()
        let limits = Lock<[Int?]>([])
        let registration = fixture.registry.registerAsynchronous(
            "asynchronous", scene: "a",
            limit: { bytes in
                limits.withLock { $0.append(bytes) }
                throw SceneRecord.Failure()
            }, release: { _ in throw SceneRecord.Failure() })
        registration.update(bytes: 100)
        let scene = try await fixture.scenes.connect("a", observer: SceneRecord())
        try await scene.suspend()
        #expect(limits.withLock { $0 } == [50, 0])
        #expect(scene.sceneState == .suspended)
    }
}
