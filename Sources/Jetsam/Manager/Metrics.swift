extension ResourceManager {
    /// The metrics that a manager tells to its `MetricsFactory`: one place for labels, kinds, units and meanings.
    ///
    /// Nothing is told from the sampler. Figures of a level change or a step are reported with it, on the manager's
    /// notification queue; all other figures once a second, from the same queue, and once more when ``ResourceManager/run()``
    /// ends. Where the factory does nothing, as it does until an application sets one, they are not collected at all.
    package enum Metrics {
        /// 0 normal, 1 warning, 2 critical.
        package static let level = Metric("jetsam_level", .gauge, .none, "0 normal, 1 warning, 2 critical.")
        /// Changes of the level; one that sticks and is announced again does not count.
        package static let levelChanges = Metric("jetsam_level_changes_total", .counter, .none, "Changes of the level.")
        /// Bytes until the tightest hard limit is reached by what cannot be taken back for free.
        package static let headroom = Metric(
            "jetsam_headroom_bytes", .gauge, .bytes, "Bytes left until the tightest hard limit.")
        /// The tightest hard limit; the machine's memory where there is none.
        package static let limit = Metric("jetsam_limit_bytes", .gauge, .bytes, "The tightest hard limit.")
        /// The memory that this process costs.
        package static let footprint = Metric(
            "jetsam_footprint_bytes", .gauge, .bytes, "Memory of this process: resident, without shared memory.")
        /// The bytes of the footprint that neither caches nor the allocator hold.
        package static let footprintNeeded = Metric(
            "jetsam_footprint_needed_bytes", .gauge, .bytes,
            "The footprint without the bytes that caches can give back and that the allocator retains.")
        /// The share of the last two seconds in which some task waited for memory, from 0 to 1, as far as it was read.
        package static let stall = Metric(
            "jetsam_stall_ratio", .gauge, .ratio, "Share of the last 2 s in which some task waited for memory.")
        /// Readings of the memory signals.
        package static let readings = Metric(
            "jetsam_readings_total", .counter, .none, "Readings of the memory signals.")
        /// Finished steps of reclaim, of all stages and of calls.
        package static let steps = Metric("jetsam_reclaim_steps_total", .counter, .none, "Finished steps of reclaim.")
        /// The bytes that caches answered to have given.
        package static let promised = Metric(
            "jetsam_reclaim_promised_bytes_total", .counter, .bytes, "Bytes that caches promised.")
        /// The bytes that the threads of caches' handlers freed, where the allocator can tell.
        package static let freed = Metric(
            "jetsam_reclaim_freed_bytes_total", .counter, .bytes,
            "Bytes that caches' handlers freed, where the allocator can tell.")
        /// The bytes by which the footprint fell in steps.
        package static let returned = Metric(
            "jetsam_reclaim_returned_bytes_total", .counter, .bytes, "Bytes by which the footprint fell in steps.")
        /// The bytes of these that trims of the allocator brought.
        package static let trimmed = Metric(
            "jetsam_reclaim_trimmed_bytes_total", .counter, .bytes,
            "Bytes of these that came from trims of the allocator.")
        /// The bytes that caches gave and that came back. They are told when their episode is over: ten seconds after its last
        /// release.
        package static let released = Metric(
            "jetsam_released_bytes_total", .counter, .bytes, "Bytes that caches gave and that came back.")
        /// The bytes that would have had to be released to keep a fixed reserve free, told when the episode is over.
        package static let needed = Metric(
            "jetsam_needed_bytes_total", .counter, .bytes,
            "Bytes that had to be released to keep a fixed reserve free.")
        /// The bytes that releases gave up and that were put in again within ten seconds, of caches whose keys are known.
        package static let refetched = Metric(
            "jetsam_refetched_bytes_total", .counter, .bytes,
            "Bytes given up in releases and put in again within 10 s, of PurgeableCache and PurgeableByteCache.")
        /// The bytes of these that nothing else had needed meanwhile, told when the episode is over.
        package static let wasted = Metric(
            "jetsam_wasted_bytes_total", .counter, .bytes,
            "Bytes of these that nothing else had needed, of PurgeableCache and PurgeableByteCache.")
        /// The bytes that were freed and that the allocator retains, at the latest step.
        package static let retained = Metric(
            "jetsam_allocator_retained_bytes", .gauge, .bytes,
            "Bytes that were freed and that the allocator retains, at the latest step.")
        /// The time that release handlers took.
        package static let handlerTime = Metric(
            "jetsam_handler_duration_seconds", .timer, .seconds, "How long release handlers took.")
        /// Release handlers that missed their deadline.
        package static let missedHandlerDeadlines = Metric(
            "jetsam_handler_missed_deadlines_total", .counter, .none, "Release handlers that missed their deadline.")
        /// 0 not running, 1 inactive, 2 active, 3 background, 4 suspended.
        package static let processState = Metric(
            "jetsam_process_state", .gauge, .none, "0 not running, 1 inactive, 2 active, 3 background, 4 suspended.")
        /// Changes of the process's state.
        package static let processTransitions = Metric(
            "jetsam_process_transitions_total", .counter, .none, "Changes of the process's state.")
        /// Observers of the life cycle that were late.
        package static let missedLifecycleDeadlines = Metric(
            "jetsam_lifecycle_missed_deadlines_total", .counter, .none, "Observers of the life cycle that were late.")
        /// Background tasks that hold the process now.
        package static let tasksHeld = Metric(
            "jetsam_background_tasks_held", .gauge, .none, "Background tasks that hold the process.")
        /// Background tasks that were begun.
        package static let tasksBegun = Metric(
            "jetsam_background_tasks_begun_total", .counter, .none, "Background tasks that were begun.")
        /// Background tasks that were told that they expire.
        package static let tasksExpired = Metric(
            "jetsam_background_tasks_expired_total", .counter, .none,
            "Background tasks that were notified of their expiry.")
        /// Background tasks that had not ended when their grace was over.
        package static let tasksOverdue = Metric(
            "jetsam_background_tasks_overdue_total", .counter, .none,
            "Background tasks not ended by the end of their grace.")
        /// Background tasks that were held for longer than ``BackgroundTaskConfiguration/longHeldAfter``.
        package static let tasksLongHeld = Metric(
            "jetsam_background_tasks_long_held_total", .counter, .none,
            "Background tasks reported because they were held for long, 15 minutes by default.")
        /// Background tasks that were refused.
        package static let tasksRefused = Metric(
            "jetsam_background_tasks_refused_total", .counter, .none, "Background tasks that were refused.")
        /// Connected scenes, one series for each state; told only by processes that have had a scene.
        package static let scenes = Metric(
            "jetsam_scenes", .gauge, .none, "Connected scenes by state.", dimension: "state")
        /// Open connections of a gate. JetsamNIO tells it, not a manager.
        package static let connections = Metric(
            "jetsam_connections", .gauge, .none, "Open connections behind a gate.")
        /// Connections that a gate closed. JetsamNIO tells it, not a manager.
        package static let connectionsClosed = Metric(
            "jetsam_connections_closed_total", .counter, .none, "Connections that a gate closed.", dimension: "reason")
        /// Metrics that other products of this package tell.
        package static let ofOthers = [connections, connectionsClosed]
    }

    /// A metric that a manager tells to its `MetricsFactory`: its name, and its meaning. ``all`` lists them, for pages that show a
    /// help text beside each. Labels and meanings do not change within a major version.
    public struct Metric: Sendable, Hashable {
        /// Every metric, in the order of the documentation.
        public static let all = [
            Metrics.level, Metrics.levelChanges, Metrics.headroom, Metrics.limit, Metrics.footprint,
            Metrics.footprintNeeded, Metrics.stall, Metrics.readings, Metrics.steps, Metrics.promised, Metrics.freed,
            Metrics.returned, Metrics.trimmed,
            Metrics.released, Metrics.needed, Metrics.refetched, Metrics.wasted, Metrics.retained, Metrics.handlerTime,
            Metrics.missedHandlerDeadlines, Metrics.processState, Metrics.processTransitions,
            Metrics.missedLifecycleDeadlines, Metrics.tasksHeld, Metrics.tasksBegun, Metrics.tasksExpired,
            Metrics.tasksOverdue, Metrics.tasksLongHeld, Metrics.tasksRefused, Metrics.scenes,
        ]

        /// The types of metrics.
        public enum Kind: String, Sendable {
            /// The value of now.
            case gauge
            /// A sum that only grows while the process lives.
            case counter
            /// Durations, one value for each.
            case timer
        }

        /// The units of values.
        public enum Unit: String, Sendable {
            /// Things, or a state's number.
            case none = ""
            /// Bytes.
            case bytes
            /// Seconds. Timers are told in nanoseconds, as `MetricsFactory` has them, with seconds as the unit to show.
            case seconds
            /// From 0 to 1.
            case ratio
        }

        /// Its name.
        public let label: String
        /// The type of the metric.
        public let kind: Kind
        /// The unit of its values.
        public let unit: Unit
        /// The meaning, in a sentence.
        public let help: String
        /// The name of its one dimension; nil where it has none.
        package let dimension: String?

        init(_ label: String, _ kind: Kind, _ unit: Unit, _ help: String, dimension: String? = nil) {
            self.label = label
            self.kind = kind
            self.unit = unit
            self.help = help
            self.dimension = dimension
        }
    }
}
