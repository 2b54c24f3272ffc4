internal import BackgroundTasks
internal import MemoryPressure
internal import PurgeableCaches

/// The caches of a step: the calls that are out, what each cache gave, and what is still to be asked of whom.
struct StepCaches {
    typealias CallID = ReclaimRun.CallID
    typealias Call = ReclaimRun.Call

    private(set) var demand: ReclaimDemand
    /// The bytes that each cache reported when the step began.
    let sizes: [UInt64: Int]
    let callDeadline: Duration
    /// The deadline that portions are measured by. A critical step that comes meanwhile waits for no more than one portion.
    let portionDeadline: Duration
    private(set) var order: StepPlan
    private var calls = ReclaimCalls()
    private var remaining: Int
    private var progress: [UInt64: ReleaseProgress] = [:]
    /// Limits that went further down than was planned.
    private var lowered: [UInt64: Int] = [:]

    /// The only cache that is left has so many times the deadline where what is missing takes it as long.
    private static let mostDeadlines = 10
    /// In this part of its deadline a portion is expected to be given.
    private static let portionShare = 4
    /// Nobody waits for a handler any longer than for this part of the time to the limit, but so long at least.
    private static let patienceShare = 8
    private static let leastPatience = Duration.milliseconds(2)

    init(
        _ plan: [PlannedRelease], demand: ReclaimDemand, sizes: [UInt64: Int], callDeadline: Duration,
        portionDeadline: Duration
    ) {
        self.demand = demand
        self.sizes = sizes
        self.callDeadline = callDeadline
        self.portionDeadline = portionDeadline
        order = StepPlan(plan, level: demand.level)
        remaining = order.remaining(of: demand.targetBytes)
    }

    /// Begins anew, before anybody was asked, with other parts or for another target.
    mutating func restart(_ plan: [PlannedRelease]?, target: Int) {
        if let plan { order = StepPlan(plan, level: demand.level) }
        remaining = order.remaining(of: target)
    }

    // MARK: Calls

    var isNobodyOut: Bool { calls.isEmpty }
    var clientsOut: some Sequence<UInt64> { calls.clients }
    /// The number of calls that were made.
    var callsMade: Int { calls.made }
    /// The instant at which a call that is out will have missed its deadline; nil where none is out.
    var nextDeadline: MonotonicInstant? { calls.nextDeadline }
    /// The instant at which the first of those that others wait for takes longer than was expected.
    var nextExpected: MonotonicInstant? { calls.nextExpected }
    /// Bytes that were asked for and not answered.
    var inFlightBytes: Int { calls.inFlightBytes }

    subscript(id: CallID) -> Call? { calls[id] }

    /// The time from which a call takes longer than a portion is expected to.
    func expectedEnd(_ call: Call) -> MonotonicInstant { call.start.advanced(by: patience(from: call.start)) }

    private var share: Duration { callDeadline / Self.portionShare }

    /// The time that a portion has before it is late. It is made to take a share of the deadline, and a cache is seldom exactly as fast as
    /// before.
    private var patience: Duration { share + share / 4 }

    /// The time for which others wait for a call that begins now: no longer than a part of what is left until the limit.
    private func patience(from start: MonotonicInstant) -> Duration {
        guard let limitAt = demand.limitAt else { return patience }
        return min(patience, max(Self.leastPatience, start.duration(to: limitAt) / Self.patienceShare))
    }

    func isOut(_ part: PlannedRelease) -> Bool { calls.isOut(part.id) }

    /// Returns whether the cache is still only taking its limit, and has time to do so. Those after it are then not asked instead.
    func isLimited(_ part: PlannedRelease) -> Bool {
        (part.isAsynchronous || part.waitsForTurn) && demand.level < .critical && calls.isTakingLimit(part.id)
    }

    /// The call of an asynchronous client that those after it wait for, as they do for a synchronous one; nil where it is none, or
    /// takes too long.
    func callToAwait(_ part: PlannedRelease, at now: MonotonicInstant) -> CallID? {
        guard part.isAsynchronous, demand.level == .critical, !part.givesNothing else { return nil }
        return calls.release(of: part.id, begunAfter: now.advanced(by: .zero - patience(from: now)))
    }

    func request(_ id: CallID) -> ReleaseRequest {
        let call = calls[id]
        var request = ReleaseRequest(
            bytes: call?.askedBytes ?? 0, level: demand.level,
            deadline: call.map { $0.start.duration(to: $0.deadline) } ?? callDeadline)
        // Nothing is short: it is a probe.
        if demand.level == .normal { request.mostBytes = ReclaimDemand.mostProbedBytes }
        return request
    }

