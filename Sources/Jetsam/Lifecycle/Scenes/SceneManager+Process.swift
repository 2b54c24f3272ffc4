package import MemoryPressure

extension SceneManager {
    /// The process is about to leave a state for a lower one: scenes above it follow.
    ///
    /// - Parameters:
    ///   - state: Where the process goes; `disconnected` where it ends.
    ///   - isFinal: Whether it ends and does not come back: nothing connects any more.
    ///   - deadline: When it goes on whatever the scenes do.
    package func processGoesDown(to state: SceneState, isFinal: Bool, by deadline: MonotonicInstant) async {
        let hasScenes = self.state.withLock { own in
            own.ceiling = state
            own.isFinal = own.isFinal || isFinal
            return !own.scenes.isEmpty
        }
        guard hasScenes else { return }
        await forEach(by: deadline) { [self] scene in
            // A lane that was late may come here when the process is up again.
            guard self.state.withLock({ $0.ceiling == state }) else { return }
            let from = scene.sceneState
            switch state {
            case .inactive where from == .active, .background where from == .active || from == .inactive,
                .suspended where from != .suspended && from != .disconnected && from != .unattached:
                scene.state.withLock { $0.resumesTo = $0.resumesTo ?? from }
                try? await move(scene, to: state, cause: .process, by: time(until: deadline))
            case .disconnected:
                try? await move(scene, to: .disconnected, cause: .process, by: time(until: deadline))
            default: break
            }
        }
    }

    /// The process has come up to a state: the scenes that it took down follow, as far as they were up.
    package func processCameUp(to state: SceneState, by deadline: MonotonicInstant) async {
        let (hasScenes, isRestorationDue) = self.state.withLock { own in
            own.ceiling = state
            own.isFinal = false
            return (!own.scenes.isEmpty, own.restorationIsDue || !own.postponed.isEmpty)
        }
        // Readiness does not wait for what restoration has left for later.
        if state == .active, isRestorationDue { Task { await restorePostponed() } }
        guard hasScenes else { return }
        await forEach(by: deadline) { [self] scene in
            guard self.state.withLock({ $0.ceiling == state }),
                let resumesTo = scene.state.withLock({ $0.resumesTo })
            else { return }
            let from = scene.sceneState
            guard let own = SceneOrder.rank(from), let wanted = SceneOrder.rank(resumesTo) else { return }
            let reach = min(wanted, SceneOrder.rank(state) ?? 0)
            if reach == wanted { scene.state.withLock { $0.resumesTo = nil } }
            guard own < reach, let target = SceneState.allCases.first(where: { SceneOrder.rank($0) == reach }) else {
                return
            }
            try? await move(scene, to: target, cause: .process, by: deadline)
        }
    }

    /// A scene whose turn comes late, because others held it up, is told all the same: the process waits for it no more, so each
    /// of its changes has the time that it always has.
    private func time(until deadline: MonotonicInstant) -> MonotonicInstant? {
        deadline > now ? deadline : nil
    }

    /// Goes through the scenes, those of high priority first, several at a time; goes on without them after the deadline.
    private func forEach(by deadline: MonotonicInstant, _ body: @escaping @Sendable (Scene) async -> Void) async {
        let ordered = scenes.map { (facts($0), $0) }.sorted { SceneOrder.isActivated($0.0, before: $1.0) }.map(\.1)
        let left = Lock(ordered[...])
        let wait = TimedWait()
        Task {
            await withDiscardingTaskGroup { group in
                // So many at a time that ten thousand scenes are not ten thousand tasks at once; one that is stuck keeps
                // nobody from the next.
                for _ in 0..<min(64, ordered.count) {
                    group.addTask {
                        while let scene = left.withLock({ $0.popFirst() }) {
                            await scene.turn.take()
                            await body(scene)
                            scene.turn.release()
                        }
                    }
                }
            }
            wait.resolve(.done)
        }
        let id = deadlines.add(deadline) { wait.resolve(.expired) }
        _ = await wait.outcome()
        deadlines.cancel(id)
    }
}
