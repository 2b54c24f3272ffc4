internal import PurgeableCaches

/// Every threshold, delay and bound of a manager, as plain values, for a `ResourceManager`.
///
/// The defaults are listed, with their reasons, in <doc:Thresholds>; a test holds that page against this type.
/// A configuration is checked when a manager is made from it: see ``problems``.
public struct ManagerConfiguration: Sendable, Equatable {
    /// The distance to the hard limit.
    public var headroom = HeadroomRule()
    /// The time until the hard limit is reached at the present growth.
    public var timeToLimit = TimeToLimitRule()
    /// The settings for how early caches are asked.
    public var leadTime = LeadTimeRule()
    /// The share of time in which tasks waited for memory.
    public var stall = StallRule()
    /// New `high`, `max`, `oom` and `oom_kill` of `memory.events`.
    public var events = EventsRule()
    /// The distance to `memory.high`.
    public var distanceToHigh = DistanceToHighRule()
    /// A budget of this process's own; nil, the default, for none.
    public var footprint: FootprintRule?
    /// The settings for how the level falls and is repeated.
    public var level = LevelTiming()
    /// The settings for how often the signals are read.
    public var sampling = Sampling()
    /// The settings for how caches are asked to give memory back.
    public var reclaim = Reclaim()
    /// The settings for when glibc's allocator is asked to give memory back.
    public var trim = Trim()
    /// The settings for when the last resort is called, where there is one.
    public var lastResort = LastResort()
    /// The settings for the steps that follow when the caches have nothing left to give.
    public var ladder = Ladder()
    /// The settings for how scenes are connected, moved and lost.
    public var scenes = Scenes()
    /// The settings for how the process is launched, becomes active, idles and ends.
    public var lifecycle = Lifecycle()
    /// The settings for the records that are kept.
    public var recorder = Recorder()
    /// The local socket for the `jetsam` command.
    public var control = Control()
    /// Indicates whether the manager only decides and does nothing by itself: it asks no cache, trims nothing and takes nothing. What
    /// the application calls for is done all the same, and what a change of the process's or a scene's state asks for. Can be changed
    /// while a manager runs. Default false.
    public var isDryRun = false

    /// The documented defaults.
    public init() {}
}

extension ManagerConfiguration {
    /// Votes by headroom: bytes until the tightest hard limit is reached.
    public struct HeadroomRule: Sendable, Equatable {
        /// Percent of the limit below which the vote is `warning`. 1…99, default 20.
        public var warningPercent = 20
        /// The most bytes that `warningPercent` may come to. Default 2 GiB.
        public var warningMaximumBytes = 2 << 30
        /// The fewest bytes that `warningPercent` may come to, for limits of 128 MiB and more. Default 48 MiB.
        public var warningMinimumBytes = 48 << 20
        /// Percent of the limit below which the vote is `critical`; less than `warningPercent`. 1…98, default 10.
        public var criticalPercent = 10
        /// The most bytes that `criticalPercent` may come to. Default 1 GiB.
        public var criticalMaximumBytes = 1 << 30
        /// The fewest bytes that `criticalPercent` may come to, for limits of 128 MiB and more. Default 24 MiB.
        public var criticalMinimumBytes = 24 << 20
        /// The distance above its entry at which a vote ends, in points of percent of the limit. Where a minimum or maximum sets
        /// the entry, the distance is scaled with it. 1…50, default 5.
        public var exitPoints = 5

        package init() {}
    }

    /// Votes by headroom ÷ sustained growth of unmanaged memory.
    ///
    /// `warning` comes early and sets limits: nothing is released for it. `critical` comes when headroom is less than
    /// what growth takes within the lead time of the caches (``LeadTimeRule``) and critical's entry.
    public struct TimeToLimitRule: Sendable, Equatable {
        /// Below this time the vote is `warning`. Default 10 s.
        public var warning = Duration.seconds(10)
        /// Above this time a `warning` vote ends. Default 20 s.
        public var warningExit = Duration.seconds(20)
        /// The shortest window: growth is a least-squares fit over this much time, and over eight readings at least; beside it
        /// there are windows of 1 s and 5 s. Default 200 ms.
        public var window = Duration.milliseconds(200)
        /// The rule is silent while headroom is at least this percent of the limit. Default 50.
        public var headroomPercent = 50

        package init() {}
    }

    /// The settings for the lead time: the time from the decision to ask the caches until they have given the memory.
    ///
    /// The time is measured: the interval between readings, the time to the first call of a cache, and the bytes asked for ÷ the
    /// speed of the last steps. Before the first step 5 ms and 512 MiB a second are assumed.
    public struct LeadTimeRule: Sendable, Equatable {
        /// The measured time is multiplied by this, in percent. 100…1000, default 200.
        public var safetyPercent = 200
        /// The shortest lead time. 1 ms…1 h, default 50 ms.
        public var minimum = Duration.milliseconds(50)
        /// The longest lead time, at least `minimum`. Default 2 s.
        public var maximum = Duration.seconds(2)

        package init() {}
    }

    /// Votes by PSI's `some` share over 2 s, where headroom is short and the kernel has been reclaiming what is needed: pages that it took
    /// came back, or `high` or `max` rose with little page cache left (``EventsRule/reclaimablePercent``).
    public struct StallRule: Sendable, Equatable {
        /// Percent of 2 s above which the vote is `warning`. Default 7.
        public var warningPercent = 7
        /// Percent below which a `warning` vote ends. Default 4.
        public var warningExitPercent = 4
        /// Percent above which the vote is `critical`. Default 30.
        public var criticalPercent = 30
        /// Percent below which a `critical` vote ends. Default 15.
        public var criticalExitPercent = 15
        /// The rule is silent while headroom is at least this percent of the limit. Default 50.
        public var headroomPercent = 50

