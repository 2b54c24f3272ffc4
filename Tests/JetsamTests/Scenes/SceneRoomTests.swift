import MemoryPressure
import Testing

@testable import BackgroundTasks
@testable import Jetsam
@testable import JetsamPolicy

struct SceneRoomTests {
    /// A fixture in which a scene that goes gives its declared bytes to the room.
    private func fixture(room: Int, _ change: (inout ManagerConfiguration.Scenes) -> Void = { _ in })
        -> SceneFixture
    {
        SceneFixture(room: room, change)
    }

    private func giving(_ fixture: SceneFixture) -> SceneRecord {
        SceneRecord { [unowned fixture] name, scene in
            guard name == "willTerminate" else { return }
            fixture.room.withLock { $0 = ($0 ?? 0) + scene.declaredBytes }
        }
    }

    @Test("A scene that expects more than there is room for is refused with both figures")
    func refused() async throws {
        let fixture = fixture(room: 100)
        await #expect(throws: SceneRefusal.noRoom(needed: 101, available: 100)) {
            try await fixture.scenes.connect("a", expectedBytes: 101, observer: SceneRecord())
        }
        #expect(fixture.scenes.scenes.isEmpty)
        #expect(
            try await fixture.scenes.connect("a", expectedBytes: 100, observer: SceneRecord()).footprintBytes == 100)
    }

    @Test("A scene that expects nothing asks for no room")
    func nothing() async throws {
        let fixture = fixture(room: 0)
        #expect(try await fixture.scenes.connect("a", observer: SceneRecord()).sceneState == .active)
    }

    @Test("Room is made from what ranks lower, in the order of loss, and no further than needed")
    func taken() async throws {
        let fixture = fixture(room: 500)
        for (name, priority) in [("first", ResourcePriority.low), ("second", .normal), ("third", .high)] {
            _ = try await fixture.scenes.connect(
                SceneIdentifier(name)!, by: .system, expectedBytes: 100, priority: priority, observer: giving(fixture))
        }
        fixture.room.withLock { $0 = 50 }
        _ = try await fixture.scenes.connect("new", expectedBytes: 200, observer: SceneRecord())
        #expect(fixture.scenes.scenes.map(\.identifier) == ["new", "third"])
        #expect(fixture.scenes.statistics.lost == 2)
    }

    @Test(
        "A scene that does not stand yet goes nowhere: its observer hears that it connects first",
        arguments: [SceneState.suspended, .background, .inactive])
    func notYetConnected(target: SceneState) async throws {
        let fixture = fixture(room: 500)
        let new = SceneRecord()
        let refusals = Lock<[SceneRefusal?]>([])
        let low = SceneRecord { [unowned fixture] name, scene in
            guard name == "willTerminate", let reserved = fixture.scenes["new"] else { return }
            do throws(SceneRefusal) {
                try await reserved.move(to: target, cause: .client)
                refusals.withLock { $0.append(nil) }
            } catch {
                refusals.withLock { $0.append(error) }
            }
            fixture.room.withLock { $0 = 500 }
        }
        _ = try await fixture.scenes.connect("low", by: .system, expectedBytes: 100, observer: low)
        fixture.room.withLock { $0 = 0 }
        let scene = try await fixture.scenes.connect("new", expectedBytes: 50, observer: new)
        #expect(refusals.withLock { $0 } == [.notConnected])
        #expect(scene.sceneState == .active)
        #expect(new.calls == ["willConnect", "didBecomeActive"])
    }

    @Test("Nothing is taken where all that ranks lower is not enough")
    func notEnough() async throws {
        let fixture = fixture(room: 500)
        _ = try await fixture.scenes.connect("low", by: .system, expectedBytes: 100, observer: giving(fixture))
        fixture.room.withLock { $0 = 50 }
        await #expect(throws: SceneRefusal.noRoom(needed: 200, available: 50)) {
            try await fixture.scenes.connect("new", expectedBytes: 200, observer: SceneRecord())
        }
        #expect(fixture.scenes["low"] != nil)
    }

    @Test("What does not rank lower is left alone")
    func equals() async throws {
        let fixture = fixture(room: 500)
        _ = try await fixture.scenes.connect("equal", expectedBytes: 400, observer: giving(fixture))
        fixture.room.withLock { $0 = 50 }
        await #expect(throws: SceneRefusal.noRoom(needed: 200, available: 50)) {
            try await fixture.scenes.connect("new", expectedBytes: 200, observer: SceneRecord())
        }
        _ = try await fixture.scenes.connect("higher", expectedBytes: 200, priority: .high, observer: SceneRecord())
        #expect(fixture.scenes.scenes.map(\.identifier) == ["higher"])
    }

    @Test("Scenes are left alone where the configuration says so")
    func switchedOff() async throws {
        let fixture = fixture(room: 500) { $0.takesRoomFromScenes = false }
        _ = try await fixture.scenes.connect("low", by: .system, expectedBytes: 100, observer: giving(fixture))
        fixture.room.withLock { $0 = 50 }
        await #expect(throws: SceneRefusal.noRoom(needed: 60, available: 50)) {
            try await fixture.scenes.connect("new", expectedBytes: 60, observer: SceneRecord())
        }
    }

    @Test("The same room is not promised twice to scenes that connect at the same time")
    func reserved() async throws {
        let fixture = fixture(room: 150)
        let spot = SlowSpot()
        let slow = SceneRecord { name, _ in if name == "willConnect" { await spot.stay() } }
        async let first = fixture.scenes.connect("first", expectedBytes: 100, observer: slow)
        await spot.gate.waitForArrivals(1)
        await #expect(throws: SceneRefusal.noRoom(needed: 100, available: 50)) {
            try await fixture.scenes.connect("second", expectedBytes: 100, observer: SceneRecord())
        }
        spot.open()
        _ = try await first
    }
}
