internal import MemoryPressure
public import ServiceLifecycle

extension ResourceManager {
    /// The state of the process in its life. Takes a nanosecond.
    public var processState: ProcessState { lifecycle.processState }

    /// Indicates whether the process takes work: the answer to a readiness probe. False before the process is active and as soon
    /// as shutdown begins. Takes a nanosecond.
    public var isReady: Bool { lifecycle.isReady }

    /// Indicates whether shutdown has begun.
    package var isShuttingDown: Bool { lifecycle.isShuttingDown }

    /// Indicates whether servers may take new connections: always, but for a shutdown whose drain delay is over.
    package var takesConnections: Bool { lifecycle.takesConnections }

    /// The time that the process would take to leave in order from now. It has three parts: the drain delay; the held background
    /// tasks or the saving of scenes and observers, whichever takes longer; and ``ManagerConfiguration/Lifecycle/exitRoom``. It is
    /// never more than the grace period; once shutdown has begun, never more than what is left of it.
    ///
    /// Held tasks are taken to need 2.3 times as long as they have run on average. They are never taken to need less than the
    /// time from being told that they expire until they are overdue. The time that saving takes is measured where saving has
    /// happened, and assumed where it has not: 10 ms for each 128 scenes. The time that servers take to finish their requests is
    /// not known, and not included. Takes no more than a microsecond.
    public var timeToLeave: Duration { lifecycle.timeToLeave }

    /// Says that the servers take connections. The process becomes active then, where nothing else is waited for.
    ///
    /// Call it when the last of them listens, such as in Hummingbird's `onServerRunning`. The launch's deadline covers the wait for
    /// it. It may come at any time, and does nothing the second time.
    public func didStartServing() {
        lifecycle.didStartServing()
    }

    /// Calls `observer` with everything that happens to the process from now on: see ``LifecycleObserver``.
    ///
    /// Register before ``run()`` to hear of the launch.
    /// - Parameters:
    ///   - executor: The executor that it is called on; nil for the global concurrent executor.
    ///   - name: The name in logs and the status, at most 64 characters; nil for the name of its type.
    ///   - observer: Kept for as long as the manager is, or until the observation is cancelled.
    /// - Returns: Cancel it to be called no more. It can be left alone.
    @discardableResult
    public func observeLifecycle(
        on executor: (any TaskExecutor)? = nil, name: String? = nil, _ observer: any LifecycleObserver
    ) -> LifecycleObservation {
        lifecycle.observe(on: executor, name: name ?? String(describing: type(of: observer)), observer)
    }

    /// Asks again and again whether a part of the process still answers, such as an event loop or a queue, and says so when it does not.
    ///
    /// ```swift
    /// for (number, loop) in eventLoopGroup.makeIterator().enumerated() {
    ///     manager.watchResponses(of: "event loop \(number)", within: .seconds(5)) { loop.execute($0) }
    /// }
    /// ```
    ///
    /// A part that does not answer within its deadline is named in a warning, with the time since the question. It counts as a
    /// missed deadline in ``ProcessStatus/missedDeadlines`` and in the metrics. With
    /// ``ManagerConfiguration/Lifecycle/MissedDeadlinePolicy/exit`` the process ends. When the part answers after all, a notice says
    /// after how long. The time in which the process was stopped does not count.
    ///
    /// ``watchResponsesOfTasks(within:)`` asks the threads that run Swift's tasks.
    ///
    /// - Parameters:
    ///   - name: The name in the log, at most 64 characters.
    ///   - deadline: The time that an answer may take. 1 ms…1 h; it is held to that. The next question comes half of it after the
    ///     answer.
    ///   - ask: Hands the answer to the part that is watched, and returns: it must not wait. Called on this thread at first, then
    ///     on a timer's.
    /// - Returns: Cancel it to ask no more. It can be left alone: the last question is asked before the process has ended.
    @discardableResult
    public func watchResponses(
        of name: String, within deadline: Duration,
        _ ask: @escaping @Sendable (_ answer: @escaping @Sendable () -> Void) -> Void
    ) -> LifecycleObservation {
        lifecycle.watchResponses(of: name, deadline: deadline, ask)
    }

    /// Asks again and again whether the threads that run Swift's tasks still answer: where code blocks all of them, no task goes on.
    ///
    /// The name in the log is `cooperative pool`; all else is as with ``watchResponses(of:within:_:)``.
    ///
    /// - Parameter deadline: The time that an answer may take. 1 ms…1 h; it is held to that.
    /// - Returns: Cancel it to ask no more. It can be left alone.
    @discardableResult
    public func watchResponsesOfTasks(within deadline: Duration) -> LifecycleObservation {
        watchResponses(of: "cooperative pool", within: deadline) { answer in
            Task.detached(priority: .high) { answer() }
        }
    }

    /// The time that the process may still stay where it is. In the background that is until
    /// ``ManagerConfiguration/Lifecycle/backgroundTimeLimit`` is over; once shutdown has begun, until held background tasks have
    /// their deadline. Nil where nothing limits it; zero where the time is over.
    public var backgroundTimeRemaining: Duration? { lifecycle.backgroundTimeRemaining }

    /// Makes the process ready, from wherever it is. Returns when every observer has been called, or was late.
    ///
    /// - Parameter cause: ``LifecycleCause/operator`` or ``LifecycleCause/resume``.
    /// - Throws: ``LifecycleRefusal`` where shutdown has begun, the manager is not running, or this is called from inside a
    ///   life-cycle callback.
    public func becomeActive(cause: LifecycleCause = .operator) async throws(LifecycleRefusal) {
        try await lifecycle.request(.active, cause: cause)
    }

