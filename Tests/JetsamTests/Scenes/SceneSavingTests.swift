import MemoryPressure
import SystemPackage
import Testing

@testable import Jetsam

struct SceneSavingTests {
    private static let full = SceneStateStoreError.system(.noSpace, doing: "writing the file")

    @Test("A scene that says that nothing has changed is not stored again")
    func unchanged() async throws {
        let fixture = SceneFixture()
        let scene = try await fixture.scenes.connect("a", observer: SceneRecord(hasState: false))
        try await scene.suspend()
        #expect(!scene.isUnsaved)
        #expect(fixture.store.state.withLock { $0.saves } == 0)
    }

    @Test("Without a store nothing is asked for, and nothing counts as unsaved")
    func noStore() async throws {
        let fixture = SceneFixture(withStore: false)
        let record = SceneRecord()
        let scene = try await fixture.scenes.connect("a", observer: record)
        try await scene.suspend()
        #expect(!record.calls.contains("encodeState"))
        #expect(!scene.isUnsaved)
    }

    @Test("A state of 100 MB is not stored, and that is recorded")
    func tooLarge() async throws {
        let fixture = SceneFixture()
        let large = LargeScene(bytes: 100_000_000)
        let scene = try await fixture.scenes.connect("a", observer: large)
        try await scene.deactivate()
        #expect(scene.isUnsaved)
        #expect(fixture.scenes.statistics.failedSaves == 1)
        #expect(fixture.scenes.statistics.isStoreAvailable, "it is not the store's fault")
        #expect(scene.saving.waiting == nil, "it is not kept either")
    }

    private struct LargeScene: SceneObserver {
        var bytes: Int

        func encodeState(of scene: ServerScene) async throws -> SceneStateData? {
            SceneStateData(version: 1, bytes: [UInt8](repeating: 0, count: bytes))
        }
    }

    @Test("That nothing has changed since does not mean that a state is stored which could not be", arguments: [0, 1])
    func lostChange(kind: Int) async throws {
        let fixture = SceneFixture { $0.maximumStateBytes = 10 }
        let answers = Lock<[SceneStateData?]>([
            SceneStateData(version: 1, bytes: [1]), SceneStateData(version: 2, bytes: [UInt8](repeating: 0, count: 11)),
            nil, SceneStateData(version: 3, bytes: [3]), nil,
        ])
        let scene = try await fixture.scenes.connect("a", observer: AnsweringScene(answers: answers, throwsFor: kind))
        try await scene.deactivate()
        #expect(!scene.isUnsaved)
        try await scene.enterBackground()
        #expect(scene.isUnsaved, "it was not stored")
        try await scene.suspend()
        #expect(scene.isUnsaved, "nothing has changed, and it is still not stored")
        #expect(fixture.store["a"]?.version == 1)
        try await scene.activate()
        try await scene.deactivate()
        #expect(!scene.isUnsaved)
        try await scene.enterBackground()
        #expect(!scene.isUnsaved)
        #expect(fixture.store["a"]?.version == 3)
    }

    private struct AnsweringScene: SceneObserver {
        let answers: Lock<[SceneStateData?]>
        /// 1 where it throws instead of giving what is too long.
        let throwsFor: Int

        func encodeState(of scene: ServerScene) async throws -> SceneStateData? {
            let answer = answers.withLock { $0.removeFirst() }
            if throwsFor == 1, let answer, answer.bytes.count > 10 { throw SceneRecord.Failure() }
            return answer
        }
    }

    @Test(
        "A state that was encoded after its deadline is stored with the next save, although nothing has changed since")
    func lateState() async throws {
        let fixture = SceneFixture()
        let spot = SlowSpot()
        let calls = Lock(0)
        let scene = try await fixture.scenes.connect("a", observer: LateScene(spot: spot, calls: calls))
        let change = Task { try await scene.deactivate() }
        await fixture.advance(by: .seconds(5), whenArrived: spot.gate)
        try await change.value
        #expect(scene.isUnsaved && fixture.store["a"] == nil)
        spot.open()
        try await scene.enterBackground()
        #expect(calls.withLock { $0 } == 2)
        #expect(!scene.isUnsaved)
        #expect(fixture.store["a"]?.version == 1)
    }

    private struct LateScene: SceneObserver {
        let spot: SlowSpot
        let calls: Lock<Int>

