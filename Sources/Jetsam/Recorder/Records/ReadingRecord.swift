package import MemoryPressure

/// One reading that was judged, with what was known beside it, and when the next was to be taken.
package struct ReadingRecord: Record {
    package static let kind = TraceKind.reading

    /// The reading that was judged. In a dry run it is the one that would have been read if its steps had been carried out.
    package var reading = MemoryReading()
    /// Bytes that a dry run is credited with: so much more than ``reading`` says was used.
    package var creditBytes = 0
    package var cause = LevelCause.sampler
    package var triggerGrade = PressureLevel.normal
    package var reportedBytes = 0
    package var inFlightBytes = 0
    package var retainedBytes = 0
    package var trimsFrom = MonotonicInstant(nanoseconds: .min)
    package var isCoveredByKernel = false
    package var heldBackgroundTasks: Int?
    package var scenes: Int?
    /// Decided from it: how long the sampler may sleep. Kept as the trace has it: a `Duration` has 128 bits, and every walk over the
    /// fields would divide them.
    package var intervalNanoseconds = 0
    /// Bytes that caches of ours had fetched again after releases, in all.
    package var refetchedBytes = 0
    /// The number of processes that share the tightest level; 0 in traces from before that was counted.
    package var sharers = 0
    /// Nanoseconds that leaving takes; 0 where it was not asked.
    package var leavingNanoseconds = 0

    package init() {}

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.number("sequence", &reading.sequence)
        visitor.word("depth", &reading.depth)
        visitor.integer("limitBytes", &reading.limitBytes)
        visitor.flag("isLimited", &reading.isLimited)
        visitor.integer("tightestLevel", &reading.tightestLevel)
        visitor.integer("usageBytes", &reading.usageBytes)
        visitor.integer("unreclaimableBytes", &reading.unreclaimableBytes)
        visitor.integer("headroomBytes", &reading.headroomBytes)
        visitor.optional("availableBytes", &reading.availableBytes)
        visitor.optional("distanceToHighBytes", &reading.distanceToHighBytes)
        visitor.optional("highBytes", &reading.highBytes)
        visitor.integer("footprintBytes", &reading.footprintBytes)
        visitor.counter("stallSomeMicroseconds", &reading.stallSomeMicroseconds)
        visitor.counter("stallFullMicroseconds", &reading.stallFullMicroseconds)
        visit(events: &visitor)
        visitor.counter("refaultedPages", &reading.refaultedPages)
        visitor.word("cause", &cause)
        visitor.word("triggerGrade", &triggerGrade)
        visitor.integer("reportedBytes", &reportedBytes)
        visitor.integer("inFlightBytes", &inFlightBytes)
        visitor.integer("retainedBytes", &retainedBytes)
        visitor.instant("trimsFrom", &trimsFrom)
        visitor.flag("isCoveredByKernel", &isCoveredByKernel)
        visitor.formerly("heldAssertions")
        visitor.optional("heldBackgroundTasks", &heldBackgroundTasks)
        visitor.optional("scenes", &scenes)
        visitor.integer("creditBytes", &creditBytes)
        visitor.integer("interval", &intervalNanoseconds)
        visitor.laterSize("refetchedBytes", &refetchedBytes)
        visitor.laterSize("usableSwapBytes", &reading.usableSwapBytes)
        visitor.laterSize("sharers", &sharers)
        visitor.laterSize("leaving", &leavingNanoseconds)
        visitor.laterSize("scannedPages", &reading.scannedPages)
    }

    /// All four of `memory.events`, or none.
    private mutating func visit(events visitor: inout some FieldVisitor) {
        var high = reading.events?.high
        var max = reading.events?.max
        var oom = reading.events?.oom
        var oomKill = reading.events?.oomKill
        visitor.counter("high", &high)
        visitor.counter("max", &max)
        visitor.counter("oom", &oom)
        visitor.counter("oomKill", &oomKill)
        guard let high, let max, let oom, let oomKill else {
            reading.events = nil
            return
        }
        var events = MemoryEventCounters()
        events.high = high
        events.max = max
        events.oom = oom
        events.oomKill = oomKill
        reading.events = events
    }
}

extension ReadingRecord {
    package init(_ observation: Decider.Observation, interval: Duration) {
        reading = observation.reading
        cause = observation.cause
        triggerGrade = observation.triggerGrade
        reportedBytes = observation.reportedBytes
        inFlightBytes = observation.inFlightBytes
        retainedBytes = observation.retainedBytes
        trimsFrom = observation.trimsFrom
        isCoveredByKernel = observation.isCoveredByKernel
        heldBackgroundTasks = observation.victims?.heldBackgroundTasks
        scenes = observation.victims?.scenes
        creditBytes = observation.creditBytes
        intervalNanoseconds = Int(interval.nanoseconds)
        refetchedBytes = observation.refetchedBytes
        sharers = observation.sharers
        leavingNanoseconds = Int(observation.leavingNanoseconds)
    }

    /// Returns the observation that was judged; the instant is the record's.
    package func observation(at instant: MonotonicInstant) -> Decider.Observation {
        var observation = Decider.Observation(
            reading: reading, cause: cause, triggerGrade: triggerGrade, reportedBytes: reportedBytes,
            inFlightBytes: inFlightBytes, retainedBytes: retainedBytes, trimsFrom: trimsFrom,
            isCoveredByKernel: isCoveredByKernel, creditBytes: creditBytes, refetchedBytes: refetchedBytes,
            sharers: sharers, leavingNanoseconds: Int64(leavingNanoseconds))
        observation.reading.instant = instant
        if let heldBackgroundTasks {
            observation.victims = Decider.Victims(heldBackgroundTasks: heldBackgroundTasks, scenes: scenes ?? 0)
        }
        return observation
    }
}
