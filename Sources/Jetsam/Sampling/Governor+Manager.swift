internal import MemoryPressure

/// What the manager asks of it.
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
        /// The limit that is awaited, if any.
        var announcedLimit: AnnouncedLimit?
        /// The part of the reported bytes that is not expected to come back.
        var hollowBytes: Int
    }

    /// A snapshot.
    var figures: Figures {
        let now = clock.now
        return state.withLock { state in
            Figures(
                level: state.decider.level, reason: state.decider.reason, reading: state.reading,
                sources: state.reader.sources, thresholds: state.decider.thresholds(state.reading),
                stallPercent: state.decider.stallPercent(at: now), releases: state.releases, isDryRun: state.isDryRun,
                announcedLimit: awaitedLimit(state, at: now), hollowBytes: registry.hollowBytes)
        }
    }

    /// Every source of readings, used or why not.
    var sources: [SourceStatus] { state.withLock { $0.reader.sources } }

    /// The configuration that is decided by.
    var configuration: ManagerConfiguration { state.withLock { $0.decider.setup.configuration } }

    /// Decides by another one from the next reading on, all of it at once.
    func reconfigure(_ configuration: ManagerConfiguration) {
        state.withLock { state in
            if configuration.isDryRun != state.isDryRun {
                // What was credited did not come.
                state.credit = DryRunCredit()
                // A dry run refuses nobody.
                backgroundTasks.noteLevel(configuration.isDryRun ? .normal : currentLevel)
            }
            state.decider.reconfigure(configuration)
            recorder.record(TraceHeader(state.decider.setup), at: clock.now)
            state.spans = Spans(configuration.sampling)
            forgetThresholds(&state)
        }
    }

    /// The threshold that was armed is gone: another is asked for at the next reading.
    func forgetThresholds() {
        state.withLock { forgetThresholds(&$0) }
    }

    /// Forgets the armed thresholds: they belong to other thresholds, or are to be armed again.
    func forgetThresholds(_ state: inout State) {
        state.threshold = .none
    }

    /// Bytes that can be taken before memory is short, by a fresh reading: headroom above warning's entry.
    func measureSpareBytes() -> Int {
        let reading = measure()
        let thresholds = state.withLock { $0.decider.thresholds(reading) }
        return max(0, reading.headroomBytes - thresholds.warningEntry)
    }

    /// Holds caches for a limit that is about to be set: with one that is awaited already the lower number, until the later end.
    ///
    /// - Returns: What holds now.
    @discardableResult
    func announce(_ limit: AnnouncedLimit) -> AnnouncedLimit {
        let now = clock.now
        return state.withLock { state in
            let joined = limit.joined(with: awaitedLimit(state, at: now))
            handle(.limitAnnounced(joined), &state, at: now)
            return joined
        }
    }

    /// Lets limits of caches rise again, whatever was announced.
    func withdrawLimit() {
        handle(.limitAnnounced(nil), at: clock.now)
    }

    private func awaitedLimit(_ state: State, at now: MonotonicInstant) -> AnnouncedLimit? {
        state.decider.announcedLimit.flatMap { $0.isAwaited(state.reading, at: now) ? $0 : nil }
    }

    /// Sets whether limits of caches rise again at `normal`. They do not in a process that is about to end: nobody would use what
    /// it would load.
    func setAllowsRegrowth(_ isAllowed: Bool) {
        handle(.regrowthAllowed(isAllowed), at: clock.now)
    }
}
