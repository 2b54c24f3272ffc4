internal import MemoryPressure

/// A step, or a raise of limits, begins to be carried out. The caches that take part follow, one ``ClientRecord`` each.
package struct RunRecord: Record {
    package static let kind = TraceKind.run

    package enum Purpose: UInt8, NumberedWord {
        case step, request, raise, lift
        /// A call that prepares for a limit.
        case prepare
        /// Caches without a limit get one, while a limit is awaited.
        case hold
        package static let words = ["step", "request", "raise", "lift", "prepare", "hold"]
    }

    package var run = 0
    package var purpose = Purpose.step
    package var level = PressureLevel.normal
    package var step = 0
    package var targetBytes = 0
    package var missingBytes = 0
    package var retainedBytes = 0
    /// Of `raise`: by how much limits rise in all.
    package var raiseBytes = 0
    package var callDeadline = Duration.zero
    package var portionDeadline = Duration.zero
    package var trimsFirst = false
    package var clients = 0
    /// 1 where there is so little time that nobody waits for a handler that is known to be slow.
    package var isUrgent = 0
    /// Nanoseconds until memory would reach the limit, 1 at least; 0 where it does not grow.
    package var limitNanoseconds = 0

    package init() {}

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.integer("run", &run)
        visitor.word("purpose", &purpose)
        visitor.word("level", &level)
        visitor.integer("step", &step)
        visitor.integer("targetBytes", &targetBytes)
        visitor.integer("missingBytes", &missingBytes)
        visitor.integer("retainedBytes", &retainedBytes)
        visitor.integer("raiseBytes", &raiseBytes)
        visitor.duration("callDeadline", &callDeadline)
        visitor.duration("portionDeadline", &portionDeadline)
        visitor.flag("trimsFirst", &trimsFirst)
        visitor.integer("clients", &clients)
        visitor.laterSize("isUrgent", &isUrgent)
        visitor.laterSize("timeToLimit", &limitNanoseconds)
    }
}

/// The facts that were known of one cache when a run began.
package struct ClientRecord: Record {
    package static let kind = TraceKind.client

    package var run = 0
    package var cache = 0
    package var priority = 0
    package var traits = 0
    package var rebuildCost: Double?
    package var bytes = 0
    package var limitBytes: Int?
    package var givesNothing = false
    package var isHeldOff = false
    package var isBusy = false
    package var bytesPerSecond: Double?
    package var expectedShare: Double?
    package var keptBytes = 0
    /// 1 where it does.
    package var turnsAway = 0
    /// 0 where it is not known.
    package var latencyNanoseconds = 0
    /// Bytes and nanoseconds of its last call in an earlier step; 0 where none is known.
    package var lastBytes = 0
    package var lastNanoseconds = 0

    package init() {}

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.integer("run", &run)
        visitor.integer("cache", &cache)
        visitor.integer("priority", &priority)
        visitor.integer("traits", &traits)
        visitor.real("rebuildCost", &rebuildCost)
        visitor.integer("bytes", &bytes)
        visitor.optional("limitBytes", &limitBytes)
        visitor.flag("givesNothing", &givesNothing)
        visitor.flag("isHeldOff", &isHeldOff)
        visitor.flag("isBusy", &isBusy)
        visitor.real("bytesPerSecond", &bytesPerSecond)
        visitor.real("expectedShare", &expectedShare)
        visitor.laterSize("keptBytes", &keptBytes)
        visitor.laterSize("turnsAway", &turnsAway)
        visitor.laterSize("latency", &latencyNanoseconds)
        visitor.laterSize("lastBytes", &lastBytes)
        visitor.laterSize("lastTime", &lastNanoseconds)
    }
}

extension ClientRecord {
    package init(_ facts: ClientFacts, run: UInt64) {
        self.run = Int(clamping: run)
        cache = Int(clamping: facts.id)
        priority = Int(facts.priority.rawValue)
        traits = Int(facts.traits.rawValue)
        rebuildCost = facts.rebuildCost
        bytes = facts.bytes
        limitBytes = facts.limitBytes
        givesNothing = facts.givesNothing
        isHeldOff = facts.isHeldOff
        isBusy = facts.isBusy
        bytesPerSecond = facts.speed.bytesPerSecond
        expectedShare = facts.expectedShare
        keptBytes = facts.keptBytes
        turnsAway = facts.turnsAway ? 1 : 0
        latencyNanoseconds = facts.speed.latencyNanoseconds ?? 0
        lastBytes = facts.speed.last?.bytes ?? 0
        lastNanoseconds = facts.speed.last?.nanoseconds ?? 0
    }

