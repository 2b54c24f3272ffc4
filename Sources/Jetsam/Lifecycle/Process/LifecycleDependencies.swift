internal import Logging
internal import MemoryPressure

/// The background work that holds the process, as far as its life cycle needs it.
protocol TaskHolder: Sendable {
    /// The time that a background task has after its deadline before it is overdue and holds nothing up.
    var overdueGrace: Duration { get }
    /// The time until nine of ten of the held tasks have ended, as far as is known. It is never less than the time from being
    /// told that a task expires until it is overdue.
    ///
    /// Work that comes and goes evenly has, on average, as long to go as it has run: that is a property of every renewal process.
    /// Where what is left falls off exponentially, nine of ten have ended after 2.3 times that.
    var timeToEnd: Duration { get }
    /// Indicates whether overdue tasks still hold the process.
    var overdueTasksHold: Bool { get }
    /// All the nanoseconds in which the process did not run so far.
    var pausedNanoseconds: Int64 { get }
    /// The number of held tasks. Cheap.
    var heldCount: Int { get }
    /// The number of tasks that were begun so far. Cheap.
    var begunCount: UInt64 { get }
    /// The number of tasks that were notified that they expire. Not cheap.
    var expiredCount: Int { get }
    /// The longest-running of those that hold up the end, a line each.
    func describeHolding(limit: Int) -> [String]
    /// The number of tasks that have not ended, overdue ones too, and the longest-running of them, a line each.
    func unended(limit: Int) -> (count: Int, names: [String])
    /// Those that end with the process have this deadline now, and none outlives it.
    ///
    /// - Parameter waitEnd: The time from which none is waited for.
    func beginDraining(deadline: MonotonicInstant, waitEnd: MonotonicInstant?)
    /// Until then, whatever their own deadlines say, those that are held may go on; nil takes that back. Time in which the process
    /// does not run moves it. Does nothing once it drains.
    ///
    /// - Returns: The time when they are to be told, for ``expect(_:)``.
    func setBackgroundDeadline(_ deadline: MonotonicInstant?) -> MonotonicInstant?
    /// They are to be told then.
    func expect(_ instant: MonotonicInstant)
    /// Refuses all from here on.
    func shut()
    /// Returns when none is held that is not overdue.
    func waitUntilReleased() async
}

extension BackgroundTaskRegistry: TaskHolder {
    var overdueGrace: Duration { configuration.grace }
    var timeToEnd: Duration {
        max(configuration.lead + configuration.grace, meanAge * 23 / 10)
    }
    var overdueTasksHold: Bool { configuration.overdueTasksHold }
    var pausedNanoseconds: Int64 { pauses.pausedNanoseconds }
    func describeHolding(limit: Int) -> [String] { holdingTasks(limit: limit).map(\.description) }
    var expiredCount: Int { statistics.expired }
    var begunCount: UInt64 { UInt64(clamping: statistics.begun) }
    func unended(limit: Int) -> (count: Int, names: [String]) {
        // Tasks may end meanwhile: what is named counts, and what is counted need not be named.
        let names = heldTasks(limit: limit).map(\.description)
        guard names.count == limit else { return (names.count, names) }
        let statistics = statistics
        return (max(names.count, statistics.begun - statistics.ended), names)
    }
}

/// The parts that the life cycle takes from outside.
struct LifecycleDependencies: Sendable {
    var clock: any MonotonicClock
    var logger: Logger
    var ticker: any Ticker
    var tasks: any TaskHolder
    /// Those of the process: what its supervisor set.
    var variables: [String: String]
    var processID: Int32
    /// The next number of the one sequence of notifications.
    var nextSequence: @Sendable () -> UInt64
    var exit: @Sendable (Int32) -> Void
    /// The figures that others read.
    var gauges: LeavingGauges
    /// The scenes that follow the process; nil where there are none.
    var scenes: SceneManager?
    /// The reports of what happens; nil where nobody keeps any.
    var reports: (any LifecycleReports)?
    /// The process's memory, which follows its state; nil where nothing does.
    var memory: (any ProcessMemory)?
    /// The TCP ports that somebody listens on; nil where that cannot be told.
    var listeningPorts: @Sendable () -> Set<UInt16>? = { nil }
    /// The wall clock, in nanoseconds since 1970.
    var wallClock: @Sendable () -> Int64 = { 0 }
    /// The seconds by which the local time is ahead of UTC, at a time of the wall clock. May read files and allocate.
    var secondsFromUTC: @Sendable (_ wallClock: Int64) -> Int = { _ in 0 }
    /// The arguments that the process was started with, for the launch reason.
    var arguments: [String] = []
    /// Wakes the queue that calls ``ProcessLifecycle/performDueWork(pulse:)``.
    var ring: @Sendable () -> Void = {}
}

/// What is kept of a process's life beside its log.
protocol LifecycleReports: Sendable {
    /// The process is in another state.
    func record(_ transition: ProcessTransition)
    /// A deadline was missed.
    func recordMissedLifecycleDeadline()
    /// The process is about to be ended because of a missed deadline.
    func recordForcedExit()
}

/// The process's memory as its state changes.
protocol ProcessMemory: Sendable {
    /// The process became active, entered the background, or leaves it: an idle process shrinks its caches, a draining one only
    /// stops regrowth.
    func follow(_ state: ProcessState, isDraining: Bool)
    /// Empties the sensitive caches.
    func emptySensitive() async
    /// Empties the caches and trims the allocator. Stops where its task is cancelled.
    func giveBack() async
}
