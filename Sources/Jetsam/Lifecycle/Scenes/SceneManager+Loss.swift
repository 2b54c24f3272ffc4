internal import Logging
internal import MemoryPressure
internal import Synchronization

extension SceneManager {
    /// The scenes that can be lost in one state: their number and their bytes.
    package struct LossCandidates: Sendable, Equatable {
        package var count = 0
        package var bytes = 0
    }

    /// The number of scenes that can be lost. Cheap: no lock, and no walk.
    var candidateCount: Int { dependencies.gauges.candidateCount }

    /// Returns the number of scenes that can be lost and their cost in bytes, by state.
    package func candidatesForLoss() -> [SceneState: LossCandidates] {
        facts(all).filter { SceneOrder.rank($0.state) != nil }.reduce(into: [:]) { result, facts in
            result[facts.state, default: LossCandidates()].count += 1
            result[facts.state]!.bytes = result[facts.state]!.bytes.addingSaturating(facts.footprintBytes)
        }
    }

    /// Disconnects the scene that is lost first, with all the notices that are due to it, within one deadline. The next one
    /// is not begun before it is gone.
    ///
    /// - Parameters:
    ///   - reason: For the log line.
    ///   - isCalledFor: Asked directly before a scene is told: memory may have come back while others had their turn.
    /// - Returns: The scene that was lost; nil where there was nothing to lose, or the loss is called for no more.
    package func loseNext(
        reason: String, isCalledFor: @Sendable () -> Bool = { true }
    ) async -> SceneLoss? {
        await lossTurn.acquire()
        defer { lossTurn.release() }
        // Cancelled where it had its time while it waited: what was asked for then need not be called for any more.
        while !Task.isCancelled, isCalledFor(),
            let first = SceneOrder.firstLost(facts(all.filter { !CallbackToken.isInside($0) }))
        {
            guard let scene = self[first.identifier] else { continue }
            if let loss = await lose(scene, reason, as: first.state, isCalledFor) { return loss }
        }
        return nil
    }

    func lose(_ scene: ServerScene, _ reason: String) async -> SceneLoss? {
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
        let facts = facts(scene)
        guard !Task.isCancelled, isCalledFor(), let rank = SceneOrder.rank(facts.state),
            rank <= SceneOrder.rank(chosen) ?? rank
        else { return nil }
        let begin = now
        let deadline = begin.advanced(by: configuration.lossDeadline)
        guard (try? await move(scene, to: .disconnected, cause: .pressure, by: deadline)) != nil else { return nil }
        let end = now
        let loss = SceneLoss(
            scene: scene.identifier, state: facts.state, priority: scene.priority, footprintBytes: facts.footprintBytes,
            wasInTime: end <= deadline, lostState: scene.isUnsaved, duration: begin.duration(to: end))
        count { $0.lost += 1 }
        logger.notice(
            "Scene '\(scene.identifier)' was disconnected: \(reason.prefix(200))",
            metadata: ["state": "\(facts.state)", "footprintBytes": "\(facts.footprintBytes)"])
        return loss
    }
}
