internal import Logging
internal import MemoryPressure

extension SceneManager {
    /// The process is about to leave a state for a lower one: scenes above it follow.
    ///
    /// - Parameters:
    ///   - state: The state that the process goes to; `disconnected` where it ends.
    ///   - isFinal: True where it ends and does not come back: nothing connects any more.
    ///   - deadline: The time when it goes on whatever the scenes do.
    package func processGoesDown(to state: SceneState, isFinal: Bool, by deadline: MonotonicInstant) async {
        lowerCeiling(to: state, isFinal: isFinal)
        await follow(by: deadline) { [self] scene in
            // A lane that was late may come here when the process is up again.
            guard ceiling.state == state else { return }
            let from = scene.sceneState
            switch state {
            case .inactive where from == .active, .background where from == .active || from == .inactive,
                .suspended where from != .suspended && from != .disconnected && from != .unattached:
                scene.resume(to: from)
                // What is not stored when a process ends is lost.
                let storing = isFinal && state == .background ? deadline : nil
                try? await scene.move(to: state, cause: .process, storingBy: storing)
            case .disconnected:
                try? await scene.move(to: .disconnected, cause: .process)
            default: break
            }
        }
    }

    /// The process has come up to a state: the scenes that it took down follow, as far as they were up.
    package func processCameUp(to state: SceneState, by deadline: MonotonicInstant) async {
        raiseCeiling(to: state)
        // Readiness does not wait for what restoration has left for later.
        if state == .active, restorer.progress.isDue { Task { await restorePostponed() } }
        await follow(by: deadline) { [self] scene in
            guard ceiling.state == state, let target = scene.takeResumption(under: state) else { return }
            try? await scene.move(to: target, cause: .process)
        }
    }

    /// Goes through the scenes, those of high priority first, several at a time; goes on without them after the deadline.
    ///
    /// The deadline is the process's alone. A scene has the time that its changes always have, however little is left when its turn
    /// comes: that others held it up is not its doing, and it is told and saved all the same.
    private func follow(by deadline: MonotonicInstant, _ body: @escaping @Sendable (ServerScene) async -> Void) async {
        let queue = SceneQueue(byPriority)
        guard queue.count > 0 else { return }
        let wait = TimedWait()
        parts.log.beginChange()
        Task {
            await queue.run(body)
            wait.resolve(.done)
        }
        let id = deadlines.add(deadline) { wait.resolve(.expired) }
        let outcome = await wait.outcome()
        deadlines.cancel(id)
        // Warnings that come later are part of the same change; at the end of the process nothing else is to be heard of.
        parts.log.endChange(isOver: outcome == .done || !ceiling.isEnding)
        if outcome == .expired {
            let left = queue.leftCount
            let begun = left == 1 ? "was not begun" : "were not begun"
            parts.log.logger.warning(
                "Scenes: the process goes on before all have followed it; \(left) of \(queue.count) \(begun)")
        }
    }
}
