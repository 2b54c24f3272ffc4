internal import Logging
internal import MemoryPressure

/// The scenes that are taken for memory: in the order of loss, one at a time.
final class SceneRoom: Sendable {
    /// Makes room outside of scenes; nil where there is always room.
    private let ask: (@Sendable (_ bytes: Int) async -> Int)?
    private let parts: SceneParts
    private let turn = AsyncTurn()
    /// Losses, one at a time.
    let lossTurn = AsyncTurn()

    init(_ parts: SceneParts, ask: (@Sendable (_ bytes: Int) async -> Int)?) {
        self.parts = parts
        self.ask = ask
    }

    /// Makes room for a scene that is to connect, from whatever ranks lower, and throws where there is not enough.
    ///
    /// - Parameter scenes: Gives the connected scenes.
    func make(
        for scene: ServerScene, _ connection: SceneConnection, among scenes: @Sendable () -> [ServerScene]
    ) async throws(SceneRefusal) {
        guard connection.expectedBytes > 0, !connection.hasRoom, let ask else { return }
        await turn.acquire()
        defer { turn.release() }
        // Other scenes have been given room and are not connected yet.
        let awaited = scenes().reduce(0) { $0.addingSaturating($1.awaitedBytes) }
        let (needed, overflow) = connection.expectedBytes.addingReportingOverflow(awaited)
        guard !overflow else { throw .noRoom(needed: connection.expectedBytes, available: 0) }
        var available = await room(needed, ask)
        while available < needed, parts.configuration.takesRoomFromScenes {
            let all = takeable(scenes())
            let lower = facts(all).filter { SceneOrder.ranks($0, below: connection.origin.target, connection.priority) }
            // None is taken for nothing: all of them together must be enough.
            let gain = lower.reduce(0) { $0.addingSaturating($1.footprintBytes) }
            guard let victim = SceneOrder.firstLost(lower), gain >= needed - available,
                let scene = all.first(where: { $0.identifier == victim.identifier }),
                await lose(scene, "room for '\(connection.identifier)'") != nil
            else { break }
            available = await room(needed, ask)
        }
        guard available >= needed else {
            let others = needed - connection.expectedBytes
            throw .noRoom(needed: connection.expectedBytes, available: max(0, available - others))
        }
        scene.noteRoom()
    }

    private func room(_ bytes: Int, _ ask: @escaping @Sendable (Int) async -> Int) async -> Int {
        let deadline = parts.now.advanced(by: parts.configuration.connectDeadline)
        let available = await SerialCalls().answer(by: deadline, parts.deadlines) { await ask(bytes) }
        return max(0, available ?? 0)
    }

    /// Disconnects the scene that is lost first. The next one is not begun before it is gone.
    ///
    /// - Parameters:
    ///   - reason: For the log line.
    ///   - isCalledFor: Asked directly before a scene is told.
    ///   - scenes: Gives the connected scenes.
    func loseNext(
        _ reason: String, isCalledFor: @Sendable () -> Bool, among scenes: @Sendable () -> [ServerScene]
    ) async -> SceneLoss? {
        await lossTurn.acquire()
        defer { lossTurn.release() }
        // Cancelled where it had its time while it waited: what was asked for then need not be called for any more.
        while !Task.isCancelled, isCalledFor() {
            let all = takeable(scenes())
            guard let first = SceneOrder.firstLost(facts(all)) else { return nil }
            guard let scene = all.first(where: { $0.identifier == first.identifier }) else { continue }
            if let loss = await lose(scene, reason, as: first.state, isCalledFor) { return loss }
        }
        return nil
    }

    private func lose(_ scene: ServerScene, _ reason: String) async -> SceneLoss? {
        let chosen = scene.sceneState
        await lossTurn.acquire()
        defer { lossTurn.release() }
        return await lose(scene, reason, as: chosen) { true }
    }

    /// - Parameter chosen: The state in which it was chosen; nothing happens where it ranks higher by now.
    private func lose(
        _ scene: ServerScene, _ reason: String, as chosen: SceneState, _ isCalledFor: @Sendable () -> Bool
    ) async -> SceneLoss? {
        await scene.turn.acquire()
        defer { scene.turn.release() }
        let facts = scene.facts(canSave: parts.storage.canSave)
        guard !Task.isCancelled, isCalledFor(), let rank = SceneOrder.rank(facts.state),
            rank <= SceneOrder.rank(chosen) ?? rank
        else { return nil }
        let begin = parts.now
        let deadline = begin.advanced(by: parts.configuration.lossDeadline)
        guard (try? await scene.move(to: .disconnected, cause: .pressure, by: deadline)) != nil else { return nil }
        let end = parts.now
        let loss = SceneLoss(
            scene: scene.identifier, state: facts.state, priority: scene.priority, footprintBytes: facts.footprintBytes,
            wasInTime: end <= deadline, lostState: scene.isUnsaved, duration: begin.duration(to: end))
        parts.log.count(\.lost)
        parts.log.logger.notice(
            "Scene '\(scene.identifier)' was disconnected: \(reason.prefix(200))",
            metadata: ["state": "\(facts.state)", "footprintBytes": "\(facts.footprintBytes)"])
        return loss
    }

    /// Returns the scenes that can be lost here: one whose callback waits for this cannot.
    private func takeable(_ scenes: [ServerScene]) -> [ServerScene] {
        scenes.filter { !CallbackToken.isInside($0) }
    }

    private func facts(_ scenes: [ServerScene]) -> [SceneOrder.Facts] {
        let canSave = parts.storage.canSave
        return scenes.map { $0.facts(canSave: canSave) }
    }
}
