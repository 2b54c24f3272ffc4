import JetsamTesting
import MemoryPressure
import SystemPackage
import TestSupport
import Testing

@testable import Jetsam

struct SceneRestorationTests {
    @Test("A scene that connects again gets its stored state, and the mark is gone afterwards")
    func connecting() async throws {
        let fixture = SceneFixture()
        try await fixture.scenes.connect("a", observer: SceneRecord()).disconnect()
        let marks = Lock<[Int]>([])
        let record = SceneRecord { [unowned fixture] name, _ in
            if name == "willConnect" { marks.withLock { $0.append(fixture.store.marks("a")) } }
        }
        _ = try await fixture.scenes.connect("a", observer: record)
        #expect(record.restored == SceneStateData(version: 2, bytes: Array("a 2".utf8)))
        #expect(marks.withLock { $0 } == [1], "while it restores a crash would leave the mark")
        #expect(fixture.store.marks("a") == 0)
        #expect(fixture.scenes.statistics.restores == 1)
    }

    @Test("A scene can begin without its stored state, which is kept until it stores another")
    func without() async throws {
        let fixture = SceneFixture()
        fixture.store.put("a")
        let record = SceneRecord()
        let scene = try await fixture.scenes.connect("a", restoration: .none, observer: record)
        #expect(record.restored == nil)
        #expect(fixture.store["a"]?.bytes == [1, 2, 3])
        try await scene.deactivate()
        #expect(fixture.store["a"]?.version == 1 && fixture.store["a"]?.bytes != [1, 2, 3])
    }

    @Test("Restoration goes by the room that is left, and not by what scenes were said to take")
    func measured() async throws {
        let fixture = SceneFixture()
        for name in ["a", "b", "c"] as [SceneIdentifier] { fixture.store.put(name, expectedBytes: 100) }
        let spare = Lock(600)
        fixture.scenes.restoreScenes { _ in
            SceneRecord { name, _ in if name == "willConnect" { spare.withLock { $0 -= 500 } } }
        }
        let result = await fixture.scenes.restoreAll(spareBytes: { spare.withLock { $0 } })
        #expect(result.restored == ["a", "b"] && result.postponed == ["c"])
    }

    @Test("One call gives a scene that serves, whether it is connected, restored, or not there yet")
    func serving() async throws {
        let fixture = SceneFixture()
        fixture.store.put("restored")
        fixture.scenes.restoreScenes { _ in SceneRecord() }
        await fixture.scenes.restoreAll()
        let made = Lock(0)
        @Sendable func scene(_ name: SceneIdentifier) async throws -> ServerScene {
            try await fixture.scenes.scene(for: name) {
                made.withLock { $0 += 1 }
                return SceneRecord()
            }
        }
        #expect(try await scene("restored").sceneState == .active)
        #expect(made.withLock { $0 } == 0)
        let new = try await scene("new")
        try await new.suspend()
        #expect(try await scene("new") === new && new.sceneState == .active)
        #expect(made.withLock { $0 } == 1)
        try await new.disconnect()
        #expect(try await scene("new") !== new)
        await fixture.scenes.processGoesDown(
            to: .background, isFinal: false, by: fixture.clock.now.advanced(by: .seconds(5)))
        await #expect(throws: SceneRefusal.processState("background")) { _ = try await scene("new") }
    }

