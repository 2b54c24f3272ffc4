package import MemoryPressure

/// The level rose, fell, or stuck and was told again.
package struct LevelRecord: Record {
    package static let kind = TraceKind.level

    package var previous = PressureLevel.normal
    package var level = PressureLevel.normal
    package var rule = PressureRule.headroom
    package var observed = 0
    package var threshold = 0
    package var unit = LevelReason.Unit.bytes
    package var cause = LevelCause.sampler
    package var headroomBytes = 0

    package init() {}

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.word("previous", &previous)
        visitor.word("level", &level)
        visitor.word("rule", &rule)
        visitor.integer("observed", &observed)
        visitor.integer("threshold", &threshold)
        visitor.word("unit", &unit)
        visitor.word("cause", &cause)
        visitor.integer("headroomBytes", &headroomBytes)
    }

    package var reason: LevelReason {
        LevelReason(rule: rule, observed: observed, threshold: threshold, unit: unit, cause: cause)
    }
}

extension LevelRecord {
    package init(previous: PressureLevel, level: PressureLevel, reason: LevelReason, headroomBytes: Int) {
        self.previous = previous
        self.level = level
        rule = reason.rule
        observed = reason.observed
        threshold = reason.threshold
        unit = reason.unit
        cause = reason.cause
        self.headroomBytes = headroomBytes
    }

    /// Nil where the level did not change and was not told again.
    package init?(_ decision: Decider.Decision, _ reading: MemoryReading) {
        switch decision.outcome {
        case .unchanged: return nil
        case .changed(let previous, let reason):
            self.init(
                previous: previous, level: decision.level, reason: reason, headroomBytes: reading.headroomBytes)
        case .repeated(let reason):
            self.init(
                previous: decision.level, level: decision.level, reason: reason, headroomBytes: reading.headroomBytes)
        }
    }
}

/// A step of reclaim is due.
package struct DemandRecord: Record {
    package static let kind = TraceKind.demand

    package var level = PressureLevel.normal
    package var rule = PressureRule.headroom
    package var step = 0
    package var targetBytes = 0
    package var missingBytes = 0
    package var retainedBytes = 0
    package var limitBytes = 0
    package var isUrgent = false
    /// The lead time in nanoseconds, and the steepest growth of unmanaged memory, in bytes a second.
    package var leadNanoseconds = 0
    package var growthRate = 0

    package init() {}

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.word("level", &level)
        visitor.word("rule", &rule)
        visitor.integer("step", &step)
        visitor.integer("targetBytes", &targetBytes)
        visitor.integer("missingBytes", &missingBytes)
        visitor.integer("retainedBytes", &retainedBytes)
        visitor.integer("limitBytes", &limitBytes)
        visitor.flag("isUrgent", &isUrgent)
        visitor.laterSize("lead", &leadNanoseconds)
        visitor.laterSize("growthRate", &growthRate)
    }
}

extension DemandRecord {
    package init(_ demand: ReclaimDemand) {
        level = demand.level
        rule = demand.reason.rule
        step = demand.step
        targetBytes = demand.targetBytes
        missingBytes = demand.missingBytes
        retainedBytes = demand.retainedBytes
        limitBytes = demand.limitBytes
        isUrgent = demand.isUrgent
        growthRate = demand.growthRate
        leadNanoseconds = demand.leadNanoseconds
    }
}

/// Limits of caches may rise, or be lifted.
package struct RegrowthRecord: Record {
    package static let kind = TraceKind.regrowth

    /// The bytes by which they rise; 0 where they may be lifted.
    package var raiseBytes = 0
    /// The bytes by which they rise where they hold a cache back, so that none is lifted; 0 in traces from before that was so.
    package var elseRaiseBytes = 0

    package init() {}

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.integer("raiseBytes", &raiseBytes)
        visitor.laterSize("elseRaiseBytes", &elseRaiseBytes)
    }
}

extension RegrowthRecord {
    package init(_ decision: Regrowth.Decision) {
        if decision.mayLift { elseRaiseBytes = decision.bytes } else { raiseBytes = decision.bytes }
    }
}

/// A later stage of the ladder acts.
package struct LadderRecord: Record {
    package static let kind = TraceKind.ladder

    package enum Action: UInt8, NumberedWord {
        case none, expireBackgroundTasks, loseScene, lastResort
        package static let words = ["none", "expireBackgroundTasks", "loseScene", "lastResort"]
        package static let formerWords = ["expireAssertions": 1]
    }

    package var level = PressureLevel.critical
    package var action = Action.none
    /// The most background tasks that expire.
    package var count = 0
    /// Of a last resort that comes before there is an emergency: bytes that would be missing before the process has left.
    package var deficitBytes = 0

    package init() {}

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.word("level", &level)
        visitor.word("action", &action)
        visitor.integer("count", &count)
        visitor.laterSize("deficitBytes", &deficitBytes)
    }
}

extension LadderRecord {
    package init(_ action: LadderMachine.Action, level: PressureLevel, deficitBytes: Int = 0) {
        self.level = level
        self.deficitBytes = deficitBytes
        (self.action, count) = Action.of(action)
    }
}

extension LadderRecord.Action {
    package static func of(_ action: LadderMachine.Action) -> (LadderRecord.Action, count: Int) {
        switch action {
        case .expireBackgroundTasks(let most): (.expireBackgroundTasks, most)
        case .loseScene: (.loseScene, 0)
        case .lastResort: (.lastResort, 0)
        }
    }

    package func action(count: Int) -> LadderMachine.Action? {
        switch self {
        case .none: nil
        case .expireBackgroundTasks: .expireBackgroundTasks(atMost: count)
        case .loseScene: .loseScene
        case .lastResort: .lastResort
        }
    }
}

/// A reclaim thread is asked to look what the allocator retains.
package struct LookRecord: Record {
    package static let kind = TraceKind.look
    package init() {}
    package mutating func visit(_ visitor: inout some FieldVisitor) {}
}