    /// Adds a call for bytes, or for a limit alone.
    ///
    /// - Parameter isBeside: It gives memory of the library's own, on a thread where nothing else keeps it waiting: it has the time
    ///   that so much takes.
    mutating func add(
        _ part: PlannedRelease, askedBytes: Int, isRelease: Bool, isBeside: Bool = false, run: UInt64,
        at now: MonotonicInstant
    ) -> CallID {
        let seconds = isBeside ? Double(askedBytes) / ReleaseProgress.assumedRate() : 0
        let share = share
        let known = isRelease ? progress[part.id] : nil
        let expected = known?.speed.timeToGive(askedBytes) ?? share
        var deadline = callDeadline + .nanoseconds(Int64(Int(saturating: seconds * 1e9)))
        if demand.level == .critical, let known, askedBytes > known.portionBytes(deadline: portionDeadline) {
            // The only one that is left: it works for so long, and does not hang.
            deadline = max(deadline, min(expected + expected / 2, callDeadline * Self.mostDeadlines))
        }
        let call = Call(
            client: part.id, isRelease: isRelease, askedBytes: askedBytes,
            reportedBytes: progress[part.id]?.reportedBytes.addingSaturating(part.keptBytes) ?? sizes[part.id] ?? 0,
            start: now, deadline: now.advanced(by: deadline), isAsynchronous: part.isAsynchronous, isBeside: isBeside,
            // Beyond its part of the deadline it gets a little more than it took before.
            expectedBy: now.advanced(by: max(patience, expected + expected / 4)),
            isSlow: known?.speed.wasSeen == true && expected + expected / 4 > patience(from: now))
        return calls.add(call, run: run)
    }

    /// Marks those that take longer than was expected; returns whether there is any.
    mutating func markLate(at now: MonotonicInstant) -> Bool { calls.markLate(at: now) }

    /// Nobody else is asked for anything, and no deadline is later than `latest`.
    mutating func hurry(to latest: MonotonicInstant) {
        remaining = 0
        calls.shortenDeadlines(to: latest)
    }

    /// Nobody else is asked for anything, and nobody waits for the answers of handlers any more.
    ///
    /// - Returns: The calls that are expected to give soon all the same.
    mutating func leave(at now: MonotonicInstant) -> [ReclaimRun.LeftCall] {
        remaining = 0
        let latest = now.advanced(by: portionDeadline)
        return calls.removeHandlers().compactMap { id, call in
            guard call.isRelease, !call.isLate, !order.isUnreliable(call.client) else { return nil }
            let speed = progress[call.client]?.speed
            let time = speed?.timeToGive(call.expectedBytes) ?? share
            let expectedBy = min(call.start.advanced(by: time + time / 4), latest)
            return expectedBy > now
                ? ReclaimRun.LeftCall(id: id, bytes: call.expectedBytes, expectedBy: expectedBy) : nil
        }
    }

    // MARK: Answers

    /// Takes a call back that has its answer; nil where it is not out.
    mutating func remove(_ id: CallID) -> Call? { calls.remove(id) }

    /// Takes back the calls that have missed their deadline.
    ///
    /// - Returns: Those calls, and whether others must give what one of them was counted on for.
    mutating func removeMissed(at now: MonotonicInstant) -> (calls: [(CallID, Call)], leavesShortfall: Bool) {
        let missed = calls.removeMissed(at: now)
        var leavesShortfall = false
        for (_, call) in missed {
            progress[call.client]?.missed()
            if call.isBeside, !order.isUnreliable(call.client) {
                remaining = remaining.addingSaturating(call.askedBytes)
                leavesShortfall = true
            }
        }
        return (missed, leavesShortfall)
    }

    /// Returns whether what a client promises is asked of the others as well.
    func isUnreliable(_ client: UInt64) -> Bool { order.isUnreliable(client) }