    /// Makes an active process stop taking work, for a pause; it can become active again.
    ///
    /// - Parameter cause: ``LifecycleCause/operator`` or ``LifecycleCause/pressure``.
    /// - Throws: ``LifecycleRefusal``, as ``becomeActive(cause:)`` does.
    public func resignActive(cause: LifecycleCause = .operator) async throws(LifecycleRefusal) {
        try await lifecycle.request(.inactive, cause: cause)
    }

    /// Takes the process into the background, where it idles: not ready, with whatever background tasks are held. With
    /// ``ManagerConfiguration/Lifecycle/exitsOnSuspend`` an active or inactive process begins to end instead.
    ///
    /// - Parameter cause: ``LifecycleCause/operator`` or ``LifecycleCause/pressure``.
    /// - Throws: ``LifecycleRefusal``, as ``becomeActive(cause:)`` does.
    public func enterBackground(cause: LifecycleCause = .operator) async throws(LifecycleRefusal) {
        try await lifecycle.request(.background, cause: cause)
    }

    /// Suspends the process: state saved, caches emptied, the allocator trimmed. Held background tasks and background modes do not
    /// bar what is asked for; with a task held, the process is back in the background at the sampler's next turn. With
    /// ``ManagerConfiguration/Lifecycle/exitsOnSuspend`` the process begins to end instead, and held tasks are waited for.
    ///
    /// - Parameter cause: ``LifecycleCause/operator`` or ``LifecycleCause/pressure``.
    /// - Throws: ``LifecycleRefusal``, as ``becomeActive(cause:)`` does.
    public func suspend(cause: LifecycleCause = .operator) async throws(LifecycleRefusal) {
        try await lifecycle.request(.suspended, cause: cause)
    }

    /// Takes a suspended process back to the background, because there is work again or it was thawed. Does nothing in every
    /// other state. A background task that begins has the same effect, at the sampler's next turn.
    ///
    /// - Throws: ``LifecycleRefusal`` where this is called from inside a life-cycle callback.
    public func didResume() async throws(LifecycleRefusal) {
        try await lifecycle.resume()
    }

    /// Returns when the change of the process's state that is under way is over, scenes included. Not to be called from a callback.
    package func finishChange() async {
        await lifecycle.turn.acquire()
        lifecycle.turn.release()
    }

    /// Gives a launch that is under way more time, and asks the supervisor for it. Does nothing after the launch.
    ///
    /// - Parameter duration: Added to the deadline; at most an hour, and nothing where it is not positive.
    public func extendLaunch(by duration: Duration) {
        lifecycle.extendLaunch(by: duration)
    }

    /// Bars suspension of a process in the background, and stops its time there, until the mode is ended or dropped. Suspension that
    /// is asked for is not barred.
    ///
    /// - Parameter name: The reason, as the status shows it; at most 64 characters.
    /// - Returns: The mode: it ends when this is dropped.
    public func beginBackgroundMode(_ name: String) -> BackgroundMode {
        lifecycle.beginBackgroundMode(name)
    }

    /// The service that belongs last in the group: it makes readiness false before any server is told to stop. One a manager.
    ///
    /// - Parameter serving: The signal by which the manager learns that the servers take connections. The process becomes active by
    ///   itself only then.
    func drainGate(serving: ServingSignal) -> DrainGate { DrainGate(lifecycle: lifecycle, serving: serving) }

    /// A group's configuration in the order in which a process ends well: `needs`, this manager, `servers`, the drain gate.
    ///
    /// A group tells its services in reverse, one at a time, waiting for each. So readiness is false before the servers are told;
    /// they finish what they have; then the manager waits for held background tasks, for which everything in `needs` is still there.
    /// Before the termination grace period is over the group cancels what is left. Signals are not listened to before you say so
    /// with `gracefulShutdownSignals`.
    /// - Parameters:
    ///   - needs: The services that background work needs, such as a database.
    ///   - servers: The services that take work, such as an HTTP server.
    ///   - serving: The signal by which the manager learns that the servers take connections; the process becomes active only then.
    ///     Nil, the default, is ``ServingSignal/reported`` where there are servers, and ``ServingSignal/started`` where there are
    ///     none.
    /// - Returns: A configuration to add signals to, and to make a `ServiceGroup` from.
    public func serviceGroupConfiguration(
        needs: [any Service] = [], servers: [any Service], serving: ServingSignal? = nil
    ) -> ServiceGroupConfiguration {
        typealias Part = ServiceGroupConfiguration.ServiceConfiguration
        var parts = needs.map { Part(service: $0) }
        // Without the gate, as in a group that is not this one, it returns before its turn where the process ends by itself.
        parts.append(Part(service: self, successTerminationBehavior: .gracefullyShutdownGroup))
        parts += servers.map { Part(service: $0) }
        // It does so too where the process ends instead of suspending: the group shuts down in its order then.
        parts.append(
            Part(
                service: drainGate(serving: serving ?? (servers.isEmpty ? .started : .reported)),
                successTerminationBehavior: .gracefullyShutdownGroup))
        var group = ServiceGroupConfiguration(services: parts, logger: logger)
        let grace = configuration.lifecycle.terminationGracePeriod
        group.maximumGracefulShutdownDuration = grace - min(configuration.lifecycle.exitRoom, grace / 4) / 4
        return group
    }
}

extension ProcessLifecycle {
    /// The process did not run for `gap`.
    func notePause(_ gap: Duration) {
        note(.resumed) { await $0.resumed(after: gap) }
    }

    /// The store for the states of scenes can be written to again, or no longer.
    func noteStateStore(available: Bool) {
        note(.stateStoreBecame) { await $0.stateStoreBecame(available: available) }
    }
}
