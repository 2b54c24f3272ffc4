import JetsamTesting
import MemoryPressure
import TestSupport
import Testing

@testable import Jetsam
@testable import JetsamPolicy

struct SceneProcessTests {
    private func end(_ fixture: SceneFixture) -> MonotonicInstant { fixture.clock.now.advanced(by: .seconds(5)) }

    @Test("Scenes follow the process down and come back to where they were")
    func downAndUp() async throws {
        let fixture = SceneFixture()
        let active = try await fixture.scenes.connect("active", observer: SceneRecord())
        let inactive = try await fixture.scenes.connect("inactive", observer: SceneRecord())
        let background = try await fixture.scenes.connect("background", by: .system, observer: SceneRecord())
        try await inactive.deactivate()
        func states() -> [SceneState] { [active, inactive, background].map(\.sceneState) }
        await fixture.scenes.processGoesDown(to: .inactive, isFinal: false, by: end(fixture))
        #expect(states() == [.inactive, .inactive, .background])
        await fixture.scenes.processGoesDown(to: .background, isFinal: false, by: end(fixture))
        #expect(states() == [.background, .background, .background])
        await fixture.scenes.processGoesDown(to: .suspended, isFinal: false, by: end(fixture))
        #expect(states() == [.suspended, .suspended, .suspended])
        await fixture.scenes.processCameUp(to: .background, by: end(fixture))
        #expect(states() == [.background, .background, .background])
        await fixture.scenes.processCameUp(to: .inactive, by: end(fixture))
        #expect(states() == [.inactive, .inactive, .background])
        await fixture.scenes.processCameUp(to: .active, by: end(fixture))
        #expect(states() == [.active, .inactive, .background])
    }