    /// Counts what a release gave.
    ///
    /// - Parameter gained: The bytes by which headroom grew meanwhile, where that was looked at.
    /// - Returns: Whether others must give what it was counted on for.
    mutating func gave(_ promised: Int, gained: Int, _ call: Call, at now: MonotonicInstant) -> Bool {
        progress[call.client]?.gave(promised, of: call.askedBytes, in: call.start.duration(to: now))
        let missing = max(0, call.askedBytes - promised)
        // Others may have been passed over for it.
        var leavesShortfall = call.isAsynchronous && missing > 0
        if order.isUnreliable(call.client) {
            // It was not counted on, but what has come back need not be asked of the others.
            remaining = remaining.subtractingSaturating(min(promised, max(0, gained)))
        } else if call.isBeside {
            remaining = remaining.addingSaturating(missing)
            leavesShortfall = leavesShortfall || missing > 0
        } else if !call.isAsynchronous || demand.level == .critical {
            remaining = remaining.subtractingSaturating(promised)
        } else {
            remaining = remaining.addingSaturating(missing)
        }
        return leavesShortfall
    }

    /// Counts what a release gave after its deadline.
    mutating func gaveLate(_ promised: Int, client: UInt64, since start: MonotonicInstant?, at now: MonotonicInstant) {
        if let start { progress[client]?.gaveLate(promised, in: start.duration(to: now)) }
        if !order.isUnreliable(client) { remaining = remaining.subtractingSaturating(promised) }
    }

    /// A cache that was at work for an earlier step has come back, and may be asked from here on.
    ///
    /// - Parameters:
    ///   - promised: Bytes that it gave for that step. They are not part of what this one is to bring.
    ///   - left: Bytes that it reports now; 0 where that is not known.
    mutating func cameBack(_ client: UInt64, promised: Int, left: Int) {
        guard let part = order.cameBack(client) else { return }
        follow(part)
        progress[client]?.gaveForEarlier(promised, leaving: left > 0 ? max(0, left - part.keptBytes) : nil)
    }

    /// Counts what a cache gave of memory of its own without its handlers.
    mutating func gaveBeside(_ bytes: Int, client: UInt64) {
        remaining = remaining.subtractingSaturating(bytes)
        progress[client]?.gaveBeside(bytes)
    }

    /// How fast a client gave, by the calls of this run; nil where none of them tells.
    func speed(of client: UInt64) -> ReleaseSpeed? {
        progress[client].flatMap { $0.speed.isMeasured ? $0.speed : nil }
    }

    // MARK: What is still to be asked

    /// Indicates whether answers have yet to bring something.
    var isUnmet: Bool { remaining > 0 }

    /// Bytes that are still to be asked of somebody: without those that were asked for and are expected at critical.
    var openBytes: Int { openBytes(at: nil) }

    /// - Parameter instant: Those that are late by then are not counted on.
    func openBytes(at instant: MonotonicInstant?) -> Int {
        let awaited = demand.level == .critical ? calls.awaitedBytes(at: instant, from: order) : 0
        return remaining.subtractingSaturating(awaited)
    }

    /// Is to bring so many bytes beyond what caches were asked for and have not answered.
    mutating func raise(by bytes: Int) {
        let more = max(0, bytes.addingSaturating(countedInFlightBytes).subtractingSaturating(remaining))
        remaining = remaining.addingSaturating(more)
        demand.targetBytes = demand.targetBytes.addingSaturating(more)
    }

    /// Memory has ceased to grow, or what nobody counted on has come back: no more than so many bytes are missing beyond what caches were
    /// asked for and have not answered. Less than 0 where they were asked for more.
    mutating func lower(to bytes: Int) {
        remaining = min(remaining, max(0, countedInFlightBytes.addingSaturating(bytes)))
    }

    /// Bytes that were asked for and not answered, and that ``remaining`` still has: what is asked of memory of the library's own was
    /// taken from it when the step was planned.
    private var countedInFlightBytes: Int {
        calls.bytes { !$0.isBeside || order.isUnreliable($0.client) }
    }

    /// Indicates whether bytes are open, and somebody may be asked for them.
    var mayAskMore: Bool { openBytes > 0 && order.parts.contains { canGive($0) } }

    func canGive(_ part: PlannedRelease) -> Bool {
        guard part.canBeAsked, !isOut(part) else { return false }
        return progress(of: part).canGiveMore
    }

    /// Returns whether somebody who ranks below the one at a place may be asked for more.
    func canAnyGive(before index: Int) -> Bool {
        order.parts[..<index].contains { part in
            part.rank < order[index].rank && !part.givesNothing && canGive(part)
                && progress[part.id].map { $0.timeInTurn < callDeadline } ?? true
        }
    }

