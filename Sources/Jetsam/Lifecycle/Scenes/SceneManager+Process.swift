internal import Logging
internal import MemoryPressure
internal import Synchronization

extension SceneManager {
    /// The process is about to leave a state for a lower one: scenes above it follow.
    ///
    /// - Parameters:
    ///   - state: The state that the process goes to; `disconnected` where it ends.
    ///   - isFinal: True where it ends and does not come back: nothing connects any more.
    ///   - deadline: The time when it goes on whatever the scenes do.
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
                scene.resume(to: from)
                // A process that ends goes on by its deadline, and what it has not waited for may still finish before the next.
                let end = isFinal && state == .inactive ? nil : time(until: deadline)
                try? await move(
                    scene, to: state, cause: .process, by: end, isLast: isFinal && state == .background)
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
                let resumesTo = scene.resumesTo
            else { return }
            let from = scene.sceneState
            guard let own = SceneOrder.rank(from), let wanted = SceneOrder.rank(resumesTo) else { return }
            let reach = min(wanted, SceneOrder.rank(state) ?? 0)
            if reach == wanted { scene.resumesTo = nil }
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

    /// So many at a time that ten thousand scenes are not ten thousand tasks at once; one that is stuck keeps nobody from the
    /// next. A store that writes 64 states together has as many that wait meanwhile.
    static let lanes = 128
    /// So many warnings about scenes are written for one change of the process; the others are counted.
    private static let mostWarnings = 8

    /// Goes through the scenes, those of high priority first, several at a time; goes on without them after the deadline.
    private func forEach(by deadline: MonotonicInstant, _ body: @escaping @Sendable (ServerScene) async -> Void) async {
        let ordered = scenes.map { (facts($0), $0) }.sorted { SceneOrder.isActivated($0.0, before: $1.0) }.map(\.1)
        let left = Lock(ordered[...])
        let wait = TimedWait()
        state.withLock { $0.warnings = 0 }
        Task {
            await withDiscardingTaskGroup { group in
                for _ in 0..<min(Self.lanes, ordered.count) {
                    group.addTask {
                        while let scene = left.withLock({ $0.popFirst() }) {
                            await scene.turn.acquire()
                            await body(scene)
                            scene.turn.release()
                        }
                    }
                }
            }
            wait.resolve(.done)
        }
        let id = deadlines.add(deadline) { wait.resolve(.expired) }
        let outcome = await wait.outcome()
        deadlines.cancel(id)
        summarize(outcome, left: left.withLock { $0.count }, of: ordered.count)
    }

    private func summarize(_ outcome: TimedWait.Outcome, left: Int, of count: Int) {
        let warnings = state.withLock { state in
            // Those that come after it are part of the same change; at the end of the process nothing else is to be heard of.
            defer { if outcome == .done || !state.isFinal { state.warnings = nil } }
            return state.warnings ?? 0
        }
        if warnings > Self.mostWarnings {
            logger.warning(
                "Scenes: \(warnings - Self.mostWarnings) more warnings were not written, in one change of the process")
        }
        if outcome == .expired {
            logger.warning(
                "Scenes: the process goes on before all have followed it; \(left) of \(count) were not begun")
        }
    }

    /// Warns about one scene; where a change of the process takes many along, about the first of them only.
    func warn(_ message: @autoclosure () -> String) {
        let isWritten = state.withLock { state in
            guard let warnings = state.warnings else { return true }
            state.warnings = warnings + 1
            return warnings < Self.mostWarnings
        }
        if isWritten { logger.warning("\(message())") } else { logger.debug("\(message())") }
    }
}
