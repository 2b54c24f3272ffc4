internal import MemoryPressure

/// A trace's first line: what the decisions in it were made with.
package struct TraceHeader: Record {
    package static let kind = TraceKind.trace

    package enum Source: UInt8, NumberedWord {
        /// The process itself.
        case manager
        /// Another, which saw readings alone.
        case outside
        /// A trial of another configuration on what was recorded.
        case trial
        package static let words = ["manager", "outside", "trial"]
    }

    package var version = TraceSchema.version
    package var source = Source.manager
    /// Nanoseconds since 1970 at the line's instant.
    package var wallClock = 0
    package var hasLastResort = false
    package var allocatorTells = false
    package var hashesNames = false
    package var configuration = ManagerConfiguration()

    package init() {}

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.integer("version", &version)
        visitor.word("source", &source)
        visitor.integer("wallClock", &wallClock)
        visitor.flag("hasLastResort", &hasLastResort)
        visitor.flag("allocatorTells", &allocatorTells)
        visitor.flag("hashesNames", &hashesNames)
        configuration.visitWhatDecides(&visitor)
    }
}

extension TraceHeader {
    package init(_ setup: Decider.Setup) {
        hasLastResort = setup.hasLastResort
        allocatorTells = setup.allocatorTells
        configuration = setup.configuration
        hashesNames = setup.configuration.recorder.hashesNames
    }

    package var setup: Decider.Setup {
        Decider.Setup(
            configuration: configuration, hasLastResort: hasLastResort, allocatorTells: allocatorTells)
    }
}

extension ManagerConfiguration {
    /// Every setting that a decision depends on; times are nanoseconds.
    package mutating func visitWhatDecides(_ visitor: inout some FieldVisitor) {
        visitRules(&visitor)
        visitor.duration("level.criticalFallDelay", &level.criticalFallDelay)
        visitor.duration("level.warningFallDelay", &level.warningFallDelay)
        visitor.duration("level.repeatInterval", &level.repeatInterval)
        visitor.integer("sampling.maximumGrowthRate", &sampling.maximumGrowthRate)
        visitor.duration("sampling.minimumInterval", &sampling.minimumInterval)
        visitor.duration("sampling.maximumInterval", &sampling.maximumInterval)
        visitor.duration("sampling.fullReadingInterval", &sampling.fullReadingInterval)
        visitor.retired("reclaim.warningSharePercent")
        visitor.integer("reclaim.sharePercent", &reclaim.sharePercent)
        visitor.duration("reclaim.warningSpacing", &reclaim.warningSpacing)
        visitor.duration("reclaim.warningDeadline", &reclaim.warningDeadline)
        visitor.duration("reclaim.criticalDeadline", &reclaim.criticalDeadline)
        visitor.integer("reclaim.regrowthPercent", &reclaim.regrowthPercent)
        visitor.integer("reclaim.regrowthFloorPercent", &reclaim.regrowthFloorPercent)
        visitor.integer("trim.minimumFreedBytes", &trim.minimumFreedBytes)
        visitor.integer("trim.minimumFreedPercent", &trim.minimumFreedPercent)
        visitor.integer("trim.durationFactor", &trim.durationFactor)
        visitor.duration("trim.urgentTimeToLimit", &trim.urgentTimeToLimit)
        visitor.duration("lastResort.degradedLimit", &lastResort.degradedLimit)
        visitor.formerly("ladder.expiresAssertions")
        visitor.flag("ladder.expiresBackgroundTasks", &ladder.expiresBackgroundTasks)
        visitor.formerly("ladder.assertionBatch")
        visitor.integer("ladder.backgroundTaskBatch", &ladder.backgroundTaskBatch)
        visitor.flag("ladder.takesScenes", &ladder.takesScenes)
        visitor.duration("ladder.victimTimeout", &ladder.victimTimeout)
        visitor.flag("isDryRun", &isDryRun)
    }

    private mutating func visitRules(_ visitor: inout some FieldVisitor) {
        visitor.integer("headroom.warningPercent", &headroom.warningPercent)
        visitor.integer("headroom.warningMaximumBytes", &headroom.warningMaximumBytes)
        visitor.integer("headroom.warningMinimumBytes", &headroom.warningMinimumBytes)
        visitor.integer("headroom.criticalPercent", &headroom.criticalPercent)
        visitor.integer("headroom.criticalMaximumBytes", &headroom.criticalMaximumBytes)
        visitor.integer("headroom.criticalMinimumBytes", &headroom.criticalMinimumBytes)
        visitor.integer("headroom.exitPoints", &headroom.exitPoints)
        visitor.duration("timeToLimit.warning", &timeToLimit.warning)
        visitor.duration("timeToLimit.warningExit", &timeToLimit.warningExit)
        visitor.retired("timeToLimit.critical")
        visitor.retired("timeToLimit.criticalExit")
        visitor.duration("timeToLimit.window", &timeToLimit.window)
        visitor.integer("timeToLimit.headroomPercent", &timeToLimit.headroomPercent)
        visitor.integer("leadTime.safetyPercent", &leadTime.safetyPercent)
        visitor.duration("leadTime.minimum", &leadTime.minimum)
        visitor.duration("leadTime.maximum", &leadTime.maximum)
        visitor.integer("stall.warningPercent", &stall.warningPercent)
        visitor.integer("stall.warningExitPercent", &stall.warningExitPercent)
        visitor.integer("stall.criticalPercent", &stall.criticalPercent)
        visitor.integer("stall.criticalExitPercent", &stall.criticalExitPercent)
        visitor.integer("stall.headroomPercent", &stall.headroomPercent)
        visitor.integer("events.headroomPercent", &events.headroomPercent)
        visitor.integer("events.reclaimablePercent", &events.reclaimablePercent)
        visitor.duration("events.hold", &events.hold)
        visitor.integer("distanceToHigh.warningPercent", &distanceToHigh.warningPercent)
        visitor.integer("distanceToHigh.warningExitPercent", &distanceToHigh.warningExitPercent)
        visitFootprint(&visitor)
    }

    private mutating func visitFootprint(_ visitor: inout some FieldVisitor) {
        var budget = footprint?.budgetBytes
        visitor.optional("footprint.budgetBytes", &budget)
        // The percentages follow the budget and mean nothing without one; they are asked for all the same, as the list of
        // fields is the same for every record.
        var rule = footprint ?? FootprintRule(budgetBytes: 0)
        rule.budgetBytes = budget ?? 0
        visitor.integer("footprint.warningPercent", &rule.warningPercent)
        visitor.integer("footprint.criticalPercent", &rule.criticalPercent)
        visitor.integer("footprint.exitPoints", &rule.exitPoints)
        footprint = budget == nil ? nil : rule
    }
}