    private var speed: ReleaseSpeed {
        let last = lastBytes > 0 ? ReleaseSpeed.Call(bytes: lastBytes, nanoseconds: lastNanoseconds) : nil
        return ReleaseSpeed(
            bytesPerSecond: bytesPerSecond, latencyNanoseconds: latencyNanoseconds > 0 ? latencyNanoseconds : nil,
            last: last)
    }

    package var facts: ClientFacts {
        ClientFacts(
            id: UInt64(max(0, cache)), priority: ResourcePriority(rawValue: UInt8(clamping: priority)),
            traits: CacheTraits(rawValue: UInt8(clamping: traits)), rebuildCost: rebuildCost, bytes: bytes,
            limitBytes: limitBytes, givesNothing: givesNothing, isHeldOff: isHeldOff, isBusy: isBusy,
            speed: speed, expectedShare: expectedShare ?? 1, turnsAway: turnsAway > 0, keptBytes: keptBytes)
    }
}

/// A thread asked the run what to do next, and what it was told: its time and the two flags go in, the rest is decided.
package struct TurnRecord: Record {
    package static let kind = TraceKind.turn

    package enum Action: UInt8, NumberedWord {
        case wait, trim, limit, lift, release, segments, start, measure
        package static let words = ["wait", "trim", "limit", "lift", "release", "segments", "start", "measure"]
    }

    package var run = 0
    package var shouldTrimLast = false
    package var callsHandlers = true
    package var action = Action.wait
    package var call: Int?
    package var cache: Int?
    /// The bytes that are asked for, or the new limit.
    package var bytes: Int?
    /// Of `start`: the new limit; nil where it stays.
    package var limitBytes: Int?
    /// Bytes that were missing beyond what the run had asked for.
    package var openBytes = 0
    /// No more than so many bytes were missing beyond that; 0 where the reading did not tell, or more was asked for than was missing.
    package var mostBytes = 0
    /// Bytes that the run had asked for beyond what was missing.
    package var surplusBytes = 0

    package init() {}

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.integer("run", &run)
        visitor.flag("shouldTrimLast", &shouldTrimLast)
        visitor.flag("callsHandlers", &callsHandlers)
        visitor.word("action", &action)
        visitor.optional("call", &call)
        visitor.optional("cache", &cache)
        visitor.optional("bytes", &bytes)
        visitor.optional("limitBytes", &limitBytes)
        visitor.laterSize("openBytes", &openBytes)
        visitor.laterSize("surplusBytes", &surplusBytes)
        visitor.laterSize("mostBytes", &mostBytes)
    }
}

extension TurnRecord {
    package var open: OpenBytes {
        OpenBytes(missing: openBytes, most: mostBytes > 0 || surplusBytes > 0 ? mostBytes - surplusBytes : nil)
    }

    package init(
        run: UInt64, shouldTrimLast: Bool, callsHandlers: Bool, open: OpenBytes = OpenBytes(), action: ReclaimRun.Action
    ) {
        openBytes = open.missing
        mostBytes = max(0, open.most ?? 0)
        surplusBytes = max(0, 0 - (open.most ?? 0))
        self.run = Int(clamping: run)
        self.shouldTrimLast = shouldTrimLast
        self.callsHandlers = callsHandlers
        switch action {
        case .wait: self.action = .wait
        case .trim: self.action = .trim
        case .measure: self.action = .measure
        case .releaseSegments(let bytes):
            self.action = .segments
            self.bytes = bytes
        case .limit(let id, let client, let bytes):
            self.action = bytes == nil ? .lift : .limit
            (call, cache) = (id.number, Int(clamping: client))
            self.bytes = bytes
        case .release(let id, let client, let request):
            self.action = .release
            (call, cache) = (id.number, Int(clamping: client))
            bytes = request.bytes
        case .start(let id, let client, let limit, let request):
            self.action = .start
            (call, cache) = (id.number, Int(clamping: client))
            bytes = request?.bytes
            limitBytes = limit.bytes
        }
    }
}

