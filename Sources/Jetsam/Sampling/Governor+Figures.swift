internal import MemoryPressure

extension Governor {
    /// The state of what is decided, at one instant.
    struct Figures {
        var level: PressureLevel
        var reason: LevelReason?
        var reading: MemoryReading
        var sources: [SourceStatus]
        /// The headroom where the levels of the `headroom` rule begin.
        var thresholds: HeadroomThresholds
        var stallPercent: Int
        var releases: ReleaseTally
        var isDryRun: Bool
    }

    /// A snapshot.
    var figures: Figures {
        let now = clock.now
        return state.withLock { state in
            Figures(
                level: state.decider.level, reason: state.decider.reason, reading: state.reading,
                sources: state.reader.sources, thresholds: state.decider.thresholds(state.reading),
                stallPercent: state.decider.stallPercent(at: now), releases: state.releases, isDryRun: state.isDryRun)
        }
    }

    /// Every source of readings, used or why not.
    var sources: [SourceStatus] { state.withLock { $0.reader.sources } }
}
