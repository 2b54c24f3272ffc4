import MemoryPressure
import Testing

@testable import Jetsam

struct SceneConnectingTests {
    @Test("A client's scene becomes active, the system's stays in the background")
    func origins() async throws {
        let fixture = SceneFixture()
        let client = SceneRecord()
        let system = SceneRecord()
        let first = try await fixture.scenes.connect("client", observer: client)
        let second = try await fixture.scenes.connect("system", by: .system, observer: system)
        #expect(first.sceneState == .active)
        #expect(second.sceneState == .background)
        #expect(client.calls == ["willConnect", "didBecomeActive"])
        #expect(system.calls == ["willConnect"])
        #expect(fixture.scenes.statistics.connected == [.active: 1, .background: 1])
        #expect(fixture.scenes["client"] === first)
    }

    @Test("A scene is told of each change in its order, and saved at each step down")
    func callbacks() async throws {
        let fixture = SceneFixture()
        let record = SceneRecord()
        let scene = try await fixture.scenes.connect("a", observer: record)
        _ = record.collectCalls()
        try await scene.suspend()
        #expect(
            record.collectCalls() == [
                "willResignActive", "encodeState", "didEnterBackground", "encodeState", "encodeState",
            ])
        #expect(fixture.store["a"]?.version == 3)
        #expect(!scene.isUnsaved)
        try await scene.activate()
        #expect(record.collectCalls() == ["willEnterForeground", "didBecomeActive"])
        #expect(scene.isUnsaved)
        try await scene.deactivate()
        #expect(record.collectCalls() == ["willResignActive", "encodeState"])
        try await scene.disconnect()
        #expect(record.collectCalls() == ["didEnterBackground", "encodeState", "didDisconnect"])
        #expect(scene.sceneState == .disconnected)
        #expect(fixture.scenes["a"] == nil)
        #expect(fixture.store["a"]?.version == 5, "what is stored stays")
        let sequences = record.transitions.map(\.sequence)
        #expect(sequences == sequences.sorted() && Set(sequences).count == sequences.count)
    }

    @Test("A second scene of the same name is refused, and the first stays as it is")
    func twice() async throws {
        let fixture = SceneFixture()
        let scene = try await fixture.scenes.connect("a", observer: SceneRecord())
        await #expect(throws: SceneRefusal.alreadyConnected) {
            try await fixture.scenes.connect("a", observer: SceneRecord())
        }
        #expect(fixture.scenes["a"] === scene)
        #expect(scene.sceneState == .active)
        #expect(fixture.scenes.statistics.refused == 1)
    }

    @Test("What is gone stays gone, and its name can be used again")
    func gone() async throws {
        let fixture = SceneFixture()
        let scene = try await fixture.scenes.connect("a", observer: SceneRecord())
        try await scene.disconnect()
        await #expect(throws: SceneRefusal.notConnected) { try await scene.activate() }
        await #expect(throws: SceneRefusal.notConnected) { try await scene.disconnect() }
        let next = try await fixture.scenes.connect("a", observer: SceneRecord())
        #expect(next.sceneState == .active)
        #expect(scene.sceneState == .disconnected)
    }

    @Test("Negative bytes and one scene too many are refused")
    func bounds() async throws {
        let fixture = SceneFixture { $0.maximumCount = 1 }
        await #expect(throws: SceneRefusal.negativeBytes(-1)) {
            try await fixture.scenes.connect("a", expectedBytes: -1, observer: SceneRecord())
        }
        #expect(fixture.scenes.scenes.isEmpty)
        let scene = try await fixture.scenes.connect("a", observer: SceneRecord())
        await #expect(throws: SceneRefusal.tooManyScenes(1)) {
            try await fixture.scenes.connect("b", observer: SceneRecord())
        }
        scene.declare(bytes: -5)
        #expect(scene.declaredBytes == 0)
        scene.declare(bytes: .max)
        #expect(scene.footprintBytes == .max)
    }

    @Test("Identifiers have 1 to 128 bytes; others are none", arguments: [0, 1, 128, 129, 1 << 20])
    func identifiers(length: Int) {
        #expect((SceneIdentifier(String(repeating: "x", count: length)) != nil) == (1...128).contains(length))
    }

    @Test("An identifier's description bears control characters")
    func description() throws {
        #expect("\(try #require(SceneIdentifier(String("a\n\u{1B}[31m"))))" == #"a\n\u{1B}[31m"#)
    }

    @Test("What the observer throws while connecting refuses the scene, and nothing is left of it")
    func throwing() async throws {
        let fixture = SceneFixture()
        let record = SceneRecord { name, _ in if name == "willConnect" { throw SceneRecord.Failure() } }
        await #expect(throws: SceneRefusal.observerThrew(SceneRecord.Failure())) {
            try await fixture.scenes.connect("a", observer: record)
        }
        #expect(fixture.scenes.scenes.isEmpty)
        #expect(record.calls == ["willConnect"])
        _ = try await fixture.scenes.connect("a", observer: SceneRecord())
    }

    @Test("An observer that does not return from connecting is refused after its deadline")
    func hungConnect() async throws {
        let fixture = SceneFixture()
        let spot = SlowSpot()
        let record = SceneRecord { _, _ in await spot.stay() }
        let connecting = Task { try await fixture.scenes.connect("a", observer: record) }
        await fixture.advance(by: .seconds(5), whenArrived: spot.gate)
        await #expect(throws: SceneRefusal.missedDeadline(.willConnect)) { try await connecting.value }
        #expect(fixture.scenes.scenes.isEmpty)
        #expect(
            fixture.scenes.statistics.lateCallbacks == [LateSceneCallback(scene: "a", callback: "willConnect")])
        spot.open()
    }

    @Test("A change of the same scene from inside its callback is refused instead of waiting for itself")
    func reentry() async throws {
        let fixture = SceneFixture()
        let refusals = Lock<[SceneRefusal]>([])
        let record = SceneRecord { [unowned fixture] name, scene in
            guard name == "didBecomeActive" else { return }
            do {
                try await scene.enterBackground()
            } catch let error as SceneRefusal {
                refusals.withLock { $0.append(error) }
            }
            do {
                try await fixture.scenes.handOff(scene.identifier) { _ in }
            } catch let error as SceneRefusal {
                refusals.withLock { $0.append(error) }
            }
        }
        let scene = try await fixture.scenes.connect("a", observer: record)
        #expect(refusals.withLock { $0 } == [.insideCallback, .insideCallback])
        #expect(scene.sceneState == .active)
        try await scene.enterBackground()
    }

    @Test("A task that a callback leaves behind may change the scene once the callback has returned")
    func afterCallback() async throws {
        let fixture = SceneFixture()
        let left = Lock<Task<Void, any Error>?>(nil)
        let returned = SlowSpot()
        let record = SceneRecord { name, scene in
            guard name == "didBecomeActive" else { return }
            let task = Task {
                await returned.stay()
                try await scene.enterBackground()
            }
            left.withLock { $0 = task }
        }
        let scene = try await fixture.scenes.connect("a", observer: record)
        returned.open()
        try await left.withLock { $0 }?.value
        #expect(scene.sceneState == .background)
    }

    @Test("A callback may connect and change other scenes")
    func otherScenes() async throws {
        let fixture = SceneFixture()
        let record = SceneRecord { [unowned fixture] name, _ in
            guard name == "didBecomeActive" else { return }
            let other = try await fixture.scenes.connect("other", observer: SceneRecord())
            try await other.enterBackground()
        }
        _ = try await fixture.scenes.connect("a", observer: record)
        #expect(fixture.scenes["other"]?.sceneState == .background)
    }

    @Test("The observer of a scene that is gone is let go, also where the application keeps the scene")
    func letGo() async throws {
        let fixture = SceneFixture()
        let scene = try await fixture.scenes.connect("a", observer: SceneRecord())
        #expect(scene.observer != nil)
        try await scene.disconnect()
        #expect(scene.observer == nil)
    }

    @Test("A scene does not keep its manager, and requests nothing once that is gone")
    func managerGone() async throws {
        weak var scenes: SceneManager?
        let scene: ServerScene
        do {
            let fixture = SceneFixture()
            scenes = fixture.scenes
            scene = try await fixture.scenes.connect("a", observer: SceneRecord())
        }
        // The task of the last callback may still be on its way out.
        for _ in 0..<100_000 where scenes != nil { await Task.yield() }
        #expect(scenes == nil)
        await #expect(throws: SceneRefusal.notConnected) { try await scene.suspend() }
    }

    @Test("The best matching scene is activated for a target, else the one of the highest priority")
    func targets() async throws {
        let fixture = SceneFixture()
        let closed = SceneTargets(preferred: ["doc 1"], acceptsAny: false)
        _ = try await fixture.scenes.connect(
            "doc", by: .system, priority: .low, targets: closed, observer: SceneRecord())
        _ = try await fixture.scenes.connect("any", by: .system, observer: SceneRecord())
        #expect(try await fixture.scenes.activate(target: "doc 1")?.identifier == "doc")
        #expect(fixture.scenes["doc"]?.sceneState == .active)
        #expect(try await fixture.scenes.activateNext()?.identifier == "any")
        #expect(try await fixture.scenes.activateNext() == nil)
    }

    @Test("A name is free only when all that belonged to the scene that had it is gone")
    func nameInUse() async throws {
        let fixture = SceneFixture()
        let refused = Lock(false)
        let record = SceneRecord { name, scene in
            guard name == "didDisconnect" else { return }
            do {
                _ = try await fixture.scenes.connect("a", observer: SceneRecord())
            } catch {
                refused.withLock { $0 = true }
            }
        }
        let scene = try await fixture.scenes.connect("a", observer: record)
        try await scene.disconnect()
        #expect(refused.withLock { $0 } && scene.sceneState == .disconnected)
        #expect(try await fixture.scenes.connect("a", observer: SceneRecord()).sceneState == .active)
    }
}
