internal import MemoryPressure

/// The victims that a manager's ladder can take: the tasks of its registry, and its scenes; and the time that the process takes
/// to leave.
final class ManagerVictims: LadderVictims {
    private let tasks: BackgroundTaskRegistry
    /// Nil while the manager is being made.
    private let manager = Lock<SceneManager?>(nil)
    private let lifecycle = Lock<ProcessLifecycle?>(nil)

    init(tasks: BackgroundTaskRegistry) {
        self.tasks = tasks
    }

    func attach(_ scenes: SceneManager, _ lifecycle: ProcessLifecycle) {
        manager.withLock { $0 = scenes }
        self.lifecycle.withLock { $0 = lifecycle }
    }

    /// The manager is going: what was attached refers to this in turn.
    func detach() {
        let (scenes, lifecycle) = (manager.withLock { $0.take() }, lifecycle.withLock { $0.take() })
        withExtendedLifetime((scenes, lifecycle)) {}
    }

    var timeToLeave: Duration? {
        guard let lifecycle = lifecycle.withLock({ $0 }), lifecycle.mayBeToldToLeave else { return nil }
        return lifecycle.timeToLeave
    }

    var heldBackgroundTasks: Int { tasks.heldCount }

    var scenes: Int { manager.withLock { $0 }?.candidateCount ?? 0 }

    func expireBackgroundTasks(atMost: Int, reason: LevelReason) -> any LeavingVictims {
        tasks.expireEarly(atMost: atMost)
    }

    func takeScene(reason: LevelReason, isCalledFor: @Sendable () -> Bool) async -> String? {
        guard let manager = manager.withLock({ $0 }) else { return nil }
        let loss = await manager.loseNext(reason: reason.description, isCalledFor: isCalledFor)
        return loss.map { "'\($0.scene)', \($0.state), \($0.priority), \(ByteCount($0.footprintBytes))" }
    }
}

extension EarlyExpiry: LeavingVictims {}