        package init() {}
    }

    /// Votes by the counters of `memory.events`.
    public struct EventsRule: Sendable, Equatable {
        /// New `high` or `max` vote `warning` only below this percent of headroom. Default 50.
        public var headroomPercent = 50
        /// New `high` or `max` vote only while the memory that the kernel could still take back for free is less than this
        /// percent of the limit; with more of it they say no more than that files were read or written. Default 10.
        public var reclaimablePercent = 10
        /// The time that a vote lasts after the last new event. Default 2 s.
        public var hold = Duration.seconds(2)

        package init() {}
    }

    /// Votes `warning` near or above `memory.high`; never `critical`, because going over it throttles and does not kill.
    public struct DistanceToHighRule: Sendable, Equatable {
        /// Below this percent of `memory.high` left the vote is `warning`. Default 5.
        public var warningPercent = 5
        /// Above this percent left the vote ends. Default 10.
        public var warningExitPercent = 10

        package init() {}
    }

    /// Votes by this process's footprint against a budget of its own.
    public struct FootprintRule: Sendable, Equatable {
        /// The budget in bytes; positive.
        public var budgetBytes: Int
        /// Percent of the budget above which the vote is `warning`. Default 80.
        public var warningPercent = 80
        /// Percent of the budget above which the vote is `critical`. Default 92.
        public var criticalPercent = 92
        /// The distance below its entry at which a vote ends, in points of percent of the budget. Default 5.
        public var exitPoints = 5

        /// A budget of that many bytes, with the documented percentages.
        public init(budgetBytes: Int) {
            self.budgetBytes = budgetBytes
        }
    }

    /// The settings for how the level falls and is repeated. It always rises at once.
    public struct LevelTiming: Sendable, Equatable {
        /// The time for which every vote must have been below `critical` before the level falls to `warning`. Default 2 s.
        public var criticalFallDelay = Duration.seconds(2)
        /// The time for which every vote must have been `normal` before the level falls to `normal`. Default 5 s.
        public var warningFallDelay = Duration.seconds(5)
        /// A level above normal that sticks is announced again after this time. Default 30 s.
        public var repeatInterval = Duration.seconds(30)

        package init() {}
    }

    /// The settings for how often the signals are read.
    public struct Sampling: Sendable, Equatable {
        /// The fastest growth to be ready for, in bytes a second. Default 3 GiB, about what one thread faults in with 4 KiB pages.
        public var maximumGrowthRate = 3 << 30
        /// The shortest time between two readings. Default 1 ms.
        public var minimumInterval = Duration.milliseconds(1)
        /// The longest time between two readings. Default 2 s.
        public var maximumInterval = Duration.seconds(2)
        /// `memory.stat` and PSI are read at most this often; faster than a jiffy (4 ms) erases stall time. Default 10 ms.
        public var fullReadingInterval = Duration.milliseconds(10)
        /// Limits are re-read this often: they are resized in place. Default 1 s. Levels without one are looked at with the paths.
        public var limitsInterval = Duration.seconds(1)
        /// It is checked this often whether the process was moved to another cgroup, and whether a level has a limit that had
        /// none. Default 10 s.
        public var pathsInterval = Duration.seconds(10)

        package init() {}
    }

    /// The settings for how caches are asked to give memory back.
    public struct Reclaim: Sendable, Equatable {
        /// The bytes that a step asks for where the rule does not say how many are missing (`stall`, `events`, `external`), in
        /// percent of all that registered caches report. Doubled, up to 40, after a step that lowered the rule's observed value
        /// by a quarter. 1…100, default 5.
        public var sharePercent = 5
        /// The shortest time between two steps where the first brought nothing, and between two at `warning` where other processes
        /// use the limit too. Default 250 ms.
        public var warningSpacing = Duration.milliseconds(250)
        /// The time that one handler may take at `warning` before the others go on without it. Default 1 s.
        public var warningDeadline = Duration.seconds(1)
        /// The time that one handler may take at `critical`. Default 100 ms.
        public var criticalDeadline = Duration.milliseconds(100)
        /// The share of the spare headroom, in percent a second, by which limits rise at `normal`. Default 10.
        public var regrowthPercent = 10
        /// The distance that regrowth keeps from the entry of `warning`, in percent of the distance between entry and exit.
        /// Default 20.
        public var regrowthFloorPercent = 20

        package init() {}
    }

    /// The settings for when glibc's allocator is trimmed. jemalloc's purge is cheap, so jemalloc is purged after each step
    /// instead.
    public struct Trim: Sendable, Equatable {
        /// At least this many bytes were freed since the last trim, or as many as are missing. Default 32 MiB.
        public var minimumFreedBytes = 32 << 20
        /// At least this percent of the limit was freed since the last trim, or as much as is missing. Default 5.
        public var minimumFreedPercent = 5
        /// No sooner after the last trim than this many times its duration. Default 20.
        public var durationFactor = 20
        /// With less time than this to the limit, caches are asked before the allocator is trimmed. Default 500 ms.
        public var urgentTimeToLimit = Duration.milliseconds(500)

        package init() {}
    }

    /// The settings for when the last resort is called.
    public struct LastResort: Sendable, Equatable {
        /// The time that the level may stay `critical`, in an emergency, with nothing left to take from the caches. 0…3600 s,
        /// default 60 s.
        public var degradedLimit = Duration.seconds(60)

        package init() {}
    }
}
