extension ManagerConfiguration {
    /// The stages of reclaim beyond the caches. They are entered only while headroom to a hard limit is below its critical
    /// threshold, or after a new `oom`, and only when the caches have nothing left to give.
    public struct Ladder: Sendable, Equatable {
        /// Indicates whether held background tasks expire early: the lowest priority first, and of these what made no progress for
        /// longest.
        /// Default true.
        ///
        /// Why: Work that is notified in time can finish or stop in order. In a killed process it can do neither.
        public var expiresBackgroundTasks = true
        /// The number of background tasks that expire in the first batch of an episode; each further batch is twice as large.
        /// 1…1024, default 8.
        ///
        /// Why: Few at first, because these may be enough; twice as many each further time.
        public var backgroundTaskBatch = 8
        /// Indicates whether scenes are taken, one at a time, in the order of loss. Default false.
        ///
        /// Why: Ending a tenant's work is the application's decision.
        public var takesScenes = false
        /// The time that a victim may take to be gone before the next is chosen. 0.1…3600 s, default 10 s.
        ///
        /// Why: Longer than a task's grace and than a scene's callbacks: after this time the victim counts as hung.
        public var victimTimeout = Duration.seconds(10)

        package init() {}
    }
}

extension ManagerConfiguration.Ladder: ConfigurationPart {
    static let settings: [ManagerSetting] = [
        .flag("ladder.expiresBackgroundTasks", \.ladder.expiresBackgroundTasks).formerly("ladder.expiresAssertions"),
        .integer("ladder.backgroundTaskBatch", \.ladder.backgroundTaskBatch, 1...1024)
            .formerly("ladder.assertionBatch"),
        .flag("ladder.takesScenes", \.ladder.takesScenes),
        .duration("ladder.victimTimeout", \.ladder.victimTimeout, from: .milliseconds(100)),
    ]
}
