internal import MemoryPressure

/// The parts that the scenes of one manager share.
///
/// It knows no scene and no manager, so that a scene that the application keeps may hold it.
final class SceneParts: Sendable {
    let configuration: ManagerConfiguration.Scenes
    let clock: any MonotonicClock
    let tasks: any SceneTasks
    let nextSequence: @Sendable () -> UInt64
    let noteTransition: @Sendable (SceneTransition) -> Void
    let gauges: SceneGauges
    let caches: SceneCaches
    /// Drives the deadlines of callbacks.
    let deadlines: Deadlines
    let log: SceneLog
    let storage: SceneStorage

    init(_ configuration: ManagerConfiguration.Scenes, _ dependencies: SceneDependencies) {
        self.configuration = configuration
        clock = dependencies.clock
        tasks = dependencies.tasks
        nextSequence = dependencies.nextSequence
        noteTransition = dependencies.noteTransition
        gauges = dependencies.gauges
        caches = SceneCaches(registry: dependencies.registry, threads: dependencies.threads)
        deadlines = Deadlines(clock: dependencies.clock, isAutomatic: dependencies.isAutomatic)
        log = SceneLog(dependencies.logger)
        storage = SceneStorage(
            dependencies.store, logger: dependencies.logger, announce: dependencies.storeAvailability)
    }

    var now: MonotonicInstant { clock.now }
    var store: (any SceneStateStore)? { storage.store }

    /// The deadline of a callback that begins now.
    var transitionDeadline: MonotonicInstant { now.advanced(by: configuration.transitionDeadline) }
}
