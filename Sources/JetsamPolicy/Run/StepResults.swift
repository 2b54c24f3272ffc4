internal import PurgeableCaches

/// What the calls of a step brought.
struct StepResults {
    private(set) var outcomes: [ReclaimRun.Outcome] = []
    /// The time when the first cache was asked for bytes.
    private(set) var firstRelease: MonotonicInstant?
    private(set) var promisedBytes = 0

    /// The caches that have not answered in time.
    var lateClients: Set<UInt64> { Set(outcomes.lazy.filter(\.answer.missedDeadline).map(\.client)) }

    /// A cache is asked for bytes.
    mutating func begin(at now: MonotonicInstant) {
        firstRelease = firstRelease ?? now
    }

    /// Adds a call that has its answer, or has missed its deadline.
    mutating func add(
        _ id: ReclaimRun.CallID, _ call: ReclaimRun.Call, promised: Int, freed: Int?, error: String?,
        missedDeadline: Bool = false, at now: MonotonicInstant
    ) {
        promisedBytes = promisedBytes.addingSaturating(promised)
        let answer = LedgerEntry.Answer(
            askedBytes: call.askedBytes, promisedBytes: promised, freedBytes: freed, returnedBytes: 0,
            duration: call.start.duration(to: now), failed: error != nil, missedDeadline: missedDeadline)
        outcomes.append(
            ReclaimRun.Outcome(
                call: id, client: call.client, isRelease: call.isRelease, answer: answer, error: error,
                start: call.start))
    }

    /// Adds what a cache gave of memory of its own without its handlers.
    mutating func addSegments(_ bytes: Int, of client: UInt64) {
        promisedBytes = promisedBytes.addingSaturating(bytes)
        let answer = LedgerEntry.Answer(
            askedBytes: bytes, promisedBytes: bytes, freedBytes: bytes, returnedBytes: 0, duration: .zero)
        outcomes.append(ReclaimRun.Outcome(client: client, isRelease: true, answer: answer, error: nil))
    }

    /// Returns what is written down of a call; nil where it is still out, or unknown.
    func outcome(of id: ReclaimRun.CallID) -> ReclaimRun.Outcome? { outcomes.first { $0.call == id } }

    /// A call that had missed its deadline has given after all.
    mutating func correct(_ id: ReclaimRun.CallID, promised: Int, freed: Int?) {
        guard let index = outcomes.firstIndex(where: { $0.call == id }) else { return }
        outcomes[index].answer.promisedBytes = promised
        outcomes[index].answer.freedBytes = freed
        promisedBytes = promisedBytes.addingSaturating(promised)
    }
}