    /// Returns the place of somebody who ranks below the one at a place, came back after its turn, and has not been asked for all of its
    /// part; nil where there is nobody.
    func placeOfOpenPart(before index: Int) -> Int? {
        guard demand.level == .critical else { return nil }
        return order.parts[..<index].firstIndex { part in
            part.rank < order[index].rank && !part.givesNothing && canGive(part) && plannedBytes(part) > 0
                && progress(of: part).timeInTurn < callDeadline
        }
    }

    /// Bytes that those after a place are to give by the plan, and have not been asked for.
    func laterAsks(after index: Int) -> Int { order.laterAsks(after: index) { plannedBytes($0) } }

    /// Bytes that a cache is to give by the plan, and has not been asked for.
    func plannedBytes(_ part: PlannedRelease) -> Int {
        part.askBytes - (progress[part.id]?.givenBytes ?? 0) - calls.askedBytes(of: part.id)
    }

    /// Returns what is known of a client's giving, in this step as far as it was asked.
    func progress(of part: PlannedRelease) -> ReleaseProgress {
        if let known = progress[part.id] { return known }
        return ReleaseProgress(part, bytes: (sizes[part.id] ?? 0).subtractingSaturating(part.keptBytes))
    }

    /// Keeps account of a client from here on.
    mutating func follow(_ part: PlannedRelease) { progress[part.id] = progress(of: part) }

    /// All have another turn.
    mutating func beginTurn() {
        for client in progress.keys { progress[client]?.beginTurn() }
    }

    /// Returns what a client is asked for at the start: at critical no more of an asynchronous one than it is expected to give in
    /// time, as others are to give what it does not.
    func firstAsk(_ part: PlannedRelease) -> Int {
        guard part.isAsynchronous, demand.level == .critical, progress[part.id] != nil else { return part.askBytes }
        return portion(part.askBytes, of: part)
    }

    /// Returns what a client is asked for at a time. The only one that is left is asked for all that is missing, as nobody waits for their
    /// turn: at warning, and at critical where its latency leaves it little of a portion's time, or is not known and the limit is near.
    func portion(_ bytes: Int, of part: PlannedRelease) -> Int {
        let known = progress(of: part)
        let mayBeCramped = demand.isUrgent && !known.speed.wasSeen
        let mayTakeLong = demand.level < .critical || mayBeCramped || known.speed.isCramped(deadline: portionDeadline)
        if mayTakeLong, isOnlyOne(part) { return bytes }
        // Where everybody else is at work, nobody is asked in its place.
        let others = order.parts.contains { $0.id != part.id && !$0.givesNothing && canGive($0) }
        let portion = known.portionBytes(deadline: portionDeadline, isUrgent: demand.isUrgent, othersCanGive: others)
        return min(bytes, demand.isUrgent ? max(portion, shareOfAll(bytes, known)) : portion)
    }

    /// Returns the part of a cache where all that is open takes everybody longer than a portion: what it gives until all of them
    /// together have given it, and no more than is worth its latency. Smaller portions would cost that again and again.
    private func shareOfAll(_ bytes: Int, _ known: ReleaseProgress) -> Int {
        guard let own = known.speed.bytesPerSecond, known.speed.effectiveBytes > 0 else { return 0 }
        let all = order.parts.reduce(0) { sum, other in
            guard !other.givesNothing, canGive(other) || calls.isInTime(other.id) else { return sum }
            return sum + (progress(of: other).speed.bytesPerSecond ?? ReleaseProgress.assumedRate())
        }
        return min(known.speed.effectiveBytes, Int(saturating: Double(min(bytes, openBytes)) * min(1, own / all)))
    }

    /// Returns whether nobody else gives, or may be asked to.
    private func isOnlyOne(_ part: PlannedRelease) -> Bool {
        !order.parts.contains { other in
            other.id != part.id && !other.givesNothing && (canGive(other) || calls.isInTime(other.id))
        }
    }

    /// Counts on so many bytes of an asynchronous client: they are asked of nobody else.
    mutating func count(on part: PlannedRelease, bytes: Int) {
        if demand.level < .critical, !part.givesNothing { remaining = remaining.subtractingSaturating(bytes) }
    }

    /// Returns the change of a cache's limit. Where more is asked of a cache than was planned, the limit goes down with it: else
    /// the cache fills again at once what it gives.
    mutating func lowerLimit(_ part: PlannedRelease, _ bytes: Int) -> LimitChange {
        guard demand.holdsCaches, bytes < min(part.limitBytes, lowered[part.id] ?? .max) else { return .keep }
        lowered[part.id] = bytes
        return .set(bytes: bytes)
    }
}
