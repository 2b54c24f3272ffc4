import MemoryPressure
import SystemPackage
import TestSupport
import Testing

@testable import Jetsam

struct SceneLossTests {
    @Test(
        "A background scene is told, a suspended one is not, an active one resigns, is saved and goes to the background"
    )
    func notices() async throws {
        let fixture = SceneFixture()
        let active = SceneRecord()
        let background = SceneRecord()
        let suspended = SceneRecord()
        _ = try await fixture.scenes.connect("active", observer: active)
        _ = try await fixture.scenes.connect("background", by: .system, observer: background)
        try await fixture.scenes.connect("suspended", by: .system, observer: suspended).suspend()
        for record in [active, background, suspended] { _ = record.collectCalls() }
        let losses = [
            await fixture.scenes.loseNext(reason: "test"), await fixture.scenes.loseNext(reason: "test"),
            await fixture.scenes.loseNext(reason: "test"),
        ]
        #expect(losses.map { $0?.scene } == ["suspended", "background", "active"])
        #expect(losses.map { $0?.state } == [.suspended, .background, .active])
        #expect(losses.allSatisfy { $0?.wasInTime == true && $0?.lostState == false })
        #expect(suspended.calls == ["didDisconnect"], "afterwards, to clean up")
        #expect(background.calls == ["willTerminate"])
        #expect(
            active.calls == [
                "willResignActive", "encodeState", "didEnterBackground", "encodeState", "willTerminate",
            ])
        #expect(fixture.store["active"]?.version == 2)
        #expect(await fixture.scenes.loseNext(reason: "test") == nil)
        #expect(fixture.scenes.statistics.lost == 3)
    }

    @Test("All notices together have one deadline, and a scene that misses it is gone all the same")
    func hung() async throws {
        let fixture = SceneFixture { $0.lossDeadline = .seconds(2) }
        let spot = SlowSpot()
        let record = SceneRecord { name, _ in if name == "willResignActive" { await spot.stay() } }
        let scene = try await fixture.scenes.connect("a", observer: record)
        async let losing = fixture.scenes.loseNext(reason: "test")
        await fixture.advance(by: .seconds(2), whenArrived: spot.gate)
        let loss = try #require(await losing)
        #expect(scene.sceneState == .disconnected)
        #expect(loss.duration == .seconds(2))
        #expect(record.calls == ["willConnect", "didBecomeActive", "willResignActive"], "a hung one is called no more")
        #expect(fixture.scenes.statistics.lateCallbacks.map(\.callback).first == "willResignActive")
        #expect(loss.lostState)
        spot.open()
    }

    @Test("One that missed a deadline goes first in its band")
    func lateFirst() async throws {
        let fixture = SceneFixture()
        let spot = SlowSpot()
        _ = try await fixture.scenes.connect("large", by: .system, expectedBytes: 100, observer: SceneRecord())
        let slow = SceneRecord { name, _ in if name == "didEnterBackground" { await spot.stay() } }
        let late = try await fixture.scenes.connect("late", expectedBytes: 1, observer: slow)
        async let down: Void = late.enterBackground()
        await fixture.advance(by: .seconds(5), whenArrived: spot.gate)
        try await down
        #expect(late.sceneState == .background)
        spot.open()
        fixture.store.fail(with: nil)
        #expect(await fixture.scenes.loseNext(reason: "test")?.scene == "late")
        #expect(await fixture.scenes.loseNext(reason: "test")?.scene == "large")
    }

    @Test("A second victim is not taken before the first is gone")
    func oneAtATime() async throws {
        let fixture = SceneFixture()
        let spot = SlowSpot()
        let slow = SceneRecord { name, _ in if name == "willTerminate" { await spot.stay() } }
        let second = SceneRecord()
        _ = try await fixture.scenes.connect("first", by: .system, priority: .low, observer: slow)
        _ = try await fixture.scenes.connect("second", by: .system, observer: second)
        async let one = fixture.scenes.loseNext(reason: "test")
        await spot.gate.waitForArrivals(1)
        async let two = fixture.scenes.loseNext(reason: "test")
        #expect(second.calls == ["willConnect"])
        spot.open()
        #expect(await one?.scene == "first")
        #expect(await two?.scene == "second")
    }

    @Test("What cannot be saved is lost last")
    func unsavedLast() async throws {
        let fixture = SceneFixture()
        let saved = try await fixture.scenes.connect("saved", priority: .high, observer: SceneRecord())
        let unsaved = try await fixture.scenes.connect("unsaved", priority: .low, observer: SceneRecord())
        try await saved.suspend()
        try await saved.activate()
        try await saved.enterBackground()
        fixture.store.fail(with: .system(.noSpace, doing: "writing"))
        try await unsaved.suspend()
        #expect(unsaved.isUnsaved && !saved.isUnsaved)
        #expect(await fixture.scenes.loseNext(reason: "test")?.scene == "saved")
        #expect(await fixture.scenes.loseNext(reason: "test")?.lostState == true)
    }

    @Test("A scene that only connects is none to lose, one that is connected is, until it is gone")
    func connecting() async throws {
        let fixture = SceneFixture()
        let spot = SlowSpot()
        let slow = SceneRecord { name, _ in if name == "willConnect" { await spot.stay() } }
        let connecting = Task { try await fixture.scenes.connect("a", observer: slow) }
        await spot.gate.waitForArrivals(1)
        #expect(fixture.scenes.count == 1)
        #expect(fixture.scenes.candidateCount == 0)
        #expect(await fixture.scenes.loseNext(reason: "test") == nil)
        spot.open()
        let scene = try await connecting.value
        #expect(fixture.scenes.candidateCount == 1)
        try await scene.suspend()
        #expect(fixture.scenes.candidateCount == 1)
        try await scene.disconnect()
        #expect(fixture.scenes.candidateCount == 0)
        let failing = SceneRecord { _, _ in throw SceneRecord.Failure() }
        await #expect(throws: SceneRefusal.self) { try await fixture.scenes.connect("a", observer: failing) }
        #expect(fixture.scenes.candidateCount == 0)
    }

    @Test("Whether a loss is called for is asked again when its turn has come")
    func calledFor() async throws {
        let fixture = SceneFixture()
        let spot = SlowSpot()
        let slow = SceneRecord { name, _ in if name == "willTerminate" { await spot.stay() } }
        _ = try await fixture.scenes.connect("first", by: .system, priority: .low, observer: slow)
        _ = try await fixture.scenes.connect("second", by: .system, observer: SceneRecord())
        let isShort = Lock(true)
        let losses = [
            Task { await fixture.scenes.loseNext(reason: "test") { isShort.withLock { $0 } } },
            Task {
                await spot.gate.waitForArrivals(1)
                return await fixture.scenes.loseNext(reason: "test") { isShort.withLock { $0 } }
            },
        ]
        try await eventually("the second waits") { fixture.scenes.room.lossTurn.waiting == 1 }
        isShort.withLock { $0 = false }
        spot.open()
        #expect(await losses[0].value?.scene == "first")
        #expect(await losses[1].value == nil)
        #expect(fixture.scenes["second"]?.sceneState == .background)
    }

    @Test("Candidates are counted and weighed by state")
    func candidates() async throws {
        let fixture = SceneFixture()
        _ = try await fixture.scenes.connect("a", expectedBytes: 5, observer: SceneRecord())
        _ = try await fixture.scenes.connect("b", by: .system, expectedBytes: 7, observer: SceneRecord())
        _ = try await fixture.scenes.connect("c", by: .system, expectedBytes: 8, observer: SceneRecord())
        #expect(
            fixture.scenes.candidatesForLoss() == [
                .active: .init(count: 1, bytes: 5), .background: .init(count: 2, bytes: 15),
            ])
        #expect(fixture.scenes.count == 3)
    }
}
