internal import Jetsam
internal import MemoryPressure

/// One run of a trace, carried out again from its caches, its turns and their answers.
struct RunReplay {
    private let record: RunRecord
    private let began: MonotonicInstant
    private var facts: [ClientFacts] = []
    private var run: ReclaimRun?

    init(_ record: RunRecord, at now: MonotonicInstant) {
        self.record = record
        began = now
        if record.clients == 0 { makeRun() }
    }

    mutating func feed(_ client: ClientRecord) {
        guard client.run == record.run, run == nil else { return }
        facts.append(client.facts)
        if facts.count == record.clients { makeRun() }
    }

    /// The turn as it is decided again; nil where it is of another run.
    mutating func turn(_ turn: TurnRecord, at now: MonotonicInstant) -> TurnRecord? {
        guard turn.run == record.run, run != nil else { return nil }
        let action = run?.next(
            shouldTrimLast: turn.shouldTrimLast, callsHandlers: turn.callsHandlers, open: turn.open, at: now)
        return action.map {
            TurnRecord(
                run: UInt64(max(0, record.run)), shouldTrimLast: turn.shouldTrimLast, callsHandlers: turn.callsHandlers,
                open: turn.open, action: $0)
        }
    }

    /// The answer, and whether the run still takes it.
    mutating func answer(_ answer: AnswerRecord, at now: MonotonicInstant) -> AnswerRecord {
        var again = answer
        let id = ReclaimRun.CallID(run: UInt64(max(0, answer.run)), number: answer.call)
        again.isTaken =
            run?.answered(
                id, of: UInt64(max(0, answer.cache)), promisedBytes: answer.promisedBytes,
                freedBytes: answer.freedBytes, gainedBytes: answer.gainedBytes, leftBytes: answer.leftBytes,
                error: answer.failed ? "" : nil, at: now
            ) ?? false
        return again
    }

    mutating func feed(_ trimmed: TrimmedRecord) {
        guard trimmed.run == record.run else { return }
        run?.wasTrimmed(gainedBytes: trimmed.gainedBytes, trimmedBytes: trimmed.trimmedBytes)
    }

    mutating func feed(_ segments: ReleasedSegmentsRecord, at now: MonotonicInstant) {
        guard segments.run == record.run else { return }
        if let cache = segments.cache {
            run?.gaveSegments(client: UInt64(max(0, cache)), bytes: segments.bytes, at: now)
        } else {
            run?.releasedSegments()
        }
    }

    mutating func feed(_ hurry: HurryRecord, at now: MonotonicInstant) {
        guard hurry.run == record.run else { return }
        run?.hurry(deadline: hurry.deadline, at: now)
    }

    private mutating func makeRun() {
        var demand = ReclaimDemand(
            level: record.level,
            reason: LevelReason(rule: .external, observed: 0, threshold: 0, unit: .none, cause: .sampler),
            targetBytes: record.targetBytes, missingBytes: record.missingBytes, retainedBytes: record.retainedBytes,
            step: record.step, limitBytes: 0, isUrgent: record.isUrgent > 0,
            decidedAt: MonotonicInstant(nanoseconds: 0),
            holdsCaches: holdsCaches)
        if record.limitNanoseconds > 0 { demand.limitAt = began.advanced(by: .nanoseconds(record.limitNanoseconds)) }
        let isStep = holdsCaches || record.purpose == .request
        run = ReclaimRun(
            number: UInt64(max(0, record.run)), kind: isStep ? .step : .regrowth, demand: demand, plan: plan(demand),
            clients: holdsCaches ? facts : [],
            sizes: isStep ? Dictionary(facts.map { ($0.id, $0.bytes) }) { first, _ in first } : [:],
            callDeadline: record.callDeadline, portionDeadline: record.portionDeadline, trimsFirst: record.trimsFirst,
            within: demand.timeLeft(at: began))
    }

    private var holdsCaches: Bool { record.purpose == .step || record.purpose == .prepare }

    private func plan(_ demand: ReclaimDemand) -> [PlannedRelease] {
        switch record.purpose {
        case .step, .prepare:
            ReclaimOrder.plan(facts, targetBytes: record.targetBytes, within: demand.timeLeft(at: began))
        case .request: ReclaimOrder.planForRequest(facts, targetBytes: record.targetBytes)
        case .raise: Regrowth.plan(.raise(bytes: record.raiseBytes), for: facts)
        case .lift: Regrowth.plan(.lift, for: facts)
        case .hold: Regrowth.plan(.hold(bytes: record.raiseBytes), for: facts)
        }
    }
}
