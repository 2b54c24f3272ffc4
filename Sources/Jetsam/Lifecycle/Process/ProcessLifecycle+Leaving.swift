internal import Logging
internal import MemoryPressure
internal import ServiceLifecycle

/// Ending instead of suspending: see ``ManagerConfiguration/Lifecycle/exitsOnSuspend``.
extension ProcessLifecycle {
    /// Suspends the process, or has it leave where that is configured. The caller has the turn.
    func suspendOrLeave(cause: LifecycleCause) async throws(LifecycleRefusal) {
        if try state.withLock({ state throws(LifecycleRefusal) in
            try state.machine.leaves(for: .suspended, cause: cause)
        }) {
            await leave(cause: cause)
        } else {
            try await move(to: .suspended, cause: cause)
        }
    }

    /// Begins the end of a process that would enter the background, or suspend: it takes no more work from here on, and passes
    /// through neither of these states. The caller has the turn.
    ///
    /// The gate returns, which has the group shut down in its order; without one the manager ends by itself.
    func leave(cause: LifecycleCause) async {
        let hasGate = state.withLock { $0.servers.isGateRunning }
        dependencies.logger.notice("The process ends instead of suspending (\(cause)), as configured by exitsOnSuspend")
        let clock = beginShutdown(.insteadOfSuspending(cause, byItself: !hasGate)).clock
        if processState == .active { try? await move(to: .inactive, cause: cause, by: clock.waitEnd) }
        if hasGate { gateWait.resolve(.done) } else { endWait.resolve(.done) }
    }

    /// Returns when the gate is to close: the group shuts down, or the process leaves.
    ///
    /// - Returns: False where the task was cancelled.
    func waitToClose() async -> Bool {
        await withTaskGroup(of: Void.self) { group -> Bool in
            group.addTask { [gateWait] in
                do {
                    try await gracefulShutdown()
                    gateWait.resolve(.done)
                } catch {
                    gateWait.resolve(.abandoned)
                }
            }
            let outcome = await gateWait.outcome()
            group.cancelAll()
            return outcome == .done
        }
    }
}
