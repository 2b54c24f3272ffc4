internal import Logging
internal import MemoryPressure

/// The requests for a state: from outside, and where the process idles or its time in the background is over.
extension ProcessLifecycle {
    /// Indicates whether this is called from inside a callback, of an observer or of a scene, that a change would have to wait
    /// for.
    var isInsideCallback: Bool {
        notices.isInsideCallback || dependencies.scenes.map { CallbackToken.isInside($0) } ?? false
    }

    /// Brings the process to a state on a request from outside: one request after another, and never from inside a callback.
    func request(_ target: ProcessState, cause: LifecycleCause) async throws(LifecycleRefusal) {
        if isInsideCallback { throw .insideCallback }
        await turn.acquire()
        defer { turn.release() }
        switch try state.ask(for: target, cause: cause) {
        case .move: try await move(to: target, cause: cause)
        case .leave: await leave(cause: cause)
        case .stay: break
        }
    }

    /// From suspended to the background: there is work again.
    func resume() async throws(LifecycleRefusal) {
        if isInsideCallback { throw .insideCallback }
        await turn.acquire()
        defer { turn.release() }
        guard processState == .suspended else { return }
        try await move(to: .background, cause: .resume)
    }

    /// Nothing was held for as long as the delay.
    func suspendIfIdle() async {
        await turn.acquire()
        defer { turn.release() }
        guard processState == .background, !isShuttingDown, dependencies.tasks.heldCount == 0, modes.isEmpty else {
            return
        }
        try? await suspendOrLeave(cause: .idle)
    }

    /// The time in the background is over.
    func suspendAfterTime() async {
        await turn.acquire()
        defer { turn.release() }
        guard processState == .background, !isShuttingDown, modes.isEmpty, backgroundTime.isOver(at: now) else {
            return
        }
        if let limit = configuration.backgroundTimeLimit {
            let verb = configuration.exitsOnSuspend ? "ends" : "is suspended"
            dependencies.logger.notice(
                "The time in the background is over, after \(limit): the process \(verb)",
                metadata: ["held": "\(dependencies.tasks.heldCount)"])
        }
        try? await suspendOrLeave(cause: .expiration)
    }

    /// Suspends the process, or has it leave where that is configured. The caller has the turn.
    private func suspendOrLeave(cause: LifecycleCause) async throws(LifecycleRefusal) {
        if try state.current.machine.leaves(for: .suspended, cause: cause) {
            await leave(cause: cause)
        } else {
            try await move(to: .suspended, cause: cause)
        }
    }

    /// Begins the end of a process that would enter the background, or suspend: it takes no more work from here on, and passes
    /// through neither of these states. See ``ManagerConfiguration/Lifecycle/exitsOnSuspend``. The caller has the turn.
    ///
    /// The gate returns, which has the group shut down in its order; without one the manager ends by itself.
    private func leave(cause: LifecycleCause) async {
        let hasGate = state.current.servers.isGateRunning
        dependencies.logger.notice("The process ends instead of suspending (\(cause)), as configured by exitsOnSuspend")
        let clock = beginShutdown(.insteadOfSuspending(cause, byItself: !hasGate)).clock
        if processState == .active { try? await move(to: .inactive, cause: cause, by: clock.waitEnd) }
        if hasGate { gateWait.resolve(.done) } else { endWait.resolve() }
    }
}
