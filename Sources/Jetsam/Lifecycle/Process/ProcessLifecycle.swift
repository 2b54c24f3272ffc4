internal import Logging
internal import MemoryPressure
internal import Synchronization

/// The one owner of the process's state: takes it from change to change, one at a time, and calls the observers.
final class ProcessLifecycle: Sendable {
    let configuration: ManagerConfiguration.Lifecycle
    let dependencies: LifecycleDependencies
    let state: Lock<State>
    let turn = AsyncTurn()
    let waits: TimedWaits
    let watch = LifecycleWatch()
    let backgroundTime: BackgroundTimeLimit
    /// One change of the time in the background at a time.
    let backgroundTimeTurn = Lock(())
    let days = Lock(DayWatch())
    /// Resolved when the launch is done.
    let launchWait = TimedWait()
    /// Resolved when the servers take connections, or need not any more.
    let servingWait = TimedWait()
    /// Resolved when the gate has to close: its group shuts down, or the process ends instead of suspending.
    let gateWait = TimedWait()
    /// Resolved when the manager has something to do about its end: its turn in the group has come, or the time for it has,
    /// or the process ends instead of suspending.
    let endWait = TimedWait()
    /// Resolved when the manager's turn in the group has come: the servers have ended.
    let serversWait = TimedWait()
    let turnWait = TimedWait()
    let idleNanoseconds: Int64?
    private let stateWord = Atomic<UInt8>(ProcessState.notRunning.rawValue)
    private let readyWord = Atomic<Bool>(false)

    init(configuration: ManagerConfiguration.Lifecycle, dependencies: LifecycleDependencies) {
        self.configuration = configuration
        self.dependencies = dependencies
        state = Lock(State(machine: ProcessMachine(exitsOnSuspend: configuration.exitsOnSuspend)))
        backgroundTime = BackgroundTimeLimit(tasks: dependencies.tasks)
        idleNanoseconds = configuration.idleDelay?.nanoseconds
        watch.modesChanged(to: configuration.backgroundModes.count)
        let deadlines = Deadlines(clock: dependencies.clock, isAutomatic: !dependencies.ticker.drivesDeadlines)
        dependencies.ticker.attach(deadlines)
        waits = TimedWaits(clock: dependencies.clock, deadlines: deadlines)
    }

    /// Nanoseconds: for hot paths.
    var processState: ProcessState { ProcessState(rawValue: stateWord.load(ordering: .acquiring)) ?? .notRunning }

    /// Nanoseconds: for hot paths.
    var isReady: Bool { readyWord.load(ordering: .acquiring) }

    var now: MonotonicInstant { dependencies.clock.now }

    var notifier: SystemdNotifier? { state.withLock { $0.supervisor.notifier } }

    private var scenes: SceneManager? { dependencies.scenes }

    /// The time that the process takes to leave from now, as far as is known: see ``ResourceManager/timeToLeave``.
    var timeToLeave: Duration {
        let end = state.withLock { $0.ending?.clock.end }
        return dependencies.gauges.timeToLeave(left: end.map { max(.zero, now.duration(to: $0)) })
    }

    /// The supervisor is told from here on, if it wants to be.
    func openNotifier() {
        let notifier = SystemdNotifier(
            variables: dependencies.variables, processID: dependencies.processID, logger: dependencies.logger)
        state.withLock { $0.supervisor.notifier = notifier }
        if let interval = notifier?.pulseInterval { watch.beginPulses(at: now, every: interval) }
    }

    /// A snapshot.
    var status: ProcessStatus {
        let modes = backgroundModes
        return state.withLock { state in
            ProcessStatus(
                state: state.machine.state, transition: state.transition, isReady: isReady,
                isShuttingDown: state.machine.isShuttingDown, terminationDeadline: state.ending?.clock.end,
                backgroundModes: modes, missedDeadlines: state.missedDeadlines, lateObservers: state.late,
                launchReason: state.launch.reason)
        }
    }

    var isShuttingDown: Bool { state.withLock { $0.machine.isShuttingDown } }

    /// Indicates whether servers may take new connections: always, but for a shutdown whose drain delay is over. Nanoseconds while
    /// the process is ready.
    var takesConnections: Bool {
        guard !isReady else { return true }
        let (isShuttingDown, clock) = state.withLock { ($0.machine.isShuttingDown, $0.ending?.clock) }
        guard let clock else { return !isShuttingDown }
        return now < clock.began.advanced(by: configuration.drainDelay)
    }

    /// Indicates whether somebody asked for the gate.
    var hasGate: Bool { state.withLock { $0.servers.haveGate } }

    /// Indicates whether shutdown has begun, and the time to wait for tasks and servers is over.
    var hasOutlivedGrace: Bool { state.withLock { $0.ending }.map { now >= $0.clock.waitEnd } ?? false }

    func publish(_ processState: ProcessState) {
        stateWord.store(processState.rawValue, ordering: .releasing)
        // What was begun until now leads nowhere: a suspension that was asked for has to last.
        if processState == .suspended { watch.noteBegun(dependencies.tasks.begunCount) }
        watch.entered(processState)
    }