    @Test("Many that ask for the same scene at once all get one that serves, and the same")
    func servingAtOnce() async throws {
        let fixture = SceneFixture()
        let scenes = try await withThrowingTaskGroup(of: ServerScene.self) { group in
            for _ in 0..<20 {
                group.addTask { try await fixture.scenes.scene(for: "a") { SceneRecord() } }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(scenes.allSatisfy { $0 === scenes.first && $0.sceneState == .active })
    }

    @Test("Stored scenes come back into the background in order of priority, without being asked for")
    func order() async throws {
        let fixture = SceneFixture()
        fixture.store.put("low", priority: .low)
        fixture.store.put("high", priority: .high, expectedBytes: 5)
        fixture.store.put("normal")
        let order = Lock<[SceneIdentifier]>([])
        fixture.scenes.restoreScenes { _ in
            SceneRecord { name, scene in
                if name == "willConnect" { order.withLock { $0.append(scene.identifier) } }
            }
        }
        let result = await fixture.scenes.restoreAll()
        #expect(result.restored == ["high", "normal", "low"])
        #expect(order.withLock { $0 } == ["high", "normal", "low"])
        #expect(fixture.scenes.scenes.allSatisfy { $0.sceneState == .background })
        #expect(fixture.scenes["high"]?.priority == .high)
        #expect(fixture.scenes["high"]?.declaredBytes == 5)
    }

    @Test("Without somebody to observe them nothing is restored, and one that nobody wants stays stored")
    func unwanted() async throws {
        let fixture = SceneFixture()
        fixture.store.put("a")
        #expect(await fixture.scenes.restoreAll() == SceneRestoration())
        fixture.scenes.restoreScenes { _ in nil }
        #expect(await fixture.scenes.restoreAll() == SceneRestoration())
        #expect(fixture.store["a"] != nil)
    }

    @Test("What has no room waits with all that ranks after it, and comes when the process is active and there is room")
    func headroom() async throws {
        let fixture = SceneFixture(room: 1000)
        fixture.store.put("high", priority: .high, expectedBytes: 60)
        fixture.store.put("normal", expectedBytes: 60)
        fixture.store.put("low", priority: .low, expectedBytes: 10)
        fixture.scenes.restoreScenes { _ in SceneRecord() }
        let result = await fixture.scenes.restoreAll(headroomBytes: 100)
        #expect(result.restored == ["high"])
        #expect(result.postponed == ["normal", "low"])
        fixture.room.withLock { $0 = 59 }
        #expect(await fixture.scenes.restorePostponed().postponed == ["normal"])
        #expect(fixture.scenes["low"] != nil)
        fixture.room.withLock { $0 = 60 }
        #expect(await fixture.scenes.restorePostponed().restored == ["normal"])
        #expect(await fixture.scenes.restorePostponed() == SceneRestoration())
    }

    @Test("What is not restored before the deadline waits")
    func deadline() async throws {
        let fixture = SceneFixture()
        for name in ["a", "b", "c"] { fixture.store.put(SceneIdentifier(String(name))!) }
        fixture.scenes.restoreScenes { [unowned fixture] _ in
            SceneRecord { [unowned fixture] name, _ in
                if name == "willConnect" { fixture.advance(by: .milliseconds(600)) }
            }
        }
        let result = await fixture.scenes.restoreAll(deadline: .seconds(1))
        #expect(result.restored == ["a"])
        #expect(result.failed.keys.sorted() == ["b"], "the one under way at the deadline is given up")
        #expect(result.postponed == ["c"])
    }

    @Test("A scene whose restoration was under way in two crashed starts is restored only when asked for explicitly")
    func crashLoop() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path.appending("states")
        do {
            let first = SceneFixture(otherStore: try FileStateStore(directory: path))
            for name in ["a", "b"] as [SceneIdentifier] {
                try await first.scenes.connect(name, observer: SceneRecord()).enterBackground()
            }
        }
        // Two starts that end, as a crash does, in the middle of restoring the first scene.
        let spot = SlowSpot()
        var crashed: [Task<SceneRestoration, Never>] = []
        for start in 1...2 {
            let crashing = SceneFixture(otherStore: try FileStateStore(directory: path))
            crashing.scenes.restoreScenes { _ in SceneRecord { _, _ in await spot.stay() } }
            crashed.append(Task { await crashing.scenes.restoreAll() })
            await spot.gate.waitForArrivals(start)
        }
        let fixture = SceneFixture(otherStore: try FileStateStore(directory: path))
        fixture.scenes.restoreScenes { _ in SceneRecord() }
        let result = await fixture.scenes.restoreAll()
        #expect(result.skipped == ["a"])
        #expect(result.restored == ["b"])
        let refusal = await #expect(throws: SceneRefusal.self) {
            try await fixture.scenes.connect("a", observer: SceneRecord())
        }
        #expect(refusal?.isForCrashLoop == true)
        let record = SceneRecord()
        _ = try await fixture.scenes.connect("a", restoration: .evenAfterCrashes, observer: record)
        #expect(record.restored?.version == 2)
        #expect(fixture.scenes.statistics.skippedRestores == 2)
        spot.open()
        for start in crashed { _ = await start.value }
    }

