internal import MemoryPressure

extension ProcessLifecycle {
    /// Indicates whether this is called from inside a callback, of an observer or of a scene, that a change would have to wait
    /// for.
    var isInsideCallback: Bool {
        CallbackToken.isInside(self)
            || dependencies.scenes.map { CallbackToken.isInside($0) } ?? false
    }

    /// Brings the process to a state on a request from outside: one request after another, and never from inside a callback.
    func request(_ target: ProcessState, cause: LifecycleCause) async throws(LifecycleRefusal) {
        if isInsideCallback { throw .insideCallback }
        await turn.acquire()
        defer { turn.release() }
        let (current, hasEnded) = state.withLock { ($0.machine.state, $0.machine.hasEnded) }
        if current == .notRunning { throw hasEnded ? .ended : .notRunning }
        let leaves = try state.withLock { state throws(LifecycleRefusal) in
            state.activatesByItself = false
            return try state.machine.leaves(for: target, cause: cause)
        }
        if leaves { return await leave(cause: cause) }
        // A process that is shutting down does not get there.
        if state.withLock({ $0.ending?.skipsBackground ?? false }), target == .background || target == .suspended {
            return
        }
        try await move(to: target, cause: cause)
    }
}