    /// Readiness never becomes true once shutdown has begun.
    func setReady(_ isReady: Bool) {
        let value = state.withLock { state in
            let value = isReady && !state.machine.isShuttingDown
            readyWord.store(value, ordering: .releasing)
            return value
        }
        if value { tellStarted() }
    }

    /// Tells the supervisor that the start is over, once.
    func tellStarted() {
        let isFirst = state.withLock { state in
            guard !state.machine.isShuttingDown, !state.supervisor.hasHeardReady else { return false }
            state.supervisor.hasHeardReady = true
            return true
        }
        if isFirst { notifier?.ready() }
    }

    /// Takes the process through all changes that lead to `target`. The caller has the turn.
    ///
    /// - Parameter deadline: For all of them together; nil gives each its own.
    func move(
        to target: ProcessState, cause: LifecycleCause, by deadline: MonotonicInstant? = nil
    ) async throws(LifecycleRefusal) {
        for next in state.withLock({ $0.machine.path(to: target) }) {
            try await step(to: next, cause: cause, by: deadline)
        }
    }

    func step(
        to target: ProcessState, cause: LifecycleCause, by deadline: MonotonicInstant?
    ) async throws(LifecycleRefusal) {
        let begun = state.withLock { state -> Result<(ProcessState, [ProcessMachine.Action]), LifecycleRefusal> in
            let from = state.machine.state
            do throws(LifecycleRefusal) {
                return .success((from, try state.machine.request(to: target, cause: cause)))
            } catch {
                return .failure(error)
            }
        }
        let (from, actions) = try begun.get()
        // Bytes that were given back late belong to the process that is awake now.
        let givingBack = state.withLock { state in
            defer { state.givingBack = nil }
            return state.givingBack
        }
        givingBack?.cancel()
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
        guard transition.to == .background, let clock = state.withLock({ $0.ending?.clock }) else { return { nil } }
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
        case .setReady(let isReady): setReady(isReady)
        case .tell(let callback): await tell(callback, transition, by: deadline)
        case .lowerScenes: await lowerScenes(transition, by: deadline)
        case .raiseScenes: await raiseScenes(transition, by: deadline)
        case .emptySensitive: await emptySensitive(by: deadline)
        case .noteCaches: dependencies.memory?.follow(transition.to, isDraining: isShuttingDown)
        case .giveBack: await giveBack(by: deadline)
        }
    }

    private func commit(_ transition: ProcessTransition) {
        state.withLock { state in
            state.machine.commit()
            state.transition = transition
        }
        publish(transition.to)
        renewBackgroundTime()
        if transition.to != .active { setReady(false) }
        if transition.to == .notRunning { endResponders() }
        dependencies.reports?.record(transition)
        dependencies.logger.info("Process \(transition)")
    }

    /// Empties the caches; goes on without those that hang after the deadline, for the end of the process waits behind this.
    /// Late work goes on as long as the process is suspended.
    private func giveBack(by deadline: MonotonicInstant) async {
        guard !waits.areAbandoned else { return }
        let wait = TimedWait()
        let task = Task { [dependencies] in
            await dependencies.memory?.giveBack()
            wait.resolve(.done)
        }
        state.withLock { $0.givingBack = task }
        if await waits.run(wait, until: { deadline }, movesWithPauses: true) == .expired {
            dependencies.logger.warning("Caches were not emptied in time")
        }
    }

    /// Half of the time: the observers come after it. A cache that hangs is asked all the same, and not waited for.
    private func emptySensitive(by deadline: MonotonicInstant) async {
        let wait = TimedWait()
        Task { [dependencies] in
            await dependencies.memory?.emptySensitive()
            wait.resolve(.done)
        }
        let half = now.advanced(by: max(.zero, now.duration(to: deadline)) / 2)
        if await waits.run(wait, until: { half }, movesWithPauses: true) == .expired {
            dependencies.logger.warning("Sensitive caches were not emptied in time")
        }
    }

    private func lowerScenes(_ transition: ProcessTransition, by deadline: MonotonicInstant) async {
        guard let scenes else { return }
        let (clock, isShuttingDown) = state.withLock { ($0.ending?.clock, $0.machine.isShuttingDown) }
        // Half of the time: the process's own observers come after them.
        var end = now.advanced(by: max(.zero, now.duration(to: deadline)) / 2)
        switch transition.to {
        case .background:
            if let clock { end = clock.savingEnd(from: now, deadline: configuration.backgroundDeadline) }
        case .notRunning:
            if let clock { end = max(end, now.advanced(by: now.duration(to: clock.terminateEnd) / 2)) }
        default: break
        }
        await scenes.processGoesDown(
            to: transition.to.sceneCeiling, isFinal: isShuttingDown || transition.to == .notRunning,
            by: waits.areAbandoned ? now : end)
    }

    private func raiseScenes(_ transition: ProcessTransition, by deadline: MonotonicInstant) async {
        guard let scenes, !isShuttingDown else { return }
        await scenes.processCameUp(to: transition.to.sceneCeiling, by: deadline)
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
