internal import MemoryPressure

extension SceneManager {
    /// The scenes that can be lost in one state: their number and their bytes.
    package struct LossCandidates: Sendable, Equatable {
        package var count = 0
        package var bytes = 0
    }

    /// The number of scenes that can be lost. Cheap: no lock, and no walk.
    var candidateCount: Int { parts.gauges.candidateCount }

    /// Returns the number of scenes that can be lost and their cost in bytes, by state.
    package func candidatesForLoss() -> [SceneState: LossCandidates] {
        let canSave = canSave
        return all.map { $0.facts(canSave: canSave) }.filter { SceneOrder.rank($0.state) != nil }.reduce(into: [:]) {
            $0[$1.state, default: LossCandidates()].count += 1
            $0[$1.state]!.bytes = $0[$1.state]!.bytes.addingSaturating($1.footprintBytes)
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
        await room.loseNext(reason, isCalledFor: isCalledFor) { all }
    }

    /// Tells the observers of all scenes that are not suspended, those of high priority first.
    ///
    /// - Parameter change: One that is overtaken by another goes to nobody else.
    func warn(of change: LevelChange) async {
        await warnings.tell(change) { byPriority }
    }
}