    @Test("One that fails in order is no crash, and one that is late keeps its mark until it returns")
    func failures() async throws {
        let fixture = SceneFixture()
        fixture.store.put("throwing")
        let throwing = SceneRecord { _, _ in throw SceneRecord.Failure() }
        for _ in 0..<5 {
            _ = try? await fixture.scenes.connect("throwing", observer: throwing)
            #expect(fixture.store.marks("throwing") == 0)
        }
        fixture.store.put("late")
        let spot = SlowSpot()
        let slow = SceneRecord { name, _ in if name == "willConnect" { await spot.stay() } }
        let connecting = Task { try await fixture.scenes.connect("late", observer: slow) }
        await fixture.advance(by: .seconds(5), whenArrived: spot.gate)
        await #expect(throws: SceneRefusal.missedDeadline(.willConnect)) { try await connecting.value }
        #expect(fixture.store.marks("late") == 1)
        spot.open()
        await fixture.store.restorationEnds.waitForArrivals(6)
        #expect(fixture.store.marks("late") == 0)
        #expect(fixture.scenes.statistics.failedRestores == 6)
    }

    @Test("A mark that was written too late for anybody to restore by it is taken back: nothing has crashed")
    func lateMark() async throws {
        let spot = SlowSpot()
        let fixture = SceneFixture(store: MemoryStore(afterMark: { await spot.stay() }))
        fixture.store.put("a")
        let record = SceneRecord()
        let connecting = Task { try await fixture.scenes.connect("a", observer: record) }
        await fixture.advance(by: .seconds(5), whenArrived: spot.gate)
        await #expect(throws: SceneRefusal.store(.unavailable)) { try await connecting.value }
        #expect(fixture.store.marks("a") == 1)
        spot.open()
        try await eventually("the mark is taken back") { fixture.store.marks("a") == 0 }
        #expect(record.calls == [])
    }

    @Test("A mark whose restoration had no time left to begin is taken back too")
    func neverBegun() async throws {
        let clock = Lock<ManualClock?>(nil)
        let store = MemoryStore(afterMark: { clock.withLock { $0 }?.advance(by: .seconds(6)) })
        let fixture = SceneFixture(store: store)
        clock.withLock { $0 = fixture.clock }
        for name in ["a", "b"] as [SceneIdentifier] { store.put(name) }
        let calls = Lock(0)
        fixture.scenes.restoreScenes { _ in SceneRecord { _, _ in calls.withLock { $0 += 1 } } }
        let result = await fixture.scenes.restoreAll(deadline: .seconds(5))
        #expect(calls.withLock { $0 } == 0, "its time was over before it was called")
        #expect(result.failed.count == 1 && result.postponed.count == 1)
        #expect(store.marks("a") == 0 && store.marks("b") == 0)
    }

    @Test("Restoration waits for the store, and goes on when it can be used again")
    func storeUnavailable() async throws {
        let fixture = SceneFixture()
        fixture.store.put("a")
        fixture.scenes.restoreScenes { _ in SceneRecord() }
        fixture.store.fail(with: .system(.readOnlyFileSystem, doing: "making the file"))
        #expect(await fixture.scenes.restoreAll().postponed == ["a"])
        #expect(fixture.availability.withLock { $0 } == [false])
        fixture.store.fail(with: nil)
        await fixture.scenes.stateStoreBecame(available: true)
        #expect(fixture.scenes["a"]?.sceneState == .background)
        #expect(fixture.availability.withLock { $0 } == [false, true])
    }

    @Test("A store that the application has closed off is listed when it opens")
    func storeDenied() async throws {
        let fixture = SceneFixture()
        fixture.store.put("a")
        fixture.scenes.restoreScenes { _ in SceneRecord() }
        await fixture.scenes.stateStoreBecame(available: false)
        #expect(await fixture.scenes.restoreAll() == SceneRestoration())
        await fixture.scenes.stateStoreBecame(available: true)
        #expect(fixture.scenes["a"] != nil)
    }

    @Test("A client is let in while the disk is full, with its state")
    func clientOnFullDisk() async throws {
        let fixture = SceneFixture()
        fixture.store.put("a")
        fixture.store.fail(with: .system(.noSpace, doing: "writing the file"))
        let record = SceneRecord()
        #expect(try await fixture.scenes.connect("a", observer: record).sceneState == .active)
        #expect(record.restored?.bytes == [1, 2, 3])
    }
}
