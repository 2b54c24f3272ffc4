internal import MemoryPressure

/// The values that a governor gives to the manager.
extension Governor {
    /// The state of what is decided, at one instant.
    struct Figures {
        var level: PressureLevel
        var reason: LevelReason?
        /// The rule that called for a higher level before; nil where the level rose last.
        var endedRule: PressureRule?
        var reading: MemoryReading
        /// Every source of readings, not yet put into words.
        var sources: SourceFindings
        /// The headroom where the levels of the `headroom` rule begin.
        var thresholds: HeadroomThresholds
        /// The process's own budget; nil where it has none.
        var budget: ManagerConfiguration.FootprintRule?
        var stallPercent: Int
        var releases: ReleaseTally
        var isDryRun: Bool
        /// The limit that is awaited, if any.
        var announcedLimit: AnnouncedLimit?
        /// The part of the reported bytes that is not expected to come back.
        var hollowBytes: Int
    }

    /// The results of looking for the process's cgroup again.
    enum Rediscovery {
        /// There was no reason to.
        case none
        case moved
        /// There are no descriptors for all of its files; said the first time, and after that `stillStarved`.
        case starved
        case stillStarved
        /// There are descriptors again.
        case recovered
    }

    /// The threshold on usage at which the kernel could wake the process.
    struct WantedThreshold {
        /// The cgroup's directory.
        let directory: String
        let limitBytes: Int
        /// Below so many bytes in use no rule votes; from there on readings are paced by what is left.
        let usageBytes: Int
        /// Where warning and critical begin: growth at full rate gets there between two readings.
        let beyond: [Int]

        init(directory: String, limitBytes: Int, entries: HeadroomThresholds) {
            self.directory = directory
            self.limitBytes = limitBytes
            let half = limitBytes / 2
            usageBytes = half
            beyond = [entries.warningEntry, entries.criticalEntry].map { limitBytes - $0 }.filter { $0 > half }
        }
    }
}
