internal import MemoryPressure
internal import Synchronization

/// The callbacks of one scene: they follow one another, each has a deadline, and those that miss it are noted.
final class SceneCalls: Sendable {
    private let identifier: SceneIdentifier
    private let parts: SceneParts
    private let executor: (any TaskExecutor)?
    private let callbacks = SerialCalls()
    private let hasMissedDeadline = Atomic<Bool>(false)

    init(_ identifier: SceneIdentifier, on executor: (any TaskExecutor)?, parts: SceneParts) {
        self.identifier = identifier
        self.executor = executor
        self.parts = parts
    }

    /// Indicates whether any callback has missed its deadline.
    var missedDeadline: Bool { hasMissedDeadline.load(ordering: .relaxed) }

    /// Calls the scene's observer, and goes on without it after the deadline.
    func call(
        _ callback: SceneCallback, by deadline: MonotonicInstant, _ body: @escaping @Sendable () async -> Void
    ) async -> SerialCalls.Outcome {
        let outcome = await callbacks.call(on: executor, by: deadline, parts.deadlines, body)
        if case .late = outcome { noteLate(callback) }
        return outcome
    }

    func noteLate(_ callback: SceneCallback) {
        hasMissedDeadline.store(true, ordering: .relaxed)
        parts.log.note(LateSceneCallback(scene: identifier, callback: callback.rawValue))
    }
}
