package import BackgroundTasks
internal import MemoryPressure

/// Everything that the ladder beyond the caches looks at.
package struct LadderContext {
    package var now: MonotonicInstant
    package var level: PressureLevel
    package var emergency: Emergency
    /// The time since which the caches have had nothing left to give; nil while they may have.
    package var nothingLeftSince: MonotonicInstant?
    /// Milliseconds until the limit at the present growth; nil where it does not grow.
    package var millisecondsToLimit: Int?
    /// The number of background tasks that are held.
    package var heldBackgroundTasks: Int
    /// The number of scenes that could be lost.
    package var scenes: Int
}

/// The stages of reclaim that cannot be taken back: background tasks, scenes, the last resort.
///
/// They need headroom to a hard limit below its critical threshold, or a new `oom`, and caches that have nothing left to
/// give. One victim (a batch of background tasks counts as one) is gone or timed out before the next is chosen. The last resort
/// comes once in a process's life, and waits for no victim: when nothing is left and the end is near, when this has lasted too long,
/// or early, see ``EarlyLeave``.
package struct LadderMachine {
    package enum Action: Equatable {
        /// Expire so many held background tasks early.
        case expireBackgroundTasks(atMost: Int)
        /// Take the scene that ranks lowest.
        case loseScene
        /// Call the application's hook.
        case lastResort
    }

    /// The results of an action.
    package enum Outcome {
        /// The re-read before acting found that it was no longer called for.
        case abandoned
        /// There was nothing to take.
        case nobody
        /// The victim is gone.
        case gone
        /// The victim is still there after its time.
        case timedOut
    }

    private var configuration: ManagerConfiguration
    private let hasLastResort: Bool
    /// The action whose victim is not gone yet.
    package private(set) var outstanding: Action?
    /// The time until which nobody is looked for, because there was nobody to take; nil where it was not so in this episode.
    private var noBackgroundTasksUntil: MonotonicInstant?
    private var noScenesUntil: MonotonicInstant?
    /// Others may have come by then.
    package static let rest = Duration.seconds(5)
    /// With less time than this to the limit, and nothing left to take, the last resort does not wait.
    private static let nearMilliseconds = 2_000
    /// Grows with every batch of an episode, so that thousands do not take hours.
    private var batch: Int
    private(set) var isLastResortPosted = false
    /// The time of the first emergency in this episode for which the caches had nothing left.
    private var degradedSince: MonotonicInstant?
    private var lastEmergency: MonotonicInstant?
    /// Without an emergency for so long, the next one is another.
    package static let calm = Duration.seconds(10)
    /// Indicates whether the level was critical when this was asked last.
    private(set) var isInEpisode = false

    /// The greatest batch that one call can select.
    private static let largestBatch = EarlyExpiry.most

    package init(configuration: ManagerConfiguration, hasLastResort: Bool) {
        self.configuration = configuration
        self.hasLastResort = hasLastResort
        batch = configuration.ladder.backgroundTaskBatch
    }

    package mutating func reconfigure(_ configuration: ManagerConfiguration) {
        if configuration.ladder.backgroundTaskBatch != self.configuration.ladder.backgroundTaskBatch {
            batch = configuration.ladder.backgroundTaskBatch
        }
        self.configuration = configuration
    }

    package mutating func next(_ context: LadderContext) -> Action? {
        isInEpisode = context.level == .critical
        guard isInEpisode else {
            noBackgroundTasksUntil = nil
            noScenesUntil = nil
            batch = configuration.ladder.backgroundTaskBatch
            degradedSince = nil
            return nil
        }
        guard context.nothingLeftSince != nil else {
            degradedSince = nil
            return nil
        }
        guard context.emergency.isPresent else { return nil }
        // Not since the caches were empty: the level may have been critical for long by a rule that has no part in this.
        if let lastEmergency, lastEmergency.duration(to: context.now) > Self.calm { degradedSince = nil }
        lastEmergency = context.now
        let since = degradedSince ?? context.now
        degradedSince = since
        let hasLasted = since.duration(to: context.now) >= configuration.lastResort.degradedLimit
        if hasLasted, let action = lastResort() { return action }
        let isNear = context.millisecondsToLimit.map { $0 < Self.nearMilliseconds } ?? false
        // The victim may take longer than there is time. After an `oom` there is time: somebody was killed for it.
        guard outstanding == nil else { return isNear ? lastResort() : nil }
        if configuration.ladder.expiresBackgroundTasks, context.now >= noBackgroundTasksUntil ?? context.now,
            context.heldBackgroundTasks > 0
        {
            return handOut(.expireBackgroundTasks(atMost: batch))
        }
        if configuration.ladder.takesScenes, context.now >= noScenesUntil ?? context.now, context.scenes > 0 {
            return handOut(.loseScene)
        }
        return isNear || context.emergency.isOutOfMemory ? lastResort() : nil
    }

    /// The last resort before there is an emergency, as leaving takes longer than memory lasts.
    mutating func leaveEarly() -> Action? { lastResort() }

    /// The action that was handed out has ended.
    package mutating func ended(_ action: Action, _ outcome: Outcome, at now: MonotonicInstant) {
        if action == .lastResort, outcome == .abandoned { isLastResortPosted = false }
        guard outstanding == action else { return }
        outstanding = nil
        switch (action, outcome) {
        case (.expireBackgroundTasks, .nobody): noBackgroundTasksUntil = now.advanced(by: Self.rest)
        case (.loseScene, .nobody): noScenesUntil = now.advanced(by: Self.rest)
        case (.expireBackgroundTasks, .gone), (.expireBackgroundTasks, .timedOut):
            batch = min(batch * 2, max(Self.largestBatch, configuration.ladder.backgroundTaskBatch))
        default: break
        }
    }

    private mutating func handOut(_ action: Action) -> Action {
        outstanding = action
        return action
    }

    private mutating func lastResort() -> Action? {
        guard hasLastResort, !isLastResortPosted else { return nil }
        isLastResortPosted = true
        return .lastResort
    }
}
