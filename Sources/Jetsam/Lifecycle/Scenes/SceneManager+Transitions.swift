internal import Logging
internal import MemoryPressure
internal import Synchronization

extension SceneManager {
    /// Brings a scene to a state that a client asks for: refused where the process does not allow it now.
    func request(_ scene: ServerScene, _ target: SceneState) async throws(SceneRefusal) {
        try refuseInside(scene)
        await scene.turn.acquire()
        defer { scene.turn.release() }
        try checkCeiling(target)
        scene.resumesTo = nil
        try await move(scene, to: target, cause: .client)
    }

    func disconnect(_ scene: ServerScene, discardsState: Bool) async throws(SceneRefusal) {
        try refuseInside(scene)
        await scene.turn.acquire()
        defer { scene.turn.release() }
        try await move(scene, to: .disconnected, cause: .client)
        // By its stamp: what a new scene of this name has stored meanwhile is not its own.
        if discardsState { await forget(scene, ifStampIs: scene.saved.stamp) }
    }

    /// Takes a scene through all changes that lead to `target`. The caller has its turn.
    ///
    /// - Parameters:
    ///   - deadline: For all of them together; nil gives each its own.
    ///   - isLast: True where a state that is not stored by `deadline` is lost: storing has all of that time.
    func move(
        _ scene: ServerScene, to target: SceneState, cause: SceneCause, by deadline: MonotonicInstant? = nil,
        isLast: Bool = false
    ) async throws(SceneRefusal) {
        let (from, path) = scene.path(to: target)
        // Who connects it has not had its turn yet: nothing was told to the observer, and nothing may be before that.
        let isConnected = from != .unattached || target == .disconnected
        guard from != .disconnected, isConnected else { throw .notConnected }
        guard let path else { throw .transition(from: from, to: target) }
        for next in path {
            let own = now.advanced(by: configuration.transitionDeadline)
            try await step(
                scene, to: next, cause: cause, by: min(own, deadline ?? own), storingBy: isLast ? deadline : nil)
        }
        if target == .disconnected { scene.releaseObserver() }
    }

    private func step(
        _ scene: ServerScene, to target: SceneState, cause: SceneCause, by deadline: MonotonicInstant,
        storingBy last: MonotonicInstant?
    ) async throws(SceneRefusal) {
        let (from, actions) = try scene.begin(target, cause: cause)
        let transition = SceneTransition(
            sequence: dependencies.nextSequence(), scene: scene.identifier, from: from, to: target, cause: cause)
        for action in actions {
            await carryOut(action, scene, transition, by: deadline, storingBy: last ?? deadline)
        }
        // Last: a new scene of this name would have what is emptied and ended by name.
        if target == .disconnected { forgetScene(scene) }
    }

    func carryOut(
        _ action: SceneMachine.Action, _ scene: ServerScene, _ transition: SceneTransition,
        by deadline: MonotonicInstant,
        storingBy last: MonotonicInstant? = nil
    ) async {
        switch action {
        case .tell(let callback): await tell(callback, scene, transition, by: deadline)
        case .commit: commit(scene, transition)
        case .noteUnsaved: scene.changeSaved { $0.mayChange(hasStore: dependencies.store != nil) }
        case .save: await save(scene, by: deadline, storingBy: last ?? deadline)
        case .cutCaches:
            let isDraining = state.withLock { $0.isFinal }
            await handleCaches(scene, by: deadline) { [caches, percent = configuration.backgroundCachePercent] left in
                let before = await caches.cut(
                    scene.identifier, percent: percent, deadline: left, sensitiveOnly: isDraining)
                scene.limitsBeforeCut = before
            }
        case .restoreLimits:
            await handleCaches(scene, by: deadline) { [caches] _ in
                await caches.restoreLimits(scene.identifier, scene.limitsBeforeCut)
            }
        case .emptyCaches:
            await handleCaches(scene, by: deadline) { [caches] left in
                let before = await caches.empty(scene.identifier, scene.limitsBeforeCut, deadline: left)
                scene.limitsBeforeCut = before
            }
        case .expireBackgroundTasks: dependencies.tasks.expireAll(of: scene.identifier)
        case .endBelongings:
            dependencies.tasks.endAll(of: scene.identifier)
            caches.end(scene.identifier)
        }
    }

