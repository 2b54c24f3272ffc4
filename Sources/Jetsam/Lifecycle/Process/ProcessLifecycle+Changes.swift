internal import Logging
internal import MemoryPressure

/// The changes of the state, and what has to be done for each. The caller has the turn.
extension ProcessLifecycle {
    /// Takes the process through all changes that lead to `target`.
    ///
    /// - Parameter deadline: For all of them together; nil gives each its own.
    func move(
        to target: ProcessState, cause: LifecycleCause, by deadline: MonotonicInstant? = nil
    ) async throws(LifecycleRefusal) {
        for next in state.current.machine.path(to: target) { try await step(to: next, cause: cause, by: deadline) }
    }

    func step(
        to target: ProcessState, cause: LifecycleCause, by deadline: MonotonicInstant?
    ) async throws(LifecycleRefusal) {
        let (from, actions) = try state.begin(target, cause: cause)
        caches.cancelLateWork()
        let transition = ProcessTransition(
            sequence: dependencies.nextSequence(), from: from, to: target, cause: cause, instant: now)
        let own = now.advanced(
            by: target == .background && from != .suspended
                ? configuration.backgroundDeadline : configuration.transitionDeadline)
        let end = min(own, deadline ?? own)
        // The time that scenes take to be saved is not taken from those who come after them.
        let lastWords = endOfLastWords(transition)
        for action in actions { await carryOut(action, transition, by: max(end, lastWords() ?? end)) }
    }

    /// Returns the time from which the observers of a process that drains are waited for no longer, counted from the moment that
    /// it is asked; nil for any other change.
    private func endOfLastWords(_ transition: ProcessTransition) -> () -> MonotonicInstant? {
        guard transition.to == .background, let clock = state.current.ending?.clock else { return { nil } }
        let began = now
        let ownTime = clock.savingEnd(from: began, deadline: configuration.backgroundDeadline).duration(
            to: clock.waitEnd)
        return { [self] in min(clock.waitEnd, now.advanced(by: ownTime)) }
    }

    private func carryOut(
        _ action: ProcessMachine.Action, _ transition: ProcessTransition, by deadline: MonotonicInstant
    ) async {
        switch action {
        case .commit: commit(transition)
        case .setReady(let isReady): if state.setReady(isReady) { tellStarted() }
        case .tell(let callback): await tell(callback, transition, by: deadline)
        case .lowerScenes: await lowerScenes(transition, by: deadline)
        case .raiseScenes: await raiseScenes(transition, by: deadline)
        // Half of the time: the observers come after it.
        case .emptySensitive: await caches.emptySensitive(by: half(until: deadline))
        case .noteCaches: dependencies.memory?.follow(transition.to, isDraining: isShuttingDown)
        case .giveBack: await caches.giveBack(by: deadline)
        }
    }

    private func commit(_ transition: ProcessTransition) {
        state.commit(transition)
        // What was begun until now leads nowhere: a suspension that was asked for has to last.
        if transition.to == .suspended { watch.noteBegun(dependencies.tasks.begunCount) }
        watch.entered(transition.to)
        renewBackgroundTime()
        if transition.to == .notRunning { endResponders() }
        dependencies.reports?.record(transition)
        dependencies.logger.info("Process \(transition)")
    }

    /// Calls the observers with one change's callback, and goes on without those that miss the deadline.
    func tell(_ callback: LifecycleCallback, _ transition: ProcessTransition, by deadline: MonotonicInstant) async {
        let current = state.current
        // A launch may still be under way when the process is to end already; so may any other change.
        let isOfTheEnd = current.isShuttingDown && !callback.isOfLaunch
        let began = now
        await notices.tell(
            callback, transition, launchedFor: current.launch.reason ?? LaunchReason(starter: .operator),
            movesWithPauses: { !isShuttingDown },
            by: { [state] in state.current.end(of: callback, by: deadline, isOfTheEnd: isOfTheEnd) })
        if callback == .didEnterBackground {
            dependencies.gauges.noteBackgroundTime(began.duration(to: now))
        }
    }

    private func lowerScenes(_ transition: ProcessTransition, by deadline: MonotonicInstant) async {
        guard let scenes = dependencies.scenes else { return }
        let current = state.current
        let clock = current.ending?.clock
        // Half of the time: the process's own observers come after them.
        var end = half(until: deadline)
        switch transition.to {
        case .background:
            if let clock { end = clock.savingEnd(from: now, deadline: configuration.backgroundDeadline) }
        case .notRunning:
            if let clock { end = max(end, now.advanced(by: now.duration(to: clock.terminateEnd) / 2)) }
        default: break
        }
        await scenes.processGoesDown(
            to: transition.to.sceneCeiling, isFinal: current.isShuttingDown || transition.to == .notRunning,
            by: waits.areAbandoned ? now : end)
    }

    private func raiseScenes(_ transition: ProcessTransition, by deadline: MonotonicInstant) async {
        guard let scenes = dependencies.scenes, !isShuttingDown else { return }
        await scenes.processCameUp(to: transition.to.sceneCeiling, by: deadline)
    }

    private func half(until deadline: MonotonicInstant) -> MonotonicInstant {
        now.advanced(by: max(.zero, now.duration(to: deadline)) / 2)
    }
}

extension ProcessState {
    /// The highest state that a scene may have while the process is in this one.
    fileprivate var sceneCeiling: SceneState {
        switch self {
        case .notRunning: .disconnected
        case .inactive: .inactive
        case .active: .active
        case .background: .background
        case .suspended: .suspended
        }
    }
}
