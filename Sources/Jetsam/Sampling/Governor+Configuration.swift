internal import MemoryPressure

extension Governor {
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
}