    private func commit(_ scene: ServerScene, _ transition: SceneTransition) {
        let (left, entered) = scene.commit()
        let change = (SceneOrder.rank(entered) == nil ? 0 : 1) - (SceneOrder.rank(left) == nil ? 0 : 1)
        dependencies.gauges.noteCandidates(change)
        logger.debug("Scene \(transition)")
        dependencies.noteTransition(transition)
    }

    /// Takes a scene out of the list, if it is still the one of its name there.
    func forgetScene(_ scene: ServerScene) {
        let removed = state.withLock { state -> ServerScene? in
            guard state.scenes[scene.identifier] === scene else { return nil }
            return state.scenes.removeValue(forKey: scene.identifier)
        }
        _ = removed
    }

    private func handleCaches(
        _ scene: ServerScene, by deadline: MonotonicInstant,
        _ body: @escaping @Sendable (_ left: Duration) async -> Void
    ) async {
        guard !dependencies.registry.clients(of: scene.identifier).isEmpty else { return }
        let left = max(.zero, now.duration(to: deadline))
        let token = CallbackToken(of: scene, self)
        let outcome = await scene.handlers.call(by: deadline, deadlines) { await token.run { await body(left) } }
        if case .late = outcome {
            caches.thread.giveUpBusyThread()
            noteLate(.cacheHandlers, scene)
        }
    }

    private func tell(
        _ callback: SceneCallback, _ scene: ServerScene, _ transition: SceneTransition, by deadline: MonotonicInstant
    ) async {
        guard let observer = scene.observer else { return }
        await call(callback, scene, by: deadline) {
            switch callback {
            case .didBecomeActive: await observer.didBecomeActive(scene, transition)
            case .willResignActive: await observer.willResignActive(scene, transition)
            case .didEnterBackground: await observer.didEnterBackground(scene, transition)
            case .willEnterForeground: await observer.willEnterForeground(scene, transition)
            case .willTerminate: await observer.willTerminate(scene, transition)
            case .didDisconnect: await observer.didDisconnect(scene, transition)
            case .willConnect, .didReceiveMemoryWarning, .encodeState, .storeState, .cacheHandlers: break
            }
        }
    }

    /// Calls the scene's observer, and goes on without it after the deadline.
    @discardableResult
    func call(
        _ callback: SceneCallback, _ scene: ServerScene, by deadline: MonotonicInstant,
        _ body: @escaping @Sendable () async -> Void
    ) async -> SerialCalls.Outcome {
        let isOfAChange = callback != .willConnect && callback != .didReceiveMemoryWarning
        let token = isOfAChange ? CallbackToken(of: scene, self) { deadline } : CallbackToken(of: scene, self)
        let outcome = await scene.callbacks.call(on: scene.executor, by: deadline, deadlines) {
            await token.run(body)
        }
        if case .late = outcome { noteLate(callback, scene) }
        return outcome
    }

    func noteLate(_ callback: SceneCallback, _ scene: ServerScene) {
        scene.noteMissedDeadline()
        count { $0.note(LateSceneCallback(scene: scene.identifier, callback: callback.rawValue)) }
        warn("Scene '\(scene.identifier)': \(callback.rawValue) missed its deadline")
    }

    func refuseInside(_ scene: ServerScene) throws(SceneRefusal) {
        if CallbackToken.isInside(scene) { throw .insideCallback }
    }

    /// Refuses what is above the state that the process allows.
    func checkCeiling(_ target: SceneState) throws(SceneRefusal) {
        if let refusal = state.withLock({ Self.refusal(of: target, $0) }) { throw refusal }
    }

    static func refusal(of target: SceneState, _ state: State) -> SceneRefusal? {
        guard target == .active || target == .inactive else { return nil }
        if state.isFinal { return .processState("shutting down") }
        let isAllowed = (SceneOrder.rank(state.ceiling) ?? -1) >= SceneOrder.rank(target)!
        return isAllowed ? nil : .processState(state.ceiling.description)
    }
}
