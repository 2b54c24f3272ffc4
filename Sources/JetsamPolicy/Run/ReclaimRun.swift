package import BackgroundTasks
internal import MemoryPressure
package import PurgeableCaches

/// One step while it is carried out: says what to do next and takes the answers. It does nothing itself.
///
/// Synchronous handlers are called one after another in the plan's order, asynchronous ones all at the start, and so are caches
/// that own their memory: no handler is waited for before these give. Synchronous ones are asked in portions that they are
/// expected to give well within their deadline; one that has had the time of its deadline lets the others go first, and has
/// another turn where these did not give enough. A call that misses its deadline is left behind, and whoever asks next goes on
/// with the rest. At critical others are asked already when a portion takes longer than it was expected to.
package struct ReclaimRun {
    package enum Kind: Equatable {
        /// Answers a demand and is recorded.
        case step
        /// Raises or lifts limits; nothing is released or recorded.
        case regrowth
    }

    package enum Action {
        /// Somebody else is at work, or answers are awaited.
        case wait
        case trim
        /// Set a limit; nil lifts it.
        case limit(CallID, client: UInt64, bytes: Int?)
        case release(CallID, client: UInt64, request: ReleaseRequest)
        /// Have caches that own their memory give so many bytes without their handlers: no thread is left to call these.
        case releaseSegments(bytes: Int)
        /// Start the asynchronous part of a client: its limit, then its release where it asks for bytes.
        case start(CallID, client: UInt64, limit: LimitChange, request: ReleaseRequest?)
        /// Read again and record.
        case measure
    }

    package struct Outcome: Equatable {
        package var call: CallID?
        package var client: UInt64
        package var isRelease: Bool
        package var answer: LedgerEntry.Answer
        /// The error that the handler threw, as text; nil where it did not throw.
        package var error: String?
        /// The time when the call began; nil where there was none.
        package var start: MonotonicInstant?
    }

    private enum Phase: Equatable {
        /// The allocator is trimmed before anybody is asked.
        case trimFirst
        /// Asynchronous clients are started.
        case starts(Int)
        /// Synchronous clients are given their limits.
        case limits(Int)
        /// Synchronous clients are asked, in order.
        case releases(Int)
        /// The client at this place has given a portion, and may have more.
        case portions(Int)
        /// Asynchronous answers are awaited.
        case answers
        /// The allocator is trimmed after the caches have given.
        case trimLast
        /// All is done but the reading at the end.
        case measure
        /// The end was handed out.
        case done
    }

    /// The thread that is at work, while all others wait.
    private enum Work: Equatable {
        case none
        /// A synchronous handler is called.
        case call(CallID)
        /// A thread trims or measures, which has no deadline.
        case own
    }

    /// How much of it is still done.
    private enum Pace: Equatable {
        case full
        /// Nobody else is asked for anything.
        case hurried
        /// It was ended for a more urgent step: nobody is waited for either.
        case left
    }

    package let number: UInt64
    package let kind: Kind
    package let demand: ReclaimDemand
    /// The caches that take part. The order is made from them anew where a trim has changed what is missing.
    private let clients: [ClientFacts]
    private var order: StepPlan
    package let sizes: [UInt64: Int]
    package let callDeadline: Duration
    /// The deadline that portions are measured by. A critical step that comes meanwhile waits for no more than one portion.
    package let portionDeadline: Duration

    private var phase = Phase.trimFirst
    package let trimsFirst: Bool
    private var work = Work.none
    private var pace = Pace.full
    /// The synchronous handler that was called last.
    private var lastCall: CallID?
    /// Those who may have more are looked for once all have answered: one that was counted on gave less, or was not waited for.
    private var hasShortfall = false
    private var calls = ReclaimCalls()
    private var remaining: Int
    private var progress: [UInt64: ReleaseProgress] = [:]
    /// Limits that went further down than was planned.
    private var lowered: [UInt64: Int] = [:]
    /// Everybody has been asked for its part. Those who have more are asked for what is missing still.
    private var isFirstTurn = true
    package private(set) var outcomes: [Outcome] = []
    package private(set) var firstRelease: MonotonicInstant?
    package private(set) var didTrim = false
    private var didReleaseSegments = false
    /// Indicates whether the allocator was trimmed after the caches had given.
    package private(set) var didTrimLast = false
    /// The bytes that the trims brought by themselves.
    package private(set) var trimmedBytes = 0
    package private(set) var promisedBytes = 0

    /// - Parameter number: No other run of the same reclaimer has it.
    package init(
        number: UInt64, kind: Kind, demand: ReclaimDemand, plan: [PlannedRelease], clients: [ClientFacts] = [],
        sizes: [UInt64: Int], callDeadline: Duration, portionDeadline: Duration? = nil, trimsFirst: Bool
    ) {
        self.number = number
        self.kind = kind
        self.demand = demand
        order = StepPlan(plan, level: demand.level)
        self.clients = clients
        self.sizes = sizes
        self.callDeadline = callDeadline
        self.portionDeadline = portionDeadline ?? callDeadline
        self.trimsFirst = trimsFirst
        remaining = order.remaining(of: demand.targetBytes)
    }

    /// The caches that are asked, in that order.
    package var plan: [PlannedRelease] { order.parts }

    /// Indicates whether nobody else is asked for anything.
    package var isHurried: Bool { pace != .full }

    /// The only cache that is left has so many times the deadline where what is missing takes it as long.
    private static let mostDeadlines = 10
    /// In this part of its deadline a portion is expected to be given.
    private static let portionShare = 4

    /// The time from which a handler holds up the others, or is late with what it was asked for. It is nil except where that matters:
    /// at critical, in a step that has yet to bring something. Others are asked then, and caches that own their memory give in its
    /// place.
    package var lateAt: MonotonicInstant? {
        guard kind == .step, demand.level == .critical, demand.step > 0, remaining > 0 else { return nil }
        let late = calls.nextExpected
        guard let heldUntil else { return late }
        return min(heldUntil, late ?? heldUntil)
    }

    /// Until then nobody else is asked while the handler is at work that all wait for.
    private var heldUntil: MonotonicInstant? {
        guard case .call(let id) = work, let call = calls[id] else { return nil }
        return call.start.advanced(by: callDeadline / Self.portionShare)
    }

    /// The caches that have not answered in time, and may still do so.
    package var lateClients: Set<UInt64> {
        Set(outcomes.lazy.filter(\.answer.missedDeadline).map(\.client)).union(calls.clients)
    }

    /// The instant at which a call that is out will have missed its deadline; nil where none is out.
    package var nextDeadline: MonotonicInstant? { calls.nextDeadline }

    /// Returns whether the handler that was called last takes longer than a portion is expected to.
    package func isLate(at now: MonotonicInstant) -> Bool {
        guard let lastCall, let call = calls[lastCall] else { return false }
        return call.start.advanced(by: callDeadline / Self.portionShare) <= now
    }

    /// Bytes that were asked for and not answered.
    package var inFlightBytes: Int { calls.inFlightBytes }

    /// Bytes that are still to be asked of somebody: without those that were asked for and are expected at critical.
    private var openBytes: Int { remaining.subtractingSaturating(awaitedBytes()) }

    /// - Parameter instant: Those that are late by then are not counted on.
    private func awaitedBytes(at instant: MonotonicInstant? = nil) -> Int {
        demand.level == .critical ? calls.awaitedBytes(at: instant, from: order) : 0
    }

    /// Returns whether the synchronous handler that was called last may still answer in time.
    package func isAwaited(at now: MonotonicInstant) -> Bool {
        guard let lastCall, let call = calls[lastCall] else { return false }
        return call.deadline > now
    }

    /// - Parameter callsHandlers: False where the caller may not be held up: synchronous clients that have not had their
    ///   turn are then left out of this run.
    package mutating func next(shouldTrimLast: Bool, callsHandlers: Bool = true, at now: MonotonicInstant) -> Action {
        expire(at: now)
        noteLate(at: now)
        guard work == .none else { return .wait }
        while true {
            switch phase {
            case .trimFirst:
                phase = .starts(0)
                if trimsFirst { return hold(.trim) }
            case .starts(let index):
                guard index < order.count else {
                    phase = .limits(0)
                    continue
                }
                phase = .starts(index + 1)
                let part = order[index]
                guard part.isStarted, !isHurried, part.limit != .keep || part.askBytes > 0 else { continue }
                progress[part.id] = newProgress(part)
                if part.ownsSegments, part.askBytes > 0 { firstRelease = firstRelease ?? now }
                let ask = firstAsk(part)
                let id = out(part, askedBytes: ask, isRelease: ask > 0, isBeside: part.ownsSegments, now)
                let request = ask > 0 ? request(id) : nil
                return .start(id, client: part.id, limit: part.limit, request: request)
            case .limits(let index):
                guard callsHandlers, index < order.count else {
                    phase = kind == .step ? .releases(0) : .answers
                    continue
                }
                phase = .limits(index + 1)
                let part = order[index]
                guard !part.isStarted else { continue }
                switch part.limit {
                case .keep: continue
                case .set(let bytes): return .limit(hold(part, 0, false, now), client: part.id, bytes: bytes)
                case .lift: return .limit(hold(part, 0, false, now), client: part.id, bytes: nil)
                }
            case .releases where !callsHandlers && demand.level == .critical && openBytes > 0 && !didReleaseSegments:
                didReleaseSegments = true
                firstRelease = firstRelease ?? now
                return hold(.releaseSegments(bytes: openBytes))
            case .releases(let index):
                guard callsHandlers, index < order.count, openBytes > 0 else {
                    phase = .answers
                    if callsHandlers, openBytes > 0, plan.contains(where: { canGive($0) }) {
                        isFirstTurn = false
                        for client in progress.keys { progress[client]?.beginTurn() }
                        phase = .releases(0)
                    }
                    continue
                }
                phase = .portions(index)
            case .portions(let index):
                phase = .releases(index + 1)
                let part = order[index]
                // It is not asked for the bytes of later caches, unless those did not give them.
                var wanted = openBytes - (isFirstTurn && !part.givesNothing ? laterAsks(after: index) : 0)
                guard callsHandlers, wanted > 0 || isOut(part) else { continue }
                if isLimited(part) {
                    phase = .portions(index)
                    return .wait
                }
                if let id = callToAwait(part, at: now) {
                    phase = .portions(index)
                    work = .call(id)
                    lastCall = id
                    return .wait
                }
                guard wanted > 0, canGive(part) else { continue }
                let known = progress[part.id] ?? newProgress(part)
                if isFirstTurn, canAnyGive(before: index) {
                    // Those who rank lower have more: they are asked for what is missing beyond the plan.
                    wanted = min(wanted, part.askBytes - known.givenBytes)
                    guard wanted > 0 else {
                        isFirstTurn = false
                        phase = .releases(0)
                        continue
                    }
                }
                // It has had its time: first the others.
                guard known.timeInTurn < callDeadline else { continue }
                progress[part.id] = known
                let bytes = min(known.remainingBytes, wanted)
                let limit = lowerLimit(part, known.remainingBytes.addingSaturating(part.keptBytes) - bytes)
                phase = part.isAsynchronous && demand.level < .critical ? .releases(index + 1) : .portions(index)
                if part.isAsynchronous {
                    let ask = demand.level < .critical ? bytes : portion(known, bytes, of: part)
                    return startMore(part, bytes: ask, limit, now)
                }
                if case .set(let bytes) = limit {
                    return .limit(hold(part, 0, false, now), client: part.id, bytes: bytes)
                }
                let ask = portion(known, bytes, of: part)
                firstRelease = firstRelease ?? now
                let id = hold(part, ask, true, now)
                return .release(id, client: part.id, request: request(id))
            case .answers:
                guard calls.isEmpty else { return .wait }
                if hasShortfall, callsHandlers, !isHurried, openBytes > 0, plan.contains(where: { canGive($0) }) {
                    hasShortfall = false
                    isFirstTurn = false
                    phase = .releases(0)
                    continue
                }
                phase = kind == .step ? .trimLast : .measure
            case .trimLast:
                phase = .measure
                if shouldTrimLast, pace != .left {
                    didTrimLast = true
                    return hold(.trim)
                }
            case .measure:
                phase = .done
                return hold(.measure)
            case .done:
                return .wait
            }
        }
    }

    /// Returns whether the cache is still only taking its limit, and has time to do so. Those after it are then not asked instead.
    private func isLimited(_ part: PlannedRelease) -> Bool {
        part.isAsynchronous && demand.level < .critical
            && calls.isTakingLimit(part.id)
    }

    private func isOut(_ part: PlannedRelease) -> Bool { calls.isOut(part.id) }

    /// Notes who takes longer than was expected: it is still awaited, but holds nobody up, and what it was asked for is asked of
    /// others.
    private mutating func noteLate(at now: MonotonicInstant) {
        guard let lateAt, lateAt <= now else { return }
        if let heldUntil, heldUntil <= now {
            work = .none
            hasShortfall = true
        }
        if calls.markLate(at: now) { hasShortfall = true }
    }

    /// Bytes that those after a place are to give by the plan, and have not been asked for.
    private func laterAsks(after index: Int) -> Int {
        order.laterAsks(after: index) { part in
            part.askBytes - (progress[part.id]?.givenBytes ?? 0) - calls.askedBytes(of: part.id)
        }
    }

    /// Returns whether somebody who ranks below the one at a place may be asked for more.
    private func canAnyGive(before index: Int) -> Bool {
        plan[..<index].contains { part in
            part.rank < order[index].rank && !part.givesNothing && canGive(part)
                && progress[part.id].map { $0.timeInTurn < callDeadline } ?? true
        }
    }

    /// The call of an asynchronous client that those after it wait for, as they do for a synchronous one; nil where it is none, or
    /// takes too long.
    private func callToAwait(_ part: PlannedRelease, at now: MonotonicInstant) -> CallID? {
        guard part.isAsynchronous, demand.level == .critical, !part.givesNothing else { return nil }
        return calls.release(of: part.id, begunAfter: now.advanced(by: .zero - callDeadline / Self.portionShare))
    }

    /// Returns what a client is asked for at the start: at critical no more of an asynchronous one than it is expected to give in
    /// time, as others are to give what it does not.
    private func firstAsk(_ part: PlannedRelease) -> Int {
        guard part.isAsynchronous, demand.level == .critical, let known = progress[part.id] else {
            return part.askBytes
        }
        return portion(known, part.askBytes, of: part)
    }

    /// Returns what a client is asked for at a time. At critical the only one that is left is asked for all that is missing where its
    /// latency leaves it little of a portion's time: nobody waits for their turn.
    private func portion(_ known: ReleaseProgress, _ bytes: Int, of part: PlannedRelease) -> Int {
        if demand.level == .critical, known.speed.isCramped(deadline: portionDeadline), isOnlyOne(part) { return bytes }
        return min(bytes, known.portionBytes(deadline: portionDeadline))
    }

    /// Returns whether nobody else gives, or may be asked to.
    private func isOnlyOne(_ part: PlannedRelease) -> Bool {
        !plan.contains { other in
            other.id != part.id && !other.givesNothing && (canGive(other) || calls.isInTime(other.id))
        }
    }

    private func canGive(_ part: PlannedRelease) -> Bool {
        guard part.canBeAsked, !isOut(part) else { return false }
        return (progress[part.id] ?? newProgress(part)).canGiveMore
    }

    /// Those before it gave less than they were asked for: it is asked for that too, before those after it are.
    private mutating func startMore(
        _ part: PlannedRelease, bytes: Int, _ limit: LimitChange, _ now: MonotonicInstant
    ) -> Action {
        if demand.level < .critical, !part.givesNothing { remaining = remaining.subtractingSaturating(bytes) }
        let id = out(part, askedBytes: bytes, isRelease: true, now)
        return .start(id, client: part.id, limit: limit, request: request(id))
    }

    /// Returns the change of a cache's limit. Where more is asked of a cache than was planned, the limit goes down with it: else
    /// the cache fills again at once what it gives.
    private mutating func lowerLimit(_ part: PlannedRelease, _ bytes: Int) -> LimitChange {
        guard demand.holdsCaches, bytes < min(part.limitBytes, lowered[part.id] ?? .max) else { return .keep }
        lowered[part.id] = bytes
        return .set(bytes: bytes)
    }

    private func newProgress(_ part: PlannedRelease) -> ReleaseProgress {
        let bytes = (sizes[part.id] ?? 0).subtractingSaturating(part.keptBytes)
        return ReleaseProgress(part, bytes: part.givesNothing ? min(bytes, part.askBytes) : bytes)
    }

    /// Notes that the trim that was handed out is done. The bytes that it alone brought need not be asked of the caches, nor are
    /// the caches' limits cut for them.
    ///
    /// - Parameters:
    ///   - gainedBytes: The bytes by which headroom grew, where nobody had been asked yet.
    ///   - trimmedBytes: The bytes by which this process's memory fell.
    package mutating func wasTrimmed(gainedBytes: Int, trimmedBytes: Int = 0) {
        work = .none
        didTrim = true
        self.trimmedBytes = self.trimmedBytes.addingSaturating(max(0, trimmedBytes))
        // Bytes that the allocator was known to retain were not part of the target.
        let gained = gainedBytes - demand.retainedBytes
        guard gained > 0, isAtStart, !isHurried, demand.holdsCaches else { return }
        let target = max(0, demand.targetBytes - gained)
        if !clients.isEmpty {
            order = StepPlan(ReclaimOrder.plan(clients, targetBytes: target), level: demand.level)
        }
        remaining = order.remaining(of: target)
    }

    /// Indicates whether nobody has been asked yet.
    package var isAtStart: Bool { calls.made == 0 && outcomes.isEmpty }

    /// Takes an answer; false where it belongs to another run, or came after its deadline and this run is over.
    @discardableResult
    package mutating func answered(
        _ id: CallID, promisedBytes: Int, freedBytes: Int?, error: String?, at now: MonotonicInstant
    )
        -> Bool
    {
        guard let call = calls.remove(id) else {
            return answeredLate(id, promisedBytes: promisedBytes, freedBytes: freedBytes, at: now)
        }
        if work == .call(id) { work = .none }
        guard call.isRelease else {
            if error != nil { record(id, call, promised: 0, freed: nil, error: error, missed: false, now) }
            return true
        }
        // More than the cache said it held cannot have been given.
        let promised = max(0, min(promisedBytes, max(call.reportedBytes, call.askedBytes)))
        self.promisedBytes = self.promisedBytes.addingSaturating(promised)
        progress[call.client]?.gave(promised, of: call.askedBytes, in: call.start.duration(to: now))
        if order.isUnreliable(call.client) {
            // It was not counted on.
        } else if call.isBeside {
            let missing = max(0, call.askedBytes - promised)
            remaining = remaining.addingSaturating(missing)
            if missing > 0 { hasShortfall = true }
        } else if !call.isAsynchronous || demand.level == .critical {
            remaining = remaining.subtractingSaturating(promised)
        } else {
            remaining = remaining.addingSaturating(max(0, call.askedBytes - promised))
        }
        // Others may have been passed over for it.
        if call.isAsynchronous, promised < call.askedBytes { hasShortfall = true }
        record(id, call, promised: promised, freed: freedBytes, error: error, missed: false, now)
        return true
    }

    /// An answer that came after its deadline still counts while the run lasts: the bytes are there.
    private mutating func answeredLate(
        _ id: CallID, promisedBytes: Int, freedBytes: Int?, at now: MonotonicInstant
    ) -> Bool {
        guard id.run == number, phase != .done, let index = outcomes.firstIndex(where: { $0.call == id }) else {
            return false
        }
        let promised = max(
            0, min(promisedBytes, max(sizes[outcomes[index].client] ?? 0, outcomes[index].answer.askedBytes)))
        outcomes[index].answer.promisedBytes = promised
        outcomes[index].answer.freedBytes = freedBytes
        self.promisedBytes = self.promisedBytes.addingSaturating(promised)
        if let start = outcomes[index].start {
            progress[outcomes[index].client]?.gaveLate(promised, in: start.duration(to: now))
        }
        if !order.isUnreliable(outcomes[index].client) { remaining = remaining.subtractingSaturating(promised) }
        return true
    }

    /// The release without handlers that was handed out is done.
    package mutating func releasedSegments() {
        work = .none
    }

    /// A cache has given memory of its own without its handlers, whoever had it do so.
    package mutating func gaveSegments(client: UInt64, bytes: Int, at now: MonotonicInstant) {
        promisedBytes = promisedBytes.addingSaturating(bytes)
        remaining = remaining.subtractingSaturating(bytes)
        progress[client]?.gaveBeside(bytes)
        let answer = LedgerEntry.Answer(
            askedBytes: bytes, promisedBytes: bytes, freedBytes: bytes, returnedBytes: 0, duration: .zero)
        outcomes.append(Outcome(client: client, isRelease: true, answer: answer, error: nil))
    }

    /// Bytes that this step has yet to bring where it answers `critical`; what was asked for and may still come is not part
    /// of them.
    package var urgentBytes: Int {
        guard kind == .step, demand.level == .critical else { return 0 }
        return max(0, remaining.subtractingSaturating(awaitedBytes(at: lateAt)))
    }

    /// How fast a client gave, by the calls of this run; nil where none of them tells.
    package func speed(of client: UInt64) -> ReleaseSpeed? {
        progress[client].flatMap { $0.speed.isMeasured ? $0.speed : nil }
    }

    /// Ends it without waiting for handlers that are at work: a more urgent step begins for those that are not. What they give
    /// comes late.
    private mutating func leave() {
        guard phase != .done, pace != .left else { return }
        pace = .left
        remaining = 0
        calls.removeHandlers()
        if case .call = work { work = .none }
        phase = .answers
    }

    /// Asks nobody else and shortens the deadlines of the calls that are out: a step at a higher level waits, or nobody waits for
    /// this one any more.
    ///
    /// - Parameter deadline: The time that they still have; zero leaves them, see ``leave()``.
    package mutating func hurry(deadline: Duration, at now: MonotonicInstant) {
        guard deadline > .zero else { return leave() }
        remaining = 0
        if pace == .full { pace = .hurried }
        calls.shortenDeadlines(to: now.advanced(by: deadline))
    }

    private mutating func expire(at now: MonotonicInstant) {
        for (id, call) in calls.removeMissed(at: now) {
            if work == .call(id) { work = .none }
            progress[call.client]?.missed()
            if call.isBeside, !order.isUnreliable(call.client) {
                remaining = remaining.addingSaturating(call.askedBytes)
                hasShortfall = true
            }
            record(id, call, promised: 0, freed: nil, error: nil, missed: true, now)
        }
    }

    private mutating func record(
        _ id: CallID, _ call: Call, promised: Int, freed: Int?, error: String?, missed: Bool, _ now: MonotonicInstant
    ) {
        let answer = LedgerEntry.Answer(
            askedBytes: call.askedBytes, promisedBytes: promised, freedBytes: freed, returnedBytes: 0,
            duration: call.start.duration(to: now), failed: error != nil, missedDeadline: missed)
        outcomes.append(
            Outcome(
                call: id, client: call.client, isRelease: call.isRelease, answer: answer, error: error,
                start: call.start))
    }

    private mutating func hold(_ action: Action) -> Action {
        work = .own
        return action
    }

    private func request(_ id: CallID) -> ReleaseRequest {
        let call = calls[id]
        return ReleaseRequest(
            bytes: call?.askedBytes ?? 0, level: demand.level,
            deadline: call.map { $0.start.duration(to: $0.deadline) } ?? callDeadline)
    }

    private mutating func hold(_ part: PlannedRelease, _ ask: Int, _ isRelease: Bool, _ now: MonotonicInstant) -> CallID
    {
        let id = out(part, askedBytes: ask, isRelease: isRelease, now)
        work = .call(id)
        lastCall = id
        return id
    }

    /// - Parameter isBeside: It gives memory of the library's own, on a thread where nothing else keeps it waiting: it has the time
    ///   that so much takes.
    private mutating func out(
        _ part: PlannedRelease, askedBytes: Int, isRelease: Bool, isBeside: Bool = false, _ now: MonotonicInstant
    ) -> CallID {
        let seconds = isBeside ? Double(askedBytes) / ReleaseProgress.assumedRate() : 0
        let share = callDeadline / Self.portionShare
        let known = isRelease ? progress[part.id] : nil
        let expected = known?.speed.timeToGive(askedBytes) ?? share
        var deadline = callDeadline + .nanoseconds(Int64(Int(saturating: seconds * 1e9)))
        if demand.level == .critical, let known, askedBytes > known.portionBytes(deadline: portionDeadline) {
            // The only one that is left: it works for so long, and does not hang.
            deadline = max(deadline, min(expected + expected / 2, callDeadline * Self.mostDeadlines))
        }
        let call = Call(
            client: part.id, isRelease: isRelease, askedBytes: askedBytes,
            reportedBytes: progress[part.id]?.remainingBytes.addingSaturating(part.keptBytes) ?? sizes[part.id] ?? 0,
            start: now, deadline: now.advanced(by: deadline), isAsynchronous: part.isAsynchronous, isBeside: isBeside,
            // Beyond its part of the deadline it gets a little more than it took before, where the limit is not too near for that.
            expectedBy: now.advanced(by: expected > share && !demand.isUrgent ? expected + expected / 4 : share))
        return calls.add(call, run: number)
    }
}
