internal import MemoryPressure

/// The figures of what a manager's ladder could take.
struct ManagerStock: LadderStock {
    let tasks: BackgroundTaskRegistry
    let sceneGauges: SceneGauges
    let leaving: LeavingGauges

    var heldBackgroundTasks: Int { tasks.heldCount }
    var scenes: Int { sceneGauges.candidateCount }
    var timeToLeave: Duration? { leaving.mayBeToldToLeave ? leaving.timeToLeave() : nil }
}

/// The victims that a manager's ladder can take: the tasks of its registry, and its scenes.
struct ManagerVictims: LadderVictims {
    let tasks: BackgroundTaskRegistry
    let scenes: SceneManager

    func expireBackgroundTasks(atMost: Int, reason: LevelReason) -> any LeavingVictims {
        tasks.expireEarly(atMost: atMost)
    }

    func takeScene(reason: LevelReason, isCalledFor: @Sendable () -> Bool) async -> String? {
        let loss = await scenes.loseNext(reason: reason.description, isCalledFor: isCalledFor)
        return loss.map { "'\($0.scene)', \($0.state), \($0.priority), \(ByteCount($0.footprintBytes))" }
    }
}

extension EarlyExpiry: LeavingVictims {}
