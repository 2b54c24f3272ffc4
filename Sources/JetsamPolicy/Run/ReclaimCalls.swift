package import PurgeableCaches

extension ReclaimRun {
    package struct CallID: Hashable {
        /// An answer that comes when its run is over is not taken for another's.
        package var run: UInt64
        package var number: Int

        package init(run: UInt64, number: Int) {
            self.run = run
            self.number = number
        }
    }

    package struct Call: Equatable {
        package var client: UInt64
        package var isRelease: Bool
        package var askedBytes: Int
        package var reportedBytes: Int
        package var start: MonotonicInstant
        package var deadline: MonotonicInstant
        package var isAsynchronous: Bool
        /// It gives beside the handlers, and what it was asked for is taken to come.
        var isBeside = false
        /// The time by which it is expected to answer: until then others are not asked for the same bytes.
        var expectedBy: MonotonicInstant
        /// It is known to take longer than others wait for it.
        var isSlow = false
        var isLate = false

        /// No more than the cache said it held is expected.
        var expectedBytes: Int { min(askedBytes, reportedBytes) }
        /// Others wait for it, or are asked in its place.
        var isAwaitedInTurn: Bool { isRelease && !isBeside }
    }
}

extension ReclaimRun {
    /// A call that its run has left behind, and that is expected to give all the same.
    package struct LeftCall: Equatable {
        package var id: CallID
        package var bytes: Int
        /// The time by which it is expected to answer.
        package var expectedBy: MonotonicInstant
    }
}

/// The calls of a step that are out.
struct ReclaimCalls {
    private var calls: [ReclaimRun.CallID: ReclaimRun.Call] = [:]
    /// The number of calls that were made.
    private(set) var made = 0

    var isEmpty: Bool { calls.isEmpty }
    var clients: some Sequence<UInt64> { calls.values.lazy.map(\.client) }
    /// The instant at which the first of them will have missed its deadline; nil where none is out.
    var nextDeadline: MonotonicInstant? { calls.values.lazy.map(\.deadline).min() }
    /// The instant at which the first of those that others wait for takes longer than was expected.
    var nextExpected: MonotonicInstant? { calls.values.lazy.filter(\.isAwaitedInTurn).map(\.expectedBy).min() }
    /// Bytes that were asked for and not answered.
    var inFlightBytes: Int { bytes { _ in true } }

    subscript(id: ReclaimRun.CallID) -> ReclaimRun.Call? { calls[id] }

    mutating func add(_ call: ReclaimRun.Call, run: UInt64) -> ReclaimRun.CallID {
        let id = ReclaimRun.CallID(run: run, number: made)
        made += 1
        calls[id] = call
        return id
    }

    mutating func remove(_ id: ReclaimRun.CallID) -> ReclaimRun.Call? { calls.removeValue(forKey: id) }

    /// Those that have missed their deadline are out no longer.
    mutating func removeMissed(at now: MonotonicInstant) -> [(ReclaimRun.CallID, ReclaimRun.Call)] {
        let missed = calls.filter { $0.value.deadline <= now }
        for id in missed.keys { calls[id] = nil }
        return missed.map { ($0.key, $0.value) }
    }

    /// Nobody waits for the answers of handlers any more.
    ///
    /// - Returns: Their calls.
    mutating func removeHandlers() -> [ReclaimRun.CallID: ReclaimRun.Call] {
        let removed = calls.filter { !$0.value.isBeside }
        calls = calls.filter { $0.value.isBeside }
        return removed
    }

    /// No deadline is later than that.
    mutating func shortenDeadlines(to latest: MonotonicInstant) {
        for id in calls.keys where calls[id].map({ $0.deadline > latest }) ?? false { calls[id]?.deadline = latest }
    }

    /// Marks those that take longer than was expected; returns whether there is any.
    mutating func markLate(at now: MonotonicInstant) -> Bool {
        var hasLate = false
        for id in calls.keys where calls[id].map({ $0.expectedBy <= now }) ?? false {
            calls[id]?.isLate = true
            hasLate = true
        }
        return hasLate
    }

    func isOut(_ client: UInt64) -> Bool { calls.values.contains { $0.client == client } }

    /// Returns whether a client has a call out that is not late.
    func isInTime(_ client: UInt64) -> Bool { calls.values.contains { $0.client == client && !$0.isLate } }

    /// Returns whether a client is still only taking its limit.
    func isTakingLimit(_ client: UInt64) -> Bool { calls.values.contains { $0.client == client && !$0.isRelease } }

    /// The release of a client that began after an instant.
    func release(of client: UInt64, begunAfter instant: MonotonicInstant) -> ReclaimRun.CallID? {
        calls.first { $1.client == client && $1.isRelease && $1.start > instant }?.key
    }

    /// Returns the bytes that a client was asked for and is not late with.
    func askedBytes(of client: UInt64) -> Int {
        calls.values.reduce(0) { $1.client == client && !$1.isLate ? $0 + $1.askedBytes : $0 }
    }

    /// Returns the bytes that were asked for and not answered by some calls.
    func bytes(where isCounted: (ReclaimRun.Call) -> Bool) -> Int {
        calls.values.reduce(0) { isCounted($1) ? $0.addingSaturating($1.expectedBytes) : $0 }
    }

    /// Returns the bytes that others are not asked for, because they may still come in time.
    ///
    /// - Parameter instant: Calls that are late by then are not counted on.
    func awaitedBytes(at instant: MonotonicInstant?, from plan: StepPlan) -> Int {
        bytes { call in
            call.isAwaitedInTurn && !call.isLate && !plan.isUnreliable(call.client)
                && instant.map { call.expectedBy > $0 } ?? true
        }
    }
}
