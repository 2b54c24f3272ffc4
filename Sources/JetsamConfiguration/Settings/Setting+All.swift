internal import Jetsam

extension Setting {
    /// Every setting, in the order of the documentation.
    public static let all: [Setting] =
        rules + levels + reclaiming + backgroundTasks + lifecycle + scenes + recording

    private static let rules: [Setting] = [
        .integer("headroom.warningPercent", \.manager.headroom.warningPercent, 2...99),
        .bytes(
            "headroom.warningMaximumBytes", \.manager.headroom.warningMaximumBytes, "more than criticalMaximumBytes"),
        .bytes(
            "headroom.warningMinimumBytes", \.manager.headroom.warningMinimumBytes, "more than criticalMinimumBytes"),
        .integer("headroom.criticalPercent", \.manager.headroom.criticalPercent, 1...98),
        .bytes(
            "headroom.criticalMaximumBytes", \.manager.headroom.criticalMaximumBytes, "at least criticalMinimumBytes"),
        .bytes("headroom.criticalMinimumBytes", \.manager.headroom.criticalMinimumBytes, "at least 0"),
        .integer("headroom.exitPoints", \.manager.headroom.exitPoints, 1...50),
        .duration("timeToLimit.warning", \.manager.timeToLimit.warning, from: "1ms"),
        .duration("timeToLimit.warningExit", \.manager.timeToLimit.warningExit, from: "1ms"),
        .integer("leadTime.safetyPercent", \.manager.leadTime.safetyPercent, 100...1000),
        .duration("leadTime.minimum", \.manager.leadTime.minimum, from: "1ms"),
        .duration("leadTime.maximum", \.manager.leadTime.maximum, from: "1ms"),
        .duration("timeToLimit.window", \.manager.timeToLimit.window, from: "10ms"),
        .integer("timeToLimit.headroomPercent", \.manager.timeToLimit.headroomPercent, 1...100),
        .integer("stall.warningPercent", \.manager.stall.warningPercent, 1...99),
        .integer("stall.warningExitPercent", \.manager.stall.warningExitPercent, 0...99),
        .integer("stall.criticalPercent", \.manager.stall.criticalPercent, 2...100),
        .integer("stall.criticalExitPercent", \.manager.stall.criticalExitPercent, 0...100),
        .integer("stall.headroomPercent", \.manager.stall.headroomPercent, 1...100),
        .integer("events.headroomPercent", \.manager.events.headroomPercent, 0...100),
        .integer("events.reclaimablePercent", \.manager.events.reclaimablePercent, 0...100),
        .duration("events.hold", \.manager.events.hold, from: "0"),
        .integer("distanceToHigh.warningPercent", \.manager.distanceToHigh.warningPercent, 0...99),
        .integer("distanceToHigh.warningExitPercent", \.manager.distanceToHigh.warningExitPercent, 0...100),
        .footprintBudget,
        .footprint("warningPercent", \.footprint.warningPercent, 1...99),
        .footprint("criticalPercent", \.footprint.criticalPercent, 2...100),
        .footprint("exitPoints", \.footprint.exitPoints, 0...98),
    ]

    private static let levels: [Setting] = [
        .duration("level.criticalFallDelay", \.manager.level.criticalFallDelay, from: "0"),
        .duration("level.warningFallDelay", \.manager.level.warningFallDelay, from: "0"),
        .duration("level.repeatInterval", \.manager.level.repeatInterval, from: "1s"),
        .bytes("sampling.maximumGrowthRate", \.manager.sampling.maximumGrowthRate, "a second, at least 1MiB"),
        .duration("sampling.minimumInterval", \.manager.sampling.minimumInterval, from: "1ms"),
        .duration("sampling.maximumInterval", \.manager.sampling.maximumInterval, from: "1ms"),
        .duration("sampling.fullReadingInterval", \.manager.sampling.fullReadingInterval, from: "5ms"),
        .duration("sampling.limitsInterval", \.manager.sampling.limitsInterval, from: "10ms"),
        .duration("sampling.pathsInterval", \.manager.sampling.pathsInterval, from: "100ms"),
    ]