    @Test("What the process does not allow is refused, and says so")
    func ceiling() async throws {
        let fixture = SceneFixture()
        let scene = try await fixture.scenes.connect("a", observer: SceneRecord())
        await fixture.scenes.processGoesDown(to: .background, isFinal: false, by: end(fixture))
        await #expect(throws: SceneRefusal.processState("background")) { try await scene.activate() }
        await #expect(throws: SceneRefusal.processState("background")) {
            try await fixture.scenes.connect("b", observer: SceneRecord())
        }
        _ = try await fixture.scenes.connect("c", by: .system, observer: SceneRecord())
        await fixture.scenes.processGoesDown(to: .background, isFinal: true, by: end(fixture))
        await #expect(throws: SceneRefusal.processState("shutting down")) {
            try await fixture.scenes.connect("d", by: .system, observer: SceneRecord())
        }
    }

    @Test("A scene that its client moved meanwhile does not come back by itself")
    func clientMoved() async throws {
        let fixture = SceneFixture()
        let scene = try await fixture.scenes.connect("a", observer: SceneRecord())
        await fixture.scenes.processGoesDown(to: .inactive, isFinal: false, by: end(fixture))
        try await scene.enterBackground()
        await fixture.scenes.processCameUp(to: .active, by: end(fixture))
        #expect(scene.sceneState == .background)
    }

    @Test("When the process ends, background scenes are told and suspended ones are not; their states stay stored")
    func termination() async throws {
        let fixture = SceneFixture()
        let records = [SceneRecord(), SceneRecord()]
        _ = try await fixture.scenes.connect("background", observer: records[0])
        try await fixture.scenes.connect("suspended", observer: records[1]).suspend()
        _ = records[1].collectCalls()
        await fixture.scenes.processGoesDown(to: .inactive, isFinal: true, by: end(fixture))
        await fixture.scenes.processGoesDown(to: .background, isFinal: true, by: end(fixture))
        _ = records[0].collectCalls()
        await fixture.scenes.processGoesDown(to: .disconnected, isFinal: true, by: end(fixture))
        #expect(records[0].calls == ["willTerminate"])
        #expect(records[1].calls == ["didDisconnect"])
        #expect(fixture.scenes.scenes.isEmpty)
        #expect(fixture.store["background"] != nil && fixture.store["suspended"] != nil)
    }

    @Test("At the end of the process a slow store has all the time that is left, and only the observers have a step's")
    func patience() async throws {
        let spot = SlowSpot()
        let fixture = SceneFixture(store: MemoryStore(beforeSave: { await spot.stay() })) {
            $0.transitionDeadline = .seconds(5)
        }
        let scene = try await fixture.scenes.connect("a", observer: SceneRecord())
        let end = fixture.clock.now.advanced(by: .seconds(20))
        let change = Task { await fixture.scenes.processGoesDown(to: .background, isFinal: true, by: end) }
        await fixture.advance(by: .seconds(19), whenArrived: spot.gate)
        #expect(fixture.scenes.statistics.missedDeadlines == 0)
        spot.open()
        await change.value
        #expect(!scene.isUnsaved && scene.sceneState == .background)
        #expect(fixture.scenes.statistics.missedDeadlines == 0)
    }

    @Test("A thousand scenes that cannot be stored are a few warnings and a number")
    func warnings() async throws {
        let fixture = SceneFixture()
        for number in 0..<1000 {
            _ = try await fixture.scenes.connect(SceneIdentifier("s\(number)")!, observer: SceneRecord())
        }
        fixture.store.fail(with: .damaged("it refuses"))
        await fixture.scenes.processGoesDown(to: .inactive, isFinal: true, by: end(fixture))
        #expect(fixture.logs.warnings.count == 9, "\(fixture.logs.warnings)")
        #expect(fixture.logs.warnings.last?.contains("992 more") == true)
        #expect(fixture.scenes.statistics.unsaved == 1000)
    }

    @Test(
        "How long saving takes is assumed until it is measured, and is nothing without a store",
        arguments: [false, true])
    func savingTime(hasStore: Bool) async throws {
        let clock = Lock<ManualClock?>(nil)
        let fixture = SceneFixture(
            store: MemoryStore(beforeSave: { clock.withLock { $0 }?.advance(by: .milliseconds(30)) }),
            withStore: hasStore)
        clock.withLock { $0 = fixture.clock }
        #expect(fixture.scenes.parts.gauges.savingTime == .zero)
        for number in 0..<129 {
            _ = try await fixture.scenes.connect(SceneIdentifier("s\(number)")!, observer: SceneRecord())
        }
        #expect(fixture.scenes.parts.gauges.savingTime == (hasStore ? .milliseconds(20) : .zero))
        try await fixture.scenes["s1"]?.deactivate()
        #expect(fixture.scenes.parts.gauges.savingTime == (hasStore ? .milliseconds(60) : .zero))
    }

    @Test("One scene that hangs holds up neither the others nor the process beyond its deadline")
    func hung() async throws {
        let fixture = SceneFixture()
        let spot = SlowSpot()
        let slow = SceneRecord { name, _ in if name == "willResignActive" { await spot.stay() } }
        _ = try await fixture.scenes.connect("slow", priority: .high, observer: slow)
        let others = try await (0..<100).asyncMap { index in
            try await fixture.scenes.connect(SceneIdentifier(String("scene \(index)"))!, observer: SceneRecord())
        }
        let end = fixture.clock.now.advanced(by: .seconds(2))
        let down = Task { await fixture.scenes.processGoesDown(to: .inactive, isFinal: false, by: end) }
        await fixture.advance(by: .seconds(2), whenArrived: spot.gate)
        await down.value
        spot.open()
        await fixture.scenes.processGoesDown(
            to: .background, isFinal: false, by: fixture.clock.now.advanced(by: .seconds(5)))
        #expect(others.allSatisfy { $0.sceneState == .background })
        #expect(fixture.scenes["slow"]?.sceneState == .background)
    }

    @Test("Scenes that are stuck keep nobody behind them from following the process")
    func stuck() async throws {
        let fixture = SceneFixture()
        let scenes = try await (0..<300).asyncMap { index in
            try await fixture.scenes.connect(SceneIdentifier(String("scene \(index)"))!, observer: SceneRecord())
        }
        let stuck = scenes.prefix(127)
        for scene in stuck { await scene.turn.acquire() }
        let end = end(fixture)
        let down = Task { await fixture.scenes.processGoesDown(to: .inactive, isFinal: false, by: end) }
        try await eventually("the others have followed") {
            scenes.dropFirst(127).allSatisfy { $0.sceneState == .inactive }
        }
        for scene in stuck { scene.turn.release() }
        await down.value
        #expect(scenes.allSatisfy { $0.sceneState == .inactive })
    }

    @Test("Scenes whose turn comes after the deadline, because others held it up, are told and saved all the same")
    func lateTurns() async throws {
        let fixture = SceneFixture()
        let records = (0..<144).map { _ in SceneRecord() }
        let scenes = try await records.indices.asyncMap { index in
            try await fixture.scenes.connect(
                SceneIdentifier(String("scene \(index)"))!, observer: records[index])
        }
        for scene in scenes.prefix(128) { await scene.turn.acquire() }
        let end = end(fixture)
        let down = Task { await fixture.scenes.processGoesDown(to: .inactive, isFinal: false, by: end) }
        try await eventually("it is under way") { scenes.prefix(128).allSatisfy { $0.turn.waiting == 1 } }
        fixture.advance(by: .seconds(5))
        await down.value
        #expect(scenes.allSatisfy { $0.sceneState == .active })
        for scene in scenes.prefix(128) { scene.turn.release() }
        try await eventually("all have followed") { scenes.allSatisfy { $0.sceneState == .inactive && !$0.isUnsaved } }
        for record in records {
            #expect(record.calls == ["willConnect", "didBecomeActive", "willResignActive", "encodeState"])
        }
        #expect(fixture.scenes.statistics.missedDeadlines == 0, "it was not their doing")
    }

    @Test("A scene whose turn comes a moment before the process goes on has the time that its changes always have")
    func lastMoment() async throws {
        let fixture = SceneFixture()
        let spot = SlowSpot()
        let record = SceneRecord { name, _ in if name == "didEnterBackground" { await spot.stay() } }
        let scene = try await fixture.scenes.connect("a", observer: record)
        await scene.turn.acquire()
        let end = end(fixture)
        let down = Task { await fixture.scenes.processGoesDown(to: .background, isFinal: true, by: end) }
        try await eventually("it is under way") { scene.turn.waiting == 1 }
        fixture.advance(by: .milliseconds(4999))
        scene.turn.release()
        await fixture.advance(by: .milliseconds(2), whenArrived: spot.gate)
        await down.value
        spot.open()
        try await eventually("it was told and saved") {
            record.calls.suffix(2) == ["didEnterBackground", "encodeState"] && !scene.isUnsaved
        }
        #expect(fixture.scenes.statistics.missedDeadlines == 0, "it was not its doing")
    }

    @Test("A scene whose turn comes late is told that the process is up again")
    func lateUp() async throws {
        let fixture = SceneFixture()
        let record = SceneRecord()
        let scene = try await fixture.scenes.connect("a", observer: record)
        await fixture.scenes.processGoesDown(to: .inactive, isFinal: false, by: end(fixture))
        await scene.turn.acquire()
        let end = end(fixture)
        let up = Task { await fixture.scenes.processCameUp(to: .active, by: end) }
        try await eventually("it is under way") { scene.turn.waiting == 1 }
        fixture.advance(by: .seconds(6))
        await up.value
        scene.turn.release()
        try await eventually("it was told") { record.calls.last == "didBecomeActive" && scene.sceneState == .active }
        #expect(fixture.scenes.statistics.missedDeadlines == 0, "it was not its doing")
    }

    @Test("A turn that comes when the process is up again lowers nothing")
    func upAgain() async throws {
        let fixture = SceneFixture()
        let record = SceneRecord()
        let scene = try await fixture.scenes.connect("a", observer: record)
        await scene.turn.acquire()
        let end = end(fixture)
        let down = Task { await fixture.scenes.processGoesDown(to: .inactive, isFinal: false, by: end) }
        try await eventually("it is under way") { scene.turn.waiting == 1 }
        fixture.advance(by: .seconds(5))
        await down.value
        let later = fixture.clock.now.advanced(by: .seconds(5))
        let up = Task { await fixture.scenes.processCameUp(to: .active, by: later) }
        try await eventually("it comes up") { scene.turn.waiting == 2 }
        scene.turn.release()
        await up.value
        #expect(scene.sceneState == .active)
        #expect(record.calls == ["willConnect", "didBecomeActive"])
    }

    @Test("Without scenes nothing happens")
    func none() async throws {
        let fixture = SceneFixture()
        await fixture.scenes.processGoesDown(to: .inactive, isFinal: false, by: end(fixture))
        await fixture.scenes.processCameUp(to: .active, by: end(fixture))
        #expect(fixture.scenes.deadlines.count == 0)
        #expect(fixture.scenes.statistics == SceneStatistics())
    }
}

extension Sequence {
    fileprivate func asyncMap<T>(_ transform: (Element) async throws -> T) async rethrows -> [T] {
        var result: [T] = []
        for element in self { result.append(try await transform(element)) }
        return result
    }
}
