internal import MemoryPressure

extension ProcessLifecycle {
    /// Indicates whether the launch is over and shutdown has not begun.
    var mayBeToldToLeave: Bool { state.withLock { $0.isLaunched && $0.termination == nil } }

    /// The time that the process takes to leave from now, as far as is known: see ``ResourceManager/timeToLeave``.
    ///
    /// The sampler may ask at each turn: it allocates nothing, and takes no lock under which user code is called.
    var timeToLeave: Duration {
        let (clock, backgroundTime, scenes) = state.withLock { ($0.termination, $0.backgroundTime, $0.scenes) }
        let grace = configuration.terminationGracePeriod
        let parts = Departure(
            drainDelay: clock == nil ? configuration.drainDelay : .zero,
            tasks: dependencies.assertions.heldCount > 0 ? dependencies.assertions.timeToEnd : .zero,
            saving: (scenes?.savingTime ?? .zero) + (backgroundTime ?? .zero),
            exit: min(configuration.exitRoom, grace / 4))
        return min(parts.total, clock.map { max(.zero, now.duration(to: $0.end)) } ?? grace)
    }
}

/// The parts of leaving. Pure.
struct Departure: Sendable, Equatable {
    /// Until the servers are told.
    var drainDelay: Duration
    /// The time that held background tasks need to end.
    var tasks: Duration
    /// Scenes and observers, on entering the background.
    var saving: Duration
    /// The last callback, and the services that stop after the manager.
    var exit: Duration

    /// Tasks end while scenes are saved.
    var total: Duration { drainDelay + max(tasks, saving) + exit }
}
