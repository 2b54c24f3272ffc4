import MemoryPressure
import SystemPackage
import Testing

@testable import Jetsam

struct SceneHandoffTests {
    @Test("The value survives as bytes, with and without a state, and is bounded", arguments: [true, false])
    func value(hasState: Bool) throws {
        let handoff = SceneHandoff(
            identifier: "a/b", priority: .high, expectedBytes: 77,
            state: hasState ? SceneStateData(version: 4, bytes: [1, 2, 3]) : nil)
        let bytes = handoff.encoded
        #expect(try SceneHandoff(decoding: bytes) == handoff)
        for length in 0..<bytes.count {
            #expect(throws: SceneStateStoreError.self) { try SceneHandoff(decoding: Array(bytes[..<length])) }
        }
        if hasState {
            #expect(throws: SceneStateStoreError.self) { try SceneHandoff(decoding: bytes, maximumStateBytes: 2) }
        }
        let stored = StateFormat.encode(
            StoredScene(identifier: "a", priority: .low, expectedBytes: 0, stamp: 0), .init(version: 0, bytes: []))
        #expect(throws: SceneStateStoreError.self) { try SceneHandoff(decoding: stored) }
    }

    /// The successor's side: takes one scene off the socket and acknowledges it, or says why not.
    private func takeOver(_ sockets: SocketPair, _ successor: SceneFixture, _ record: SceneRecord) async throws {
        let handoff = try SceneHandoff(decoding: try await sockets.receive(atFirst: false))
        do {
            _ = try await successor.scenes.connect(from: handoff, by: .client, observer: record)
            try sockets.send(Array("taken".utf8), fromFirst: false)
        } catch {
            try sockets.send(Array("refused: \(error)".utf8), fromFirst: false)
        }
    }

    private func transport(_ sockets: SocketPair) -> @Sendable (SceneHandoff) async throws -> Void {
        { handoff in
            try sockets.send(handoff.encoded, fromFirst: true)
            let answer = String(decoding: try await sockets.receive(atFirst: true), as: UTF8.self)
            guard answer == "taken" else { throw Refused(description: answer) }
        }
    }

    private struct Refused: Error, CustomStringConvertible {
        var description: String
    }

    @Test(
        "A scene goes over a socket to a successor, which has it before the predecessor lets go",
        arguments: [true, false])
    func handOver(sharesDirectory: Bool) async throws {
        let directory = try TemporaryDirectory()
        let paths = [directory.path.appending("first"), directory.path.appending(sharesDirectory ? "first" : "second")]
        let predecessor = SceneFixture(otherStore: try FileStateStore(directory: paths[0]))
        let successor = SceneFixture(otherStore: try FileStateStore(directory: paths[1]))
        let sockets = try SocketPair()
        let before = SceneRecord()
        let after = SceneRecord()
        let scene = try await predecessor.scenes.connect("a", expectedBytes: 12, priority: .high, observer: before)
        async let taking: Void = takeOver(sockets, successor, after)
        try await predecessor.scenes.handOff("a", to: transport(sockets))
        try await taking
        #expect(scene.sceneState == .disconnected)
        #expect(predecessor.scenes.scenes.isEmpty)
        #expect(before.calls.suffix(1) == ["didDisconnect"])
        #expect(predecessor.scenes.statistics.handedOver == 1)
        let there = try #require(successor.scenes["a"])
        #expect(there.sceneState == .active && there.priority == .high && there.declaredBytes == 12)
        #expect(after.restored == SceneStateData(version: 3, bytes: Array("a 3".utf8)))
        let stored = try await FileStateStore(directory: paths[1]).load("a")
        #expect(stored?.1 == after.restored, "the successor has it in store")
        if !sharesDirectory {
            #expect(try await FileStateStore(directory: paths[0]).load("a") == nil, "and the predecessor no more")
        }
    }

