internal import MemoryPressure

extension ManagerConfiguration {
    /// The settings for how the level falls and is repeated. It always rises at once.
    public struct LevelTiming: Sendable, Equatable {
        /// The time for which every vote must have been below `critical` before the level falls to `warning`. Default 2 s.
        ///
        /// Why: One stall window.
        public var criticalFallDelay = LevelCourse.Timing().criticalFallDelay
        /// The time for which every vote must have been `normal` before the level falls to `normal`. Default 5 s.
        ///
        /// Why: Long enough that releases and refills that alternate stay one episode.
        public var warningFallDelay = LevelCourse.Timing().warningFallDelay
        /// A level above normal that sticks is announced again after this time. Default 30 s.
        ///
        /// Why: Caches that could give nothing the first time are asked again.
        public var repeatInterval = LevelCourse.Timing().repeatInterval

        package init() {}
    }

    /// The settings for how often the signals are read.
    public struct Sampling: Sendable, Equatable {
        /// The fastest growth to be ready for, in bytes a second. Default 3 GiB, about what one thread faults in with 4 KiB pages.
        ///
        /// Why: A second. One thread was measured to fault in 2.8 to 2.9 GiB/s with 4 KiB pages.
        public var maximumGrowthRate = 3 << 30
        /// The shortest time between two readings. Default 1 ms.
        ///
        /// Why: A reading and a wake-up cost some 60 µs.
        public var minimumInterval = Duration.milliseconds(1)
        /// The longest time between two readings. Default 2 s.
        ///
        /// Why: A wake-up from rest costs 60 to 200 µs, with cold processor caches. The sampler sleeps this long only
        /// if the limit is more than two seconds away.
        public var maximumInterval = Duration.seconds(2)
        /// `memory.stat` and PSI are read at most this often; faster than a jiffy (4 ms) erases stall time. Default 10 ms.
        ///
        /// Why: Reading PSI faster than a jiffy (4 ms) erases stall time.
        public var fullReadingInterval = Duration.milliseconds(10)
        /// Limits are re-read this often: they are resized in place. Default 1 s. Levels without one are looked at with the paths.
        ///
        /// Why: Limits can be resized in place. They are never read more often than readings are taken.
        public var limitsInterval = Duration.seconds(1)
        /// It is checked this often whether the process was moved to another cgroup, and whether a level has a limit that had
        /// none. Default 10 s.
        ///
        /// Why: Processes are seldom moved.
        public var pathsInterval = Duration.seconds(10)

        package init() {}
    }
}

extension ManagerConfiguration.LevelTiming: ConfigurationPart {
    static let settings: [ManagerSetting] = [
        .duration("level.criticalFallDelay", \.level.criticalFallDelay, from: .zero),
        .duration("level.warningFallDelay", \.level.warningFallDelay, from: .zero),
        .duration("level.repeatInterval", \.level.repeatInterval, from: .seconds(1)),
    ]
}

extension ManagerConfiguration.Sampling: ConfigurationPart {
    static let settings: [ManagerSetting] = [
        .bytes("sampling.maximumGrowthRate", \.sampling.maximumGrowthRate, from: 1 << 20),
        .duration("sampling.minimumInterval", \.sampling.minimumInterval, from: .milliseconds(1)),
        .duration("sampling.maximumInterval", \.sampling.maximumInterval, from: .milliseconds(1)),
        .duration("sampling.fullReadingInterval", \.sampling.fullReadingInterval, from: .milliseconds(5)),
        .duration("sampling.limitsInterval", \.sampling.limitsInterval, from: .milliseconds(10)).decidingNothing,
        .duration("sampling.pathsInterval", \.sampling.pathsInterval, from: .milliseconds(100)).decidingNothing,
    ]

    func checkOrder(_ findings: inout ConfigurationFindings) {
        findings.atLeast("sampling.maximumInterval", maximumInterval, "sampling.minimumInterval", minimumInterval)
    }
}
