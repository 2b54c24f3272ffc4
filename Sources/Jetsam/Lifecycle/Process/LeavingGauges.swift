internal import MemoryPressure
internal import Synchronization

/// The figures of how long the process takes to leave, for those who decide: kept by those who take part in it, read at each turn of
/// the sampler without a lock or an allocation.
final class LeavingGauges: Sendable {
    private enum Phase {
        static let launching: UInt8 = 0
        static let launched: UInt8 = 1
        static let leaving: UInt8 = 2
    }

    private let configuration: ManagerConfiguration.Lifecycle
    private let tasks: any TaskHolder
    private let scenes: SceneGauges
    private let phase = Atomic<UInt8>(Phase.launching)
    /// The time that entering the background took last, scenes aside, in nanoseconds.
    private let backgroundTime = Atomic<Int64>(0)

    init(
        configuration: ManagerConfiguration.Lifecycle = .init(), tasks: any TaskHolder,
        scenes: SceneGauges = SceneGauges()
    ) {
        self.configuration = configuration
        self.tasks = tasks
        self.scenes = scenes
    }

    /// Indicates whether the launch is over and shutdown has not begun.
    var mayBeToldToLeave: Bool { phase.load(ordering: .acquiring) == Phase.launched }

    /// The launch is over.
    func noteLaunched() {
        _ = phase.compareExchange(
            expected: Phase.launching, desired: Phase.launched, ordering: .acquiringAndReleasing)
    }

    /// Shutdown begins.
    func noteLeaving() {
        phase.store(Phase.leaving, ordering: .releasing)
    }

    /// The observers were told of the background, and were done after so long.
    func noteBackgroundTime(_ time: Duration) {
        backgroundTime.store(time.nanoseconds, ordering: .relaxed)
    }

    /// The time that the process takes to leave from now, as far as is known.
    ///
    /// - Parameter left: The time until the end of a grace period that has begun; nil before it has.
    func timeToLeave(left: Duration? = nil) -> Duration {
        let grace = configuration.terminationGracePeriod
        let parts = Departure(
            drainDelay: left == nil ? configuration.drainDelay : .zero,
            tasks: tasks.heldCount > 0 ? tasks.timeToEnd : .zero,
            saving: scenes.savingTime + .nanoseconds(backgroundTime.load(ordering: .relaxed)),
            exit: min(configuration.exitRoom, grace / 4))
        return min(parts.total, left ?? grace)
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
