internal import Logging
internal import MemoryPressure

extension ServerScene {
    /// The deadlines of one change, and what it is told as.
    private struct Step {
        let transition: SceneTransition
        /// Of each callback.
        let deadline: MonotonicInstant
        /// Of the store.
        let storingDeadline: MonotonicInstant
    }

    /// Takes the scene through all changes that lead to `target`. The caller has the scene's turn.
    ///
    /// - Parameters:
    ///   - deadline: For all of them together; nil gives each its own.
    ///   - last: The time that storing has, where that is longer than the change's own.
    func move(
        to target: SceneState, cause: SceneCause, by deadline: MonotonicInstant? = nil,
        storingBy last: MonotonicInstant? = nil
    ) async throws(SceneRefusal) {
        let (from, path) = path(to: target)
        // Who connects it has not had its turn yet: nothing was told to the observer, and nothing may be before that.
        let isConnected = from != .unattached || target == .disconnected
        guard from != .disconnected, isConnected else { throw .notConnected }
        guard let path else { throw .transition(from: from, to: target) }
        for next in path {
            let own = parts.transitionDeadline
            let end = min(own, deadline ?? own)
            try await step(to: next, cause: cause, by: end, storingBy: max(end, last ?? end))
        }
        if target == .disconnected { releaseObserver() }
    }

    private func step(
        to target: SceneState, cause: SceneCause, by deadline: MonotonicInstant, storingBy last: MonotonicInstant
    ) async throws(SceneRefusal) {
        let (from, actions) = try begin(target, cause: cause)
        let transition = SceneTransition(
            sequence: parts.nextSequence(), scene: identifier, from: from, to: target, cause: cause)
        let step = Step(transition: transition, deadline: deadline, storingDeadline: last)
        for action in actions { await carryOut(action, step) }
        // Last: a new scene of this name would have what is emptied and ended by name.
        if target == .disconnected { manager?.remove(self) }
    }

    private func carryOut(_ action: SceneMachine.Action, _ step: Step) async {
        switch action {
        case .tell(let callback): await tell(callback, step.transition, by: step.deadline)
        case .commit: carryOutCommit(step.transition)
        case .noteUnsaved: saving.mayChange()
        case .save: await save(by: step.deadline, storingBy: step.storingDeadline)
        case .cutCaches:
            let isDraining = manager?.ceiling.isEnding ?? false
            await belongings.cutCaches(sensitiveOnly: isDraining, by: step.deadline, token())
        case .restoreLimits: await belongings.restoreLimits(by: step.deadline, token())
        case .emptyCaches: await belongings.emptyCaches(by: step.deadline, token())
        case .expireBackgroundTasks: belongings.expireTasks()
        case .endBelongings: belongings.end()
        }
    }

    /// Completes the change that was begun, and tells those who count and record changes.
    func carryOutCommit(_ transition: SceneTransition) {
        let (left, entered) = commit()
        let change = (SceneOrder.rank(entered) == nil ? 0 : 1) - (SceneOrder.rank(left) == nil ? 0 : 1)
        parts.gauges.noteCandidates(change)
        parts.log.logger.debug("Scene \(transition)")
        parts.noteTransition(transition)
    }

    private func tell(_ callback: SceneCallback, _ transition: SceneTransition, by deadline: MonotonicInstant) async {
        guard let observer else { return }
        await call(callback, by: deadline) { [self] in
            switch callback {
            case .didBecomeActive: await observer.didBecomeActive(self, transition)
            case .willResignActive: await observer.willResignActive(self, transition)
            case .didEnterBackground: await observer.didEnterBackground(self, transition)
            case .willEnterForeground: await observer.willEnterForeground(self, transition)
            case .willTerminate: await observer.willTerminate(self, transition)
            case .didDisconnect: await observer.didDisconnect(self, transition)
            case .willConnect, .didReceiveMemoryWarning, .encodeState, .storeState, .cacheHandlers: break
            }
        }
    }

    /// Tells the observer that memory is short, except that of a suspended scene, and of one that was not told yet that it connects.
    /// The caller has the scene's turn.
    func warn(of change: LevelChange) async {
        guard sceneState != .suspended, sceneState != .unattached, let observer else { return }
        await call(.didReceiveMemoryWarning, by: parts.transitionDeadline) { [self] in
            await observer.didReceiveMemoryWarning(self, change)
        }
    }

    /// Calls the scene's observer, and goes on without it after the deadline.
    @discardableResult
    func call(
        _ callback: SceneCallback, by deadline: MonotonicInstant, _ body: @escaping @Sendable () async -> Void
    ) async -> SerialCalls.Outcome {
        let token = token(callback.isOfAChange ? deadline : nil)
        return await calls.call(callback, by: deadline) { await token.run(body) }
    }

    /// Marks a callback that changes of the scene, and of the process, wait for.
    ///
    /// - Parameter deadline: The deadline of what the callback begins; nil for a callback of no change.
    private func token(_ deadline: MonotonicInstant? = nil) -> CallbackToken {
        let whole: AnyObject = manager ?? self
        guard let deadline else { return CallbackToken(of: self, whole) }
        return CallbackToken(of: self, whole) { deadline }
    }
}
