internal import MemoryPressure

/// The recording of what a run is told and what it says, as it happens. Called where the run's own lock is held.
extension Reclaimer {
    /// The run that was just made, its caches, and the names of those that have none in the record yet.
    func recordBeginning(
        _ state: inout State, _ purpose: RunRecord.Purpose, _ facts: [ClientFacts], raiseBytes: Int = 0
    ) {
        guard recorder.isOn, let run = state.run else { return }
        let now = clock.now
        for client in facts where state.named.insert(client.id).inserted {
            let name = state.clients[client.id]?.name ?? "unknown"
            recorder.record(CacheRecord(cache: client.id, name: recorder.name(name)), at: now)
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
        recorder.record(record, at: now)
        for client in facts { recorder.record(ClientRecord(client, run: run.number), at: now) }
    }

    func recordHurry(_ run: UInt64, _ deadline: Duration, at now: MonotonicInstant) {
        var record = HurryRecord()
        record.run = Int(clamping: run)
        record.deadline = deadline
        recorder.record(record, at: now)
    }

    func recordTrim(_ run: UInt64, _ gainedBytes: Int, _ trimmedBytes: Int) {
        var record = TrimmedRecord()
        record.run = Int(clamping: run)
        record.gainedBytes = gainedBytes
        record.trimmedBytes = trimmedBytes
        recorder.record(record, at: clock.now)
    }

    /// - Parameter client: Nil where it only says that whoever was to see to it is done.
    func recordSegments(_ run: UInt64, _ client: UInt64?, _ bytes: Int, at now: MonotonicInstant) {
        var record = ReleasedSegmentsRecord()
        record.run = Int(clamping: run)
        record.cache = client.map { Int(clamping: $0) }
        record.bytes = bytes
        recorder.record(record, at: now)
    }

    func record(
        _ id: ReclaimRun.CallID, _ client: UInt64, _ promisedBytes: Int, _ freedBytes: Int?, failed: Bool,
        since start: MonotonicInstant, isTaken: Bool, at now: MonotonicInstant
    ) {
        var record = AnswerRecord()
        record.run = Int(clamping: id.run)
        record.call = id.number
        record.cache = Int(clamping: client)
        record.promisedBytes = promisedBytes
        record.freedBytes = freedBytes
        record.failed = failed
        record.duration = start.duration(to: now)
        record.isTaken = isTaken
        recorder.record(record, at: now)
    }
}
