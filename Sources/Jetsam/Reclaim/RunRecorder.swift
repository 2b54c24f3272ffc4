internal import MemoryPressure

/// The recording of what a run is told and what it says, as it happens: part of the state behind the lock that guards the run.
struct RunRecorder {
    private let sink: RecordSink
    /// The caches whose names were recorded.
    private var named: Set<UInt64> = []

    init(_ sink: RecordSink) {
        self.sink = sink
    }

    /// Forgets the caches that are gone.
    mutating func forget(allBut present: CachesAtHand) {
        if named.count > present.count { named = named.filter { present[$0] != nil } }
    }

    /// Records the run that was just made, its caches, and the names of those that have none in the record yet.
    mutating func begins(
        _ run: ReclaimRun, _ purpose: RunRecord.Purpose, _ facts: [ClientFacts], _ caches: CachesAtHand,
        raiseBytes: Int = 0, at now: MonotonicInstant
    ) {
        guard sink.isOn else { return }
        for client in facts where named.insert(client.id).inserted {
            let name = caches[client.id]?.name ?? "unknown"
            sink.record(CacheRecord(cache: client.id, name: sink.name(name)), at: now)
        }
        var record = RunRecord()
        record.run = Int(clamping: run.number)
        record.purpose = purpose
        record.level = run.demand.level
        record.step = run.demand.step
        record.targetBytes = run.demand.targetBytes
        record.missingBytes = run.demand.missingBytes
        record.retainedBytes = run.demand.retainedBytes
        record.raiseBytes = raiseBytes
        record.callDeadline = run.callDeadline
        record.portionDeadline = run.portionDeadline
        record.trimsFirst = run.trimsFirst
        record.clients = facts.count
        record.isUrgent = run.demand.isUrgent ? 1 : 0
        record.limitNanoseconds = run.demand.limitAt.map { max(1, Int(now.duration(to: $0).nanoseconds)) } ?? 0
        sink.record(record, at: now)
        for client in facts { sink.record(ClientRecord(client, run: run.number), at: now) }
    }

    func turns(
        _ run: UInt64, shouldTrimLast: Bool, callsHandlers: Bool, open: OpenBytes, action: ReclaimRun.Action,
        at now: MonotonicInstant
    ) {
        let turn = TurnRecord(
            run: run, shouldTrimLast: shouldTrimLast, callsHandlers: callsHandlers, open: open, action: action)
        sink.record(turn, at: now)
    }

    func hurries(_ run: UInt64, _ deadline: Duration, at now: MonotonicInstant) {
        var record = HurryRecord()
        record.run = Int(clamping: run)
        record.deadline = deadline
        sink.record(record, at: now)
    }

    func trims(_ run: UInt64, _ gainedBytes: Int, _ trimmedBytes: Int, at now: MonotonicInstant) {
        var record = TrimmedRecord()
        record.run = Int(clamping: run)
        record.gainedBytes = gainedBytes
        record.trimmedBytes = trimmedBytes
        sink.record(record, at: now)
    }

    /// - Parameter client: Nil where it only says that whoever was to see to it is done.
    func gaveSegments(_ run: UInt64, _ client: UInt64?, _ bytes: Int, at now: MonotonicInstant) {
        var record = ReleasedSegmentsRecord()
        record.run = Int(clamping: run)
        record.cache = client.map { Int(clamping: $0) }
        record.bytes = bytes
        sink.record(record, at: now)
    }

    func answers(_ answer: CallAnswer, leftBytes: Int, isTaken: Bool, at now: MonotonicInstant) {
        var record = AnswerRecord()
        record.run = Int(clamping: answer.id.run)
        record.call = answer.id.number
        record.cache = Int(clamping: answer.client)
        record.promisedBytes = answer.promisedBytes
        record.freedBytes = answer.freedBytes
        record.failed = answer.error != nil
        record.duration = answer.start.duration(to: now)
        record.isTaken = isTaken
        record.gainedBytes = answer.gainedBytes
        record.leftBytes = leftBytes
        sink.record(record, at: now)
    }

    func ends(_ step: ReclaimStep, run: UInt64?, at now: MonotonicInstant) {
        sink.record(StepRecord(step, run: run), at: now)
    }
}
