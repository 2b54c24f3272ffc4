internal import Logging
internal import MemoryPressure

extension SceneManager {
    /// Makes room for a scene that is to connect, from whatever ranks lower, and throws where there is not enough.
    func makeRoom(_ scene: ServerScene, _ connection: SceneConnection) async throws(SceneRefusal) {
        guard connection.expectedBytes > 0, !connection.hasRoom, let ask = dependencies.makeRoom else { return }
        await roomTurn.acquire()
        defer { roomTurn.release() }
        let (needed, overflow) = connection.expectedBytes.addingReportingOverflow(connecting)
        guard !overflow else { throw .noRoom(needed: connection.expectedBytes, available: 0) }
        var available = await room(needed, ask)
        while available < needed, configuration.takesRoomFromScenes {
            let lower = facts(all.filter { !CallbackToken.isInside($0) }).filter {
                SceneOrder.ranks($0, below: connection.origin.target, connection.priority)
            }
            // None is taken for nothing: all of them together must be enough.
            let gain = lower.reduce(0) { $0.addingSaturating($1.footprintBytes) }
            guard let victim = SceneOrder.firstLost(lower), gain >= needed - available else { break }
            guard let scene = self[victim.identifier], await lose(scene, "room for '\(connection.identifier)'") != nil
            else { break }
            available = await room(needed, ask)
        }
        guard available >= needed else {
            let others = needed - connection.expectedBytes
            throw .noRoom(needed: connection.expectedBytes, available: max(0, available - others))
        }
        scene.noteRoom()
    }

    /// The bytes that are expected by other scenes, those that have been given room and are not connected yet.
    private var connecting: Int {
        all.reduce(0) { $0.addingSaturating($1.awaitedBytes) }
    }

    private func room(_ bytes: Int, _ ask: @escaping @Sendable (Int) async -> Int) async -> Int {
        let answer = Lock(0)
        let deadline = now.advanced(by: configuration.connectDeadline)
        _ = await SerialCalls().call(by: deadline, deadlines) {
            let available = await ask(bytes)
            answer.withLock { $0 = max(0, available) }
        }
        return answer.withLock { $0 }
    }
}