    private static let reclaiming: [Setting] = [
        .integer("reclaim.sharePercent", \.manager.reclaim.sharePercent, 1...100),
        .duration("reclaim.warningSpacing", \.manager.reclaim.warningSpacing, from: "1ms"),
        .duration("reclaim.warningDeadline", \.manager.reclaim.warningDeadline, from: "1ms"),
        .duration("reclaim.criticalDeadline", \.manager.reclaim.criticalDeadline, from: "1ms"),
        .integer("reclaim.regrowthPercent", \.manager.reclaim.regrowthPercent, 0...100),
        .integer("reclaim.regrowthFloorPercent", \.manager.reclaim.regrowthFloorPercent, 0...100),
        .bytes("trim.minimumFreedBytes", \.manager.trim.minimumFreedBytes, "at least 0"),
        .integer("trim.minimumFreedPercent", \.manager.trim.minimumFreedPercent, 0...100),
        .integer("trim.durationFactor", \.manager.trim.durationFactor, 0...10_000),
        .duration("trim.urgentTimeToLimit", \.manager.trim.urgentTimeToLimit, from: "0"),
        .duration("lastResort.degradedLimit", \.manager.lastResort.degradedLimit, from: "0"),
        .bool("ladder.expiresBackgroundTasks", \.manager.ladder.expiresBackgroundTasks),
        .integer("ladder.backgroundTaskBatch", \.manager.ladder.backgroundTaskBatch, 1...1024),
        .bool("ladder.takesScenes", \.manager.ladder.takesScenes),
        .duration("ladder.victimTimeout", \.manager.ladder.victimTimeout, from: "100ms"),
    ]

    private static let backgroundTasks: [Setting] = [
        .duration("backgroundTasks.lead", \.backgroundTasks.lead, from: "0", to: "1m"),
        .duration("backgroundTasks.grace", \.backgroundTasks.grace, from: "0"),
        .bool("backgroundTasks.overdueTasksHold", \.backgroundTasks.overdueTasksHold),
        .duration(optional: "backgroundTasks.longHeldAfter", \.backgroundTasks.longHeldAfter, from: "1s"),
    ]

    private static let lifecycle: [Setting] = [
        .duration("lifecycle.launchDeadline", \.manager.lifecycle.launchDeadline, from: "1ms"),
        .duration("lifecycle.backgroundDeadline", \.manager.lifecycle.backgroundDeadline, from: "1ms"),
        .duration("lifecycle.transitionDeadline", \.manager.lifecycle.transitionDeadline, from: "1ms"),
        .word("lifecycle.missedDeadline", \.manager.lifecycle.missedDeadline) { [.goOn, .exit] },
        .word("lifecycle.activation", \.manager.lifecycle.activation) { [.automatic, .onRequest] },
        .bool("lifecycle.launchesIntoBackground", \.manager.lifecycle.launchesIntoBackground),
        .duration("lifecycle.terminationGracePeriod", \.manager.lifecycle.terminationGracePeriod, from: "100ms"),
        .duration("lifecycle.exitRoom", \.manager.lifecycle.exitRoom, from: "0"),
        .duration("lifecycle.drainDelay", \.manager.lifecycle.drainDelay, from: "0"),
        .duration(optional: "lifecycle.idleDelay", \.manager.lifecycle.idleDelay, from: "1ms"),
        .duration(optional: "lifecycle.backgroundTimeLimit", \.manager.lifecycle.backgroundTimeLimit, from: "1ms"),
        .list("lifecycle.backgroundModes", \.manager.lifecycle.backgroundModes),
        .bool("lifecycle.exitsOnSuspend", \.manager.lifecycle.exitsOnSuspend),
    ]

    private static let scenes: [Setting] = [
        .integer("scenes.maximumCount", \.manager.scenes.maximumCount, 1...1_000_000),
        .duration("scenes.connectDeadline", \.manager.scenes.connectDeadline, from: "1ms"),
        .duration("scenes.transitionDeadline", \.manager.scenes.transitionDeadline, from: "1ms"),
        .duration("scenes.lossDeadline", \.manager.scenes.lossDeadline, from: "1ms"),
        .duration("scenes.restorationDeadline", \.manager.scenes.restorationDeadline, from: "1ms"),
        .duration("scenes.handOffDeadline", \.manager.scenes.handOffDeadline, from: "1ms"),
        .integer("scenes.backgroundCachePercent", \.manager.scenes.backgroundCachePercent, 0...100),
        .bytes("scenes.maximumStateBytes", \.manager.scenes.maximumStateBytes, "from 1 to 1GiB"),
        .integer("scenes.crashedStarts", \.manager.scenes.crashedStarts, 1...100),
        .bool("scenes.takesRoomFromScenes", \.manager.scenes.takesRoomFromScenes),
    ]

    private static let recording: [Setting] = [
        .path(optional: "recorder.directory", \.manager.recorder.directory),
        .bytes("recorder.capacityBytes", \.manager.recorder.capacityBytes, "from 64KiB to 64MiB"),
        .path(optional: "recorder.traceFile", \.manager.recorder.traceFile),
        .bytes("recorder.maximumTraceBytes", \.manager.recorder.maximumTraceBytes, "from 1MiB to 1024GiB"),
        .bool("recorder.hashesNames", \.manager.recorder.hashesNames),
        .bool("control.isEnabled", \.manager.control.isEnabled),
        .path(optional: "control.directory", \.manager.control.directory),
        .bool("isDryRun", \.manager.isDryRun),
    ]
}