/// A cache answered, or its handler threw.
package struct AnswerRecord: Record {
    package static let kind = TraceKind.answer

    package var run = 0
    package var call = 0
    package var cache = 0
    package var promisedBytes = 0
    package var freedBytes: Int?
    package var failed = false
    /// The time that the handler took, lateness included.
    package var duration = Duration.zero
    /// Indicates whether its run still took it.
    package var isTaken = false
    /// The bytes by which headroom grew meanwhile, of a cache that was known to give nothing; else 0.
    package var gainedBytes = 0
    /// Bytes that the cache reported then.
    package var leftBytes = 0

    package init() {}

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.integer("run", &run)
        visitor.integer("call", &call)
        visitor.integer("cache", &cache)
        visitor.integer("promisedBytes", &promisedBytes)
        visitor.optional("freedBytes", &freedBytes)
        visitor.flag("failed", &failed)
        visitor.duration("duration", &duration)
        visitor.flag("isTaken", &isTaken)
        visitor.laterSize("gainedBytes", &gainedBytes)
        visitor.laterSize("leftBytes", &leftBytes)
    }
}

/// A trim of the allocator that a run asked for is done.
package struct TrimmedRecord: Record {
    package static let kind = TraceKind.trimmed

    package var run = 0
    package var gainedBytes = 0
    package var trimmedBytes = 0

    package init() {}

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.integer("run", &run)
        visitor.integer("gainedBytes", &gainedBytes)
        visitor.integer("trimmedBytes", &trimmedBytes)
    }
}

/// Caches gave memory of their own without their handlers.
package struct ReleasedSegmentsRecord: Record {
    package static let kind = TraceKind.segments

    package var run = 0
    /// Nil where it only says that whoever was to see to it is done.
    package var cache: Int?
    package var bytes = 0

    package init() {}

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.integer("run", &run)
        visitor.optional("cache", &cache)
        visitor.integer("bytes", &bytes)
    }
}

/// A run was told to ask nobody else.
package struct HurryRecord: Record {
    package static let kind = TraceKind.hurry

    package var run = 0
    package var deadline = Duration.zero

    package init() {}

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.integer("run", &run)
        visitor.duration("deadline", &deadline)
    }
}

/// A step has ended, and what it brought.
package struct StepRecord: Record {
    package static let kind = TraceKind.step

    package enum Stage: UInt8, NumberedWord {
        case caches, backgroundTasks, scenes, lastResort
        package static let words = ["caches", "backgroundTasks", "scenes", "lastResort"]
        package static let formerWords = ["assertions": 1]
    }

    package var run: Int?
    package var stage = Stage.caches
    package var step = 0
    package var level = PressureLevel.normal
    package var rule = PressureRule.headroom
    package var targetBytes = 0
    package var promisedBytes = 0
    package var freedBytes: Int?
    package var returnedBytes = 0
    package var trimmedBytes = 0
    package var isDisturbed = false
    package var headroomBefore = 0
    package var headroomAfter = 0
    package var victims = 0
    package var duration = Duration.zero
    /// Indicates whether it was only decided: nobody was asked.
    package var isDryRun = false

    package init() {}

    /// The bytes that caches gave in it and that came back.
    package var cameBackBytes: Int {
        guard stage == .caches, !isDryRun else { return 0 }
        return ReleaseTally.cameBack(
            promisedBytes: promisedBytes, freedBytes: freedBytes, returnedBytes: returnedBytes)
    }

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.optional("run", &run)
        visitor.word("stage", &stage)
        visitor.integer("step", &step)
        visitor.word("level", &level)
        visitor.word("rule", &rule)
        visitor.integer("targetBytes", &targetBytes)
        visitor.integer("promisedBytes", &promisedBytes)
        visitor.optional("freedBytes", &freedBytes)
        visitor.integer("returnedBytes", &returnedBytes)
        visitor.integer("trimmedBytes", &trimmedBytes)
        visitor.flag("isDisturbed", &isDisturbed)
        visitor.integer("headroomBefore", &headroomBefore)
        visitor.integer("headroomAfter", &headroomAfter)
        visitor.integer("victims", &victims)
        visitor.duration("duration", &duration)
        visitor.flag("isDryRun", &isDryRun)
    }
}

extension StepRecord {
    package init(_ step: ReclaimStep, run: UInt64?) {
        self.run = run.map { Int(clamping: $0) }
        stage =
            switch step.stage {
            case .backgroundTasks: .backgroundTasks
            case .scenes: .scenes
            case .lastResort: .lastResort
            case .caches: .caches
            }
        self.step = step.step
        level = step.level
        rule = step.reason.rule
        targetBytes = step.targetBytes
        promisedBytes = step.promisedBytes
        freedBytes = step.freedBytes
        returnedBytes = step.returnedBytes
        trimmedBytes = step.trimmedBytes
        isDisturbed = step.isDisturbed
        headroomBefore = step.headroomBefore
        headroomAfter = step.headroomAfter
        victims = step.victimCount
        duration = step.duration
        isDryRun = step.isDryRun
    }
}