    @Test("A successor that refuses leaves the scene where it was, with its state stored", arguments: [true, false])
    func refused(sharesDirectory: Bool) async throws {
        let directory = try TemporaryDirectory()
        let paths = [directory.path.appending("first"), directory.path.appending(sharesDirectory ? "first" : "second")]
        let predecessor = SceneFixture(otherStore: try FileStateStore(directory: paths[0]))
        let successor = SceneFixture(otherStore: try FileStateStore(directory: paths[1]))
        let sockets = try SocketPair()
        let refusing = SceneRecord { name, _ in if name == "willConnect" { throw SceneRecord.Failure() } }
        let scene = try await predecessor.scenes.connect("a", observer: SceneRecord())
        async let taking: Void = takeOver(sockets, successor, refusing)
        await #expect(throws: SceneRefusal.self) {
            try await predecessor.scenes.handOff("a", to: transport(sockets))
        }
        try await taking
        #expect(scene.sceneState == .active)
        #expect(successor.scenes.scenes.isEmpty)
        #expect(try await FileStateStore(directory: paths[0]).load("a") != nil)
        if !sharesDirectory { #expect(try await FileStateStore(directory: paths[1]).load("a") == nil) }
    }

    @Test("A successor that does not answer in time does not get the scene")
    func silent() async throws {
        let fixture = SceneFixture()
        let spot = SlowSpot()
        let scene = try await fixture.scenes.connect("a", observer: SceneRecord())
        let handing = Task { try await fixture.scenes.handOff("a") { _ in await spot.stay() } }
        await fixture.advance(by: .seconds(10), whenArrived: spot.gate)
        await #expect(throws: SceneRefusal.handOffFailed("it did not answer in time")) { try await handing.value }
        #expect(scene.sceneState == .active)
        #expect(fixture.scenes.statistics.handedOver == 0)
        spot.open()
    }

    @Test("Without a store the state goes over too, also at the second attempt")
    func withoutStore() async throws {
        let fixture = SceneFixture(withStore: false)
        let states = Lock<[SceneStateData?]>([])
        _ = try await fixture.scenes.connect("a", observer: OnceEncoded())
        await #expect(throws: SceneRefusal.self) {
            try await fixture.scenes.handOff("a") { handoff in
                states.withLock { $0.append(handoff.state) }
                throw SceneRecord.Failure()
            }
        }
        try await fixture.scenes.handOff("a") { handoff in states.withLock { $0.append(handoff.state) } }
        let state = SceneStateData(version: 1, bytes: [9])
        #expect(states.withLock { $0 } == [state, state])
    }

    /// Says once what its state is, and then that nothing has changed.
    private final class OnceEncoded: SceneObserver {
        let hasTold = Lock(false)

        func encodeState(of scene: ServerScene) async throws -> SceneStateData? {
            let isFirst = hasTold.withLock { hasTold in
                defer { hasTold = true }
                return !hasTold
            }
            return isFirst ? SceneStateData(version: 1, bytes: [9]) : nil
        }
    }

    @Test("What is not there cannot be handed over, and a successor that has the scene refuses another")
    func misuse() async throws {
        let fixture = SceneFixture()
        await #expect(throws: SceneRefusal.notConnected) { try await fixture.scenes.handOff("a") { _ in } }
        _ = try await fixture.scenes.connect("a", observer: SceneRecord())
        let handoff = SceneHandoff(identifier: "a", priority: .low, expectedBytes: 0, state: nil)
        await #expect(throws: SceneRefusal.alreadyConnected) {
            try await fixture.scenes.connect(from: handoff, observer: SceneRecord())
        }
        let large = SceneHandoff(
            identifier: "b", priority: .low, expectedBytes: 0,
            state: SceneStateData(version: 1, bytes: [UInt8](repeating: 0, count: 2 << 20)))
        let refusal = await #expect(throws: SceneRefusal.self) {
            try await fixture.scenes.connect(from: large, observer: SceneRecord())
        }
        #expect(refusal?.storeError == .tooLarge(bytes: 2 << 20, maximum: 1 << 20))
    }

    @Test("A successor that cannot store the state does not take the scene")
    func successorWithFullDisk() async throws {
        let fixture = SceneFixture()
        fixture.store.fail(with: .system(.noSpace, doing: "writing the file"))
        let handoff = SceneHandoff(
            identifier: "a", priority: .low, expectedBytes: 0, state: SceneStateData(version: 1, bytes: [1]))
        await #expect(throws: SceneRefusal.store(.unavailable)) {
            try await fixture.scenes.connect(from: handoff, observer: SceneRecord())
        }
        #expect(fixture.scenes.scenes.isEmpty)
    }
}
