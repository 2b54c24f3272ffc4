internal import Logging
internal import MemoryPressure

extension SceneManager {
    /// What there is to lose, by state.
    package struct LossCandidates: Sendable, Equatable {
        package var count = 0
        package var bytes = 0
    }

    /// How many scenes there are. Cheap.
    var candidateCount: Int { state.withLock { $0.scenes.count } }

    /// How many scenes there are to lose and what they cost, by state.
    package func candidatesForLoss() -> [SceneState: LossCandidates] {
        facts(all).filter { SceneOrder.rank($0.state) != nil }.reduce(into: [:]) { result, facts in
            result[facts.state, default: LossCandidates()].count += 1
            let (sum, overflow) = result[facts.state]!.bytes.addingReportingOverflow(facts.footprintBytes)
            result[facts.state]!.bytes = overflow ? .max : sum
        }
    }

    /// Disconnects the scene that is lost first, with all the notices that are due to it, within one deadline. The next one
    /// is not begun before it is gone.
    ///
    /// - Parameter reason: For the log line.
    /// - Returns: What was lost; nil where there was nothing to lose.
    package func loseNext(reason: String) async -> SceneLoss? {
        await lossTurn.take()
        defer { lossTurn.release() }
        // Cancelled where it had its time while it waited: what was asked for then need not be called for any more.
        while !Task.isCancelled, let first = SceneOrder.firstLost(facts(all.filter { !CallbackToken.isInside($0) })) {
            guard let scene = self[first.identifier] else { continue }
            if let loss = await take(scene, reason, as: first.state) { return loss }
        }
        return nil
    }

    func lose(_ scene: Scene, _ reason: String) async -> SceneLoss? {
        let chosen = scene.sceneState
        await lossTurn.take()
        defer { lossTurn.release() }
        return await take(scene, reason, as: chosen)
    }

    /// - Parameter chosen: The state in which it was chosen; nothing happens where it ranks higher by now.
    private func take(_ scene: Scene, _ reason: String, as chosen: SceneState) async -> SceneLoss? {
        await scene.turn.take()
        defer { scene.turn.release() }
        let facts = facts(scene)
        guard !Task.isCancelled, let rank = SceneOrder.rank(facts.state), rank <= SceneOrder.rank(chosen) ?? rank
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
