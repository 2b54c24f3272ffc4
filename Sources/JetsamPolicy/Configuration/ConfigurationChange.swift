/// The result of giving a new configuration to a manager that runs.
public struct ConfigurationChange: Sendable, Equatable {
    /// The settings that are other now, such as `headroom.warningPercent`, in the order of the types.
    public var applied: [String] = []
    /// The settings that are other, but take effect only when a manager is made with them.
    public var atNextStart: [String] = []

    package init(from old: ManagerConfiguration, to new: ManagerConfiguration) {
        for setting in Setting.all where !setting.isSame(old, new) {
            if setting.isFixed { atNextStart.append(setting.name) } else { applied.append(setting.name) }
        }
    }
}

extension ConfigurationChange {
    /// A setting: its name, and how to tell whether two configurations have the same.
    package struct Setting: Sendable {
        package let name: String
        package let isSame: @Sendable (ManagerConfiguration, ManagerConfiguration) -> Bool
        /// Indicates whether it is used once, when a manager is made: files and sockets, and deadlines that are running.
        package var isFixed: Bool { Self.fixedParts.contains { name.hasPrefix("\($0).") } }

        private static let fixedParts = ["scenes", "lifecycle", "recorder", "control"]

        private init(
            _ name: String, _ isSame: @escaping @Sendable (ManagerConfiguration, ManagerConfiguration) -> Bool
        ) {
            self.name = name
            self.isSame = isSame
        }

        private init<Value: Equatable & SendableMetatype>(
            _ name: String, _ value: any KeyPath<ManagerConfiguration, Value> & Sendable
        ) {
            self.init(name) { $0[keyPath: value] == $1[keyPath: value] }
        }

        /// Returns whether both budgets have the same value. Where only one of two configurations has a budget, that alone is the
        /// difference.
        private static func isSameBudget(
            _ old: ManagerConfiguration.FootprintRule?, _ new: ManagerConfiguration.FootprintRule?,
            _ value: KeyPath<ManagerConfiguration.FootprintRule, Int>
        ) -> Bool {
            guard let old, let new else { return true }
            return old[keyPath: value] == new[keyPath: value]
        }

        /// All of them, in the order of the types. A test holds the list against ``ManagerConfiguration``.
        package static let all: [Setting] = [
            Setting("headroom.warningPercent", \.headroom.warningPercent),
            Setting("headroom.warningMaximumBytes", \.headroom.warningMaximumBytes),
            Setting("headroom.warningMinimumBytes", \.headroom.warningMinimumBytes),
            Setting("headroom.criticalPercent", \.headroom.criticalPercent),
            Setting("headroom.criticalMaximumBytes", \.headroom.criticalMaximumBytes),
            Setting("headroom.criticalMinimumBytes", \.headroom.criticalMinimumBytes),
            Setting("headroom.exitPoints", \.headroom.exitPoints),
            Setting("timeToLimit.warning", \.timeToLimit.warning),
            Setting("timeToLimit.warningExit", \.timeToLimit.warningExit),
            Setting("timeToLimit.window", \.timeToLimit.window),
            Setting("timeToLimit.headroomPercent", \.timeToLimit.headroomPercent),
            Setting("leadTime.safetyPercent", \.leadTime.safetyPercent),
            Setting("leadTime.minimum", \.leadTime.minimum),
            Setting("leadTime.maximum", \.leadTime.maximum),
            Setting("stall.warningPercent", \.stall.warningPercent),
            Setting("stall.warningExitPercent", \.stall.warningExitPercent),
            Setting("stall.criticalPercent", \.stall.criticalPercent),
            Setting("stall.criticalExitPercent", \.stall.criticalExitPercent),
            Setting("stall.headroomPercent", \.stall.headroomPercent),
            Setting("events.headroomPercent", \.events.headroomPercent),
            Setting("events.reclaimablePercent", \.events.reclaimablePercent),
            Setting("events.hold", \.events.hold),
            Setting("distanceToHigh.warningPercent", \.distanceToHigh.warningPercent),
            Setting("distanceToHigh.warningExitPercent", \.distanceToHigh.warningExitPercent),
            Setting("footprint") { ($0.footprint == nil) == ($1.footprint == nil) },
            Setting("footprint.budgetBytes") { isSameBudget($0.footprint, $1.footprint, \.budgetBytes) },
            Setting("footprint.warningPercent") { isSameBudget($0.footprint, $1.footprint, \.warningPercent) },
            Setting("footprint.criticalPercent") { isSameBudget($0.footprint, $1.footprint, \.criticalPercent) },
            Setting("footprint.exitPoints") { isSameBudget($0.footprint, $1.footprint, \.exitPoints) },
            Setting("level.criticalFallDelay", \.level.criticalFallDelay),
            Setting("level.warningFallDelay", \.level.warningFallDelay),
            Setting("level.repeatInterval", \.level.repeatInterval),
            Setting("sampling.maximumGrowthRate", \.sampling.maximumGrowthRate),
            Setting("sampling.minimumInterval", \.sampling.minimumInterval),
            Setting("sampling.maximumInterval", \.sampling.maximumInterval),
            Setting("sampling.fullReadingInterval", \.sampling.fullReadingInterval),
            Setting("sampling.limitsInterval", \.sampling.limitsInterval),
            Setting("sampling.pathsInterval", \.sampling.pathsInterval),
            Setting("reclaim.sharePercent", \.reclaim.sharePercent),
            Setting("reclaim.warningSpacing", \.reclaim.warningSpacing),
            Setting("reclaim.warningDeadline", \.reclaim.warningDeadline),
            Setting("reclaim.criticalDeadline", \.reclaim.criticalDeadline),
            Setting("reclaim.regrowthPercent", \.reclaim.regrowthPercent),
            Setting("reclaim.regrowthFloorPercent", \.reclaim.regrowthFloorPercent),
            Setting("trim.minimumFreedBytes", \.trim.minimumFreedBytes),
            Setting("trim.minimumFreedPercent", \.trim.minimumFreedPercent),
            Setting("trim.durationFactor", \.trim.durationFactor),
            Setting("trim.urgentTimeToLimit", \.trim.urgentTimeToLimit),
            Setting("lastResort.degradedLimit", \.lastResort.degradedLimit),
            Setting("ladder.expiresBackgroundTasks", \.ladder.expiresBackgroundTasks),
            Setting("ladder.backgroundTaskBatch", \.ladder.backgroundTaskBatch),
            Setting("ladder.takesScenes", \.ladder.takesScenes),
            Setting("ladder.victimTimeout", \.ladder.victimTimeout),
            Setting("scenes.maximumCount", \.scenes.maximumCount),
            Setting("scenes.connectDeadline", \.scenes.connectDeadline),
            Setting("scenes.transitionDeadline", \.scenes.transitionDeadline),
            Setting("scenes.lossDeadline", \.scenes.lossDeadline),
            Setting("scenes.restorationDeadline", \.scenes.restorationDeadline),
            Setting("scenes.handOffDeadline", \.scenes.handOffDeadline),
            Setting("scenes.backgroundCachePercent", \.scenes.backgroundCachePercent),
            Setting("scenes.maximumStateBytes", \.scenes.maximumStateBytes),
            Setting("scenes.crashedStarts", \.scenes.crashedStarts),
            Setting("scenes.takesRoomFromScenes", \.scenes.takesRoomFromScenes),
            Setting("lifecycle.launchDeadline", \.lifecycle.launchDeadline),
            Setting("lifecycle.backgroundDeadline", \.lifecycle.backgroundDeadline),
            Setting("lifecycle.transitionDeadline", \.lifecycle.transitionDeadline),
            Setting("lifecycle.missedDeadline", \.lifecycle.missedDeadline),
            Setting("lifecycle.activation", \.lifecycle.activation),
            Setting("lifecycle.launchesIntoBackground", \.lifecycle.launchesIntoBackground),
            Setting("lifecycle.terminationGracePeriod", \.lifecycle.terminationGracePeriod),
            Setting("lifecycle.exitRoom", \.lifecycle.exitRoom),
            Setting("lifecycle.drainDelay", \.lifecycle.drainDelay),
            Setting("lifecycle.idleDelay", \.lifecycle.idleDelay),
            Setting("lifecycle.backgroundTimeLimit", \.lifecycle.backgroundTimeLimit),
            Setting("lifecycle.backgroundModes", \.lifecycle.backgroundModes),
            Setting("lifecycle.exitsOnSuspend", \.lifecycle.exitsOnSuspend),
            Setting("recorder.directory", \.recorder.directory),
            Setting("recorder.capacityBytes", \.recorder.capacityBytes),
            Setting("recorder.traceFile", \.recorder.traceFile),
            Setting("recorder.maximumTraceBytes", \.recorder.maximumTraceBytes),
            Setting("recorder.hashesNames", \.recorder.hashesNames),
            Setting("control.isEnabled", \.control.isEnabled),
            Setting("control.directory", \.control.directory),
            Setting("isDryRun", \.isDryRun),
        ]
    }
}

extension ManagerConfiguration {
    /// Takes back what cannot change while a manager runs.
    package mutating func keepFixedParts(of old: Self) {
        scenes = old.scenes
        lifecycle = old.lifecycle
        recorder = old.recorder
        control = old.control
    }
}
