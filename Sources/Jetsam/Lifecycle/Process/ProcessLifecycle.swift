internal import Logging
internal import MemoryPressure

/// The one owner of the process's state: takes it from change to change, one at a time, and calls the observers.
///
/// What is known stands in ``LifecycleStorage``; each part that does not change together with it has a type of its own.
final class ProcessLifecycle: Sendable {
    let configuration: ManagerConfiguration.Lifecycle
    let dependencies: LifecycleDependencies
    let state: LifecycleStorage
    /// One change at a time, and other news between them.
    let turn = AsyncTurn()
    let waits: TimedWaits
    let watch = LifecycleWatch()
    let backgroundTime: BackgroundTimeLimit
    let modes: BackgroundModes
    let localTime: LocalTime
    let notices: LifecycleNotices
    let missed: MissedDeadlines
    let responders: Responders
    let supervisor = Supervisor()
    let caches: CacheEmptying
    let tasks: TaskDrain
    /// Resolved when the launch is done.
    let launchWait = TimedWait()
    /// Resolved when the servers take connections, or need not any more.
    let servingWait = TimedWait()
    /// Resolved when the gate has to close: its group shuts down, or the process ends instead of suspending.
    let gateWait = TimedWait()
    let endWait: EndWait
    /// Resolved when the manager's turn in the group has come: the servers have ended.
    let serversWait = TimedWait()
    let turnWait = TimedWait()
    let idleNanoseconds: Int64?

    init(configuration: ManagerConfiguration.Lifecycle, dependencies: LifecycleDependencies) {
        self.configuration = configuration
        self.dependencies = dependencies
        idleNanoseconds = configuration.idleDelay?.nanoseconds
        let deadlines = Deadlines(clock: dependencies.clock, isAutomatic: !dependencies.ticker.drivesDeadlines)
        dependencies.ticker.attach(deadlines)
        state = LifecycleStorage(exitsOnSuspend: configuration.exitsOnSuspend)
        waits = TimedWaits(clock: dependencies.clock, deadlines: deadlines)
        backgroundTime = BackgroundTimeLimit(tasks: dependencies.tasks)
        modes = BackgroundModes(configuration.backgroundModes, watch: watch)
        localTime = LocalTime(dependencies)
        missed = MissedDeadlines(configuration.missedDeadline, dependencies: dependencies)
        notices = LifecycleNotices(
            turn: turn, waits: waits, missed: missed, deadline: configuration.transitionDeadline,
            dependencies: dependencies)
        responders = Responders(missed: missed, deadlines: deadlines, dependencies: dependencies)
        caches = CacheEmptying(waits: waits, dependencies: dependencies)
        tasks = TaskDrain(waits: waits, dependencies: dependencies)
        endWait = EndWait(deadlines: deadlines)
    }

    var now: MonotonicInstant { dependencies.clock.now }

    /// Nanoseconds: for hot paths.
    var processState: ProcessState { state.processState }

    /// Nanoseconds: for hot paths.
    var isReady: Bool { state.isReady }

    var isShuttingDown: Bool { state.current.isShuttingDown }

    var notifier: SystemdNotifier? { supervisor.notifier }

    /// A snapshot.
    var status: ProcessStatus {
        let modes = modes.names
        let state = state.current
        // After the state: it has the deadlines that were missed on the way there.
        let missed = missed.report
        return ProcessStatus(
            state: state.machine.state, transition: state.transition, isReady: state.machine.isReady,
            isShuttingDown: state.isShuttingDown, terminationDeadline: state.ending?.clock.end,
            backgroundModes: modes, missedDeadlines: missed.count, lateObservers: missed.late,
            launchReason: state.launch.reason)
    }

    /// The time that the process takes to leave from now, as far as is known: see ``ResourceManager/timeToLeave``.
    var timeToLeave: Duration {
        let end = state.current.ending?.clock.end
        return dependencies.gauges.timeToLeave(left: end.map { max(.zero, now.duration(to: $0)) })
    }

    /// Indicates whether servers may take new connections: always, but for a shutdown whose drain delay is over. Nanoseconds while
    /// the process is ready.
    var takesConnections: Bool {
        isReady || state.current.takesConnections(at: now, drainDelay: configuration.drainDelay)
    }

    /// Indicates whether somebody asked for the gate.
    var hasGate: Bool { state.current.servers.haveGate }

    /// Indicates whether shutdown has begun, and the time to wait for tasks and servers is over.
    var hasOutlivedGrace: Bool { state.current.ending.map { now >= $0.clock.waitEnd } ?? false }

    /// The supervisor is told from here on, if it wants to be.
    func openNotifier() {
        if let interval = supervisor.open(dependencies) { watch.beginPulses(at: now, every: interval) }
    }

    /// Tells the supervisor that the start is over, once; not where the process shuts down already.
    func tellStarted() {
        if !isShuttingDown { supervisor.tellStarted() }
    }

    /// Registers an observer, which hears everything from the next notification on.
    func observe(
        on executor: (any TaskExecutor)?, name: String, _ observer: any LifecycleObserver
    ) -> LifecycleObservation {
        notices.observe(on: executor, name: name, observer)
    }

    /// Tells what is no change of the state. It takes its place among the changes, which do not wait for its callbacks.
    func note(_ callback: LifecycleCallback, _ body: @escaping @Sendable (any LifecycleObserver) async -> Void) {
        notices.note(callback, body)
    }

    func watchResponses(
        of name: String, deadline: Duration,
        _ ask: @escaping @Sendable (_ answer: @escaping @Sendable () -> Void) -> Void
    ) -> LifecycleObservation {
        responders.watch(name, deadline: deadline, ask)
    }

    /// The process ends: who does not answer any more from here on is ending too.
    func endResponders() {
        responders.end()
    }
}