        func encodeState(of scene: ServerScene) async throws -> SceneStateData? {
            let call = calls.withLock { calls in
                calls += 1
                return calls
            }
            guard call == 1 else { return nil }
            await spot.stay()
            return SceneStateData(version: 1, bytes: [1])
        }
    }

    @Test("An observer that throws while encoding leaves the scene unsaved, and its change goes on")
    func throwing() async throws {
        let fixture = SceneFixture()
        let record = SceneRecord { name, _ in if name == "encodeState" { throw SceneRecord.Failure() } }
        let scene = try await fixture.scenes.connect("a", observer: record)
        try await scene.enterBackground()
        #expect(scene.sceneState == .background && scene.isUnsaved)
        #expect(fixture.scenes.statistics.failedSaves == 2)
    }

    @Test(
        "A store that cannot be written to is announced once, and again when it can",
        arguments: [Errno.noSpace, .readOnlyFileSystem, .ioError])
    func unavailable(error: Errno) async throws {
        let fixture = SceneFixture()
        fixture.store.fail(with: .system(error, doing: "writing the file"))
        let first = try await fixture.scenes.connect("first", observer: SceneRecord())
        let second = try await fixture.scenes.connect("second", observer: SceneRecord())
        try await first.suspend()
        try await second.deactivate()
        #expect(fixture.availability.withLock { $0 } == [false])
        #expect(!fixture.scenes.statistics.isStoreAvailable)
        #expect(fixture.scenes.statistics.unsaved == 2)
        fixture.store.fail(with: nil)
        try await second.enterBackground()
        #expect(fixture.availability.withLock { $0 } == [false, true])
        await fixture.scenes.catchUp()
        #expect(!first.isUnsaved, "what waited is stored too")
        #expect(fixture.store["first"]?.version == 3)
    }

    @Test("What the application says of the store holds until it says otherwise")
    func declared() async throws {
        let fixture = SceneFixture()
        let scene = try await fixture.scenes.connect("a", observer: SceneRecord())
        await fixture.scenes.stateStoreBecame(available: false)
        await fixture.scenes.stateStoreBecame(available: false)
        try await scene.suspend()
        #expect(fixture.store.state.withLock { $0.saves } == 0)
        #expect(scene.isUnsaved)
        await #expect(throws: SceneRefusal.store(.unavailable)) {
            try await fixture.scenes.connect("b", observer: SceneRecord())
        }
        await fixture.scenes.stateStoreBecame(available: true)
        #expect(!scene.isUnsaved)
        #expect(fixture.store["a"]?.version == 3)
        #expect(fixture.availability.withLock { $0 } == [false, true])
    }

    @Test("A store that hangs does not hold up the change, and its late answer still counts")
    func hungStore() async throws {
        let spot = SlowSpot()
        let fixture = SceneFixture(store: MemoryStore { await spot.stay() })
        let scene = try await fixture.scenes.connect("a", observer: SceneRecord())
        let change = Task { try await scene.deactivate() }
        await fixture.advance(by: .seconds(5), whenArrived: spot.gate)
        try await change.value
        #expect(scene.sceneState == .inactive && scene.isUnsaved)
        #expect(fixture.scenes.statistics.lateCallbacks.map(\.callback) == ["storeState"])
        spot.open()
        try await scene.enterBackground()
        #expect(!scene.isUnsaved)
        #expect(fixture.store["a"]?.version == 2)
    }

    @Test("Disconnecting can forget what is stored")
    func discarding() async throws {
        let fixture = SceneFixture()
        let scene = try await fixture.scenes.connect("a", observer: SceneRecord())
        try await scene.disconnect(discardingState: true)
        #expect(fixture.store["a"] == nil)
    }

    @Test("A damaged state does not keep a scene from connecting; one that cannot be read does")
    func unreadable() async throws {
        let fixture = SceneFixture()
        fixture.store.state.withLock { $0.loadFailure = .damaged("a test") }
        let record = SceneRecord()
        try await fixture.scenes.connect("a", observer: record).disconnect()
        #expect(record.restored == nil)
        let error = SceneStateStoreError.system(.ioError, doing: "reading the file")
        fixture.store.state.withLock { $0.loadFailure = error }
        await #expect(throws: SceneRefusal.store(error)) {
            try await fixture.scenes.connect("b", observer: SceneRecord())
        }
        #expect(fixture.scenes.statistics.failedRestores == 2)
    }
}
