package import BackgroundTasks
internal import MemoryPressure
internal import PurgeableCaches

/// One step while it is carried out: says what to do next and takes the answers. It does nothing itself.
///
/// Synchronous handlers are called one after another in the plan's order, asynchronous ones all at the start, and so are caches
/// that own their memory: no handler is waited for before these give. Below critical both wait for their turn behind a cache that is
/// known to give nothing, as it may give after all. Synchronous ones are asked in portions that they are expected to give well within
/// their deadline; one that has had the time of its deadline lets the others go first, and has another turn where these did not give
/// enough. A call that misses its deadline is left behind, and whoever asks next goes on with the rest. At critical others are asked
/// already when a portion takes longer than it was expected to.
package struct ReclaimRun {
    /// Whether caches are asked for their part, or for more.
    private enum Turn {
        /// Each is asked for its part of the plan.
        case planned
        /// Everybody has been asked for its part. Those who have more are asked for what is missing still.
        case further
    }

    private enum Phase {
        /// The allocator is trimmed before anybody is asked.
        case trimFirst
        /// Asynchronous clients are started.
        case starts(Int)
        /// Synchronous clients are given their limits.
        case limits(Int)
        /// Synchronous clients are asked, in order.
        case releases(Int, Turn)
        /// The client at this place has given a portion, and may have more.
        case portions(Int, Turn)
        /// Asynchronous answers are awaited.
        case answers
        /// The allocator is trimmed after the caches have given.
        case trimLast
        /// All is done but the reading at the end.
        case measure
        /// The end was handed out.
        case done
    }

    /// A time for a trim of the allocator.
    private enum Trim {
        /// Before anybody was asked.
        case first
        /// After the caches had given.
        case last
    }

    /// The thread that is at work, while all others wait.
    private enum Work {
        case none
        /// A synchronous handler is called.
        case call(CallID)
        /// A thread trims the allocator, which has no deadline.
        case trim(Trim)
        /// A thread has caches give without their handlers, or measures. Neither has a deadline.
        case own
    }

    /// How much of it is still done.
    private enum Pace {
        /// Each is asked for its part.
        case full
        /// One that was counted on gave less, or is not waited for. Once all have answered, those who may have more are asked.
        case short
        /// Nobody else is asked for anything.
        case hurried
        /// It was ended for a more urgent step: nobody is waited for either.
        case left
    }

    package let number: UInt64
    package let kind: Kind
    /// The caches that take part. The order is made from them anew where a trim has changed what is missing.
    private let clients: [ClientFacts]
    /// The time until memory is at the limit that the plan was made for; nil where there is time for all of it.
    private let timeLeft: Duration?
    private var caches: StepCaches

    private var phase = Phase.trimFirst
    package let trimsFirst: Bool
    private var work = Work.none
    private var pace = Pace.full
    /// The synchronous handler that was called last.
    private var lastCall: CallID?
    /// The trim that was done last; nil where there was none.
    private var lastTrim: Trim?
    /// Caches gave without their handlers once: nobody could call these. It is not tried again.
    private var didReleaseSegments = false
    private var results = StepResults()
    /// The time when a cache was last asked or answered, or the step was to bring more.
    private var changedAt = MonotonicInstant(nanoseconds: .min) {
        didSet { (raisesCountFrom, lowersCountFrom) = (changedAt, changedAt) }
    }
    /// A reading before this does not raise the step: what it shows to be missing is not what is missing now. An answer of all that was
    /// asked for changes nothing in that: the reading counted on it.
    package private(set) var raisesCountFrom = MonotonicInstant(nanoseconds: .min)
    /// A reading before this does not lower the step: more may be missing now. What a cache gives for an earlier step changes nothing in
    /// that: it leaves less missing.
    package private(set) var lowersCountFrom = MonotonicInstant(nanoseconds: .min)
    /// Calls that were left behind and not handed over yet.
    private var left: [LeftCall] = []
    /// The bytes that the trims brought by themselves.
    package private(set) var trimmedBytes = 0

    /// - Parameter number: No other run of the same reclaimer has it.
    package init(
        number: UInt64, kind: Kind, demand: ReclaimDemand, plan: [PlannedRelease], clients: [ClientFacts] = [],
        sizes: [UInt64: Int], callDeadline: Duration, portionDeadline: Duration? = nil, trimsFirst: Bool,
        within timeLeft: Duration? = nil
    ) {
        self.number = number
        self.kind = kind
        self.clients = clients
        self.timeLeft = timeLeft
        self.trimsFirst = trimsFirst
        caches = StepCaches(
            plan, demand: demand, sizes: sizes, callDeadline: callDeadline,
            portionDeadline: portionDeadline ?? callDeadline)
    }

    package var demand: ReclaimDemand { caches.demand }
    package var sizes: [UInt64: Int] { caches.sizes }
    package var callDeadline: Duration { caches.callDeadline }
    /// The deadline that portions are measured by. A critical step that comes meanwhile waits for no more than one portion.
    package var portionDeadline: Duration { caches.portionDeadline }

    /// The caches that are asked, in that order.
    package var plan: [PlannedRelease] { caches.order.parts }

    package var outcomes: [Outcome] { results.outcomes }
    package var firstRelease: MonotonicInstant? { results.firstRelease }
    package var promisedBytes: Int { results.promisedBytes }

    /// Indicates whether nobody else is asked for anything.
    package var isHurried: Bool {
        switch pace {
        case .full, .short: false
        case .hurried, .left: true
        }
    }

    /// Indicates whether the allocator was trimmed.
    package var didTrim: Bool { lastTrim != nil }

    /// Indicates whether the allocator was trimmed after the caches had given.
    package var didTrimLast: Bool { lastTrim == .last }

    /// The time from which a handler holds up the others, or is late with what it was asked for. It is nil except where that matters:
    /// at critical, in a step that has yet to bring something. Others are asked then, and caches that own their memory give in its
    /// place.
    package var lateAt: MonotonicInstant? {
        guard kind == .step, demand.level == .critical, demand.step > 0, caches.isUnmet else { return nil }
        let late = caches.nextExpected
        guard let heldUntil else { return late }
        return min(heldUntil, late ?? heldUntil)
    }

    /// Until then nobody else is asked while the handler is at work that all wait for. In an urgent step nobody waits for one that is
    /// known to take longer than the others would wait.
    private var heldUntil: MonotonicInstant? {
        guard case .call(let id) = work, let call = caches[id] else { return nil }
        return demand.isUrgent && call.isSlow ? call.start : caches.expectedEnd(call)
    }

    /// The caches that have not answered in time, and may still do so.
    package var lateClients: Set<UInt64> {
        results.lateClients.union(caches.clientsOut)
    }

    /// The instant at which a call that is out will have missed its deadline; nil where none is out.
    package var nextDeadline: MonotonicInstant? { caches.nextDeadline }

    /// Returns whether the handler that was called last takes longer than a portion is expected to.
    package func isLate(at now: MonotonicInstant) -> Bool {
        guard let lastCall, let call = caches[lastCall] else { return false }
        return caches.expectedEnd(call) <= now
    }

    /// Bytes that were asked for and not answered.
    package var inFlightBytes: Int { caches.inFlightBytes }

    /// Returns whether the synchronous handler that was called last may still answer in time.
    package func isAwaited(at now: MonotonicInstant) -> Bool {
        guard let lastCall, let call = caches[lastCall] else { return false }
        return call.deadline > now
    }

    /// Bytes that this step has yet to bring where it answers `critical`; what was asked for and may still come is not part
    /// of them.
    package var urgentBytes: Int {
        guard kind == .step, demand.level == .critical else { return 0 }
        return max(0, caches.openBytes(at: lateAt))
    }

    /// How fast a client gave, by the calls of this run; nil where none of them tells.
    package func speed(of client: UInt64) -> ReleaseSpeed? { caches.speed(of: client) }

    /// Indicates whether nobody has been asked yet.
    package var isAtStart: Bool { caches.callsMade == 0 && results.outcomes.isEmpty }

    // MARK: What is done next

    /// - Parameters:
    ///   - callsHandlers: False where the caller may not be held up: synchronous clients that have not had their turn are then left out
    ///     of this run.
    ///   - open: What it needs at critical by the newest reading, without what is older than ``raisesCountFrom`` or ``lowersCountFrom``.
    package mutating func next(
        shouldTrimLast: Bool, callsHandlers: Bool = true, open: OpenBytes = OpenBytes(), at now: MonotonicInstant
    ) -> Action {
        expire(at: now)
        if open.missing > 0 { raise(by: open.missing, at: now) }
        if let most = open.most { caches.lower(to: most) }
        noteLate(at: now)
        guard case .none = work else { return .wait }
        while true {
            switch phase {
            case .trimFirst:
                phase = .starts(0)
                if trimsFirst { return trim(.first) }
            case .starts(let index):
                if let action = nextStart(index, callsHandlers: callsHandlers, at: now) { return action }
            case .limits(let index):
                if let action = nextLimit(index, callsHandlers: callsHandlers, at: now) { return action }
            case .releases(let index, let turn):
                let open = caches.openBytes
                if !callsHandlers, demand.level == .critical, open > 0, !didReleaseSegments {
                    didReleaseSegments = true
                    results.begin(at: now)
                    work = .own
                    return .releaseSegments(bytes: open)
                }
                if callsHandlers, open > 0, index < caches.order.count {
                    phase = .portions(index, turn)
                } else if callsHandlers, caches.mayAskMore {
                    caches.beginTurn()
                    phase = .releases(0, .further)
                } else {
                    phase = .answers
                }
            case .portions(let index, let turn):
                if let action = nextPortion(index, turn, callsHandlers: callsHandlers, at: now) { return action }
            case .answers:
                guard caches.isNobodyOut else { return .wait }
                if case .short = pace, callsHandlers, caches.mayAskMore {
                    pace = .full
                    phase = .releases(0, .further)
                } else {
                    phase = kind == .step ? .trimLast : .measure
                }
            case .trimLast:
                phase = .measure
                if shouldTrimLast, pace != .left { return trim(.last) }
            case .measure:
                phase = .done
                work = .own
                return .measure
            case .done:
                return .wait
            }
        }
    }

    /// Memory goes on to grow while the step is under way: it asks for that too, of whoever can still be asked.
    private mutating func raise(by bytes: Int, at now: MonotonicInstant) {
        guard kind == .step, demand.level == .critical, demand.step > 0, !isHurried else { return }
        switch phase {
        case .limits, .releases, .portions: caches.raise(by: bytes)
        case .answers, .trimLast:
            caches.raise(by: bytes)
            guard caches.mayAskMore else { return }
            caches.beginTurn()
            phase = .releases(0, .further)
        case .trimFirst, .starts, .measure, .done: return
        }
        changedAt = now
    }

    private mutating func trim(_ time: Trim) -> Action {
        work = .trim(time)
        return .trim
    }

    private mutating func nextStart(_ index: Int, callsHandlers: Bool, at now: MonotonicInstant) -> Action? {
        guard index < caches.order.count else {
            phase = .limits(0)
            return nil
        }
        phase = .starts(index + 1)
        let part = caches.order[index]
        // Where no handler may be called, those before it have no turn.
        let isAsked = part.askBytes > 0 && (part.isAskedAtOnce || !callsHandlers)
        guard part.isStarted, !isHurried, part.limit != .keep || isAsked else { return nil }
        caches.follow(part)
        if isAsked { results.begin(at: now) }
        changedAt = now
        let ask = isAsked ? caches.firstAsk(part) : 0
        if part.waitsForTurn { caches.count(on: part, bytes: ask) }
        let id = caches.add(
            part, askedBytes: ask, isRelease: ask > 0, isBeside: part.ownsSegments, run: number, at: now)
        return .start(id, client: part.id, limit: part.limit, request: ask > 0 ? caches.request(id) : nil)
    }

    private mutating func nextLimit(_ index: Int, callsHandlers: Bool, at now: MonotonicInstant) -> Action? {
        guard callsHandlers, index < caches.order.count else {
            phase = kind == .step ? .releases(0, .planned) : .answers
            return nil
        }
        phase = .limits(index + 1)
        let part = caches.order[index]
        guard !part.isStarted else { return nil }
        return part.limit == .keep ? nil : setLimit(part, part.limit.bytes, at: now)
    }

    private mutating func nextPortion(
        _ index: Int, _ turn: Turn, callsHandlers: Bool, at now: MonotonicInstant
    ) -> Action? {
        phase = .releases(index + 1, turn)
        let part = caches.order[index]
        // It is not asked for the bytes of later caches, unless those did not give them. Where less is missing than was planned, later
        // ones give less.
        let isInPlan = turn == .planned && !part.givesNothing
        var wanted = caches.openBytes
        if isInPlan {
            wanted = min(wanted, max(wanted - caches.laterAsks(after: index), caches.plannedBytes(part)))
        }
        guard callsHandlers, wanted > 0 || caches.isOut(part) else { return nil }
        if caches.isLimited(part) {
            phase = .portions(index, turn)
            return .wait
        }
        if let id = caches.callToAwait(part, at: now) {
            phase = .portions(index, turn)
            work = .call(id)
            lastCall = id
            return .wait
        }
        guard wanted > 0, caches.canGive(part) else {
            // It is at work, and others are asked meanwhile. What is missing then is asked of it once it is back.
            if wanted > 0, caches.isOut(part) { noteShortfall() }
            return nil
        }
        let known = caches.progress(of: part)
        if turn == .planned, let place = caches.placeOfOpenPart(before: index) {
            phase = .releases(place, turn)
            return nil
        }
        if caches.canAnyGive(before: index) {
            // Those who rank lower have more: they are asked for what is missing beyond the plan.
            wanted = turn == .planned ? min(wanted, part.askBytes - known.givenBytes) : 0
            guard wanted > 0 else {
                phase = .releases(0, .further)
                return nil
            }
        }
        // It has had its time: first the others.
        guard known.timeInTurn < callDeadline else { return nil }
        caches.follow(part)
        // Of one whose word is not believed only what is seen to come back counts, and a few bytes are never seen: asked for them again
        // and again, it would be called until it is empty.
        if isUnreliable(part.id), known.givenBytes > 0 { wanted = max(wanted, ReleaseSpeed.leastPortion) }
        let bytes = min(known.remainingBytes, wanted)
        let limit = caches.lowerLimit(part, known.reportedBytes.addingSaturating(part.keptBytes) - bytes)
        if part.isAsynchronous {
            if demand.level == .critical { phase = .portions(index, turn) }
            return startMore(part, demand.level < .critical ? bytes : caches.portion(bytes, of: part), limit, at: now)
        }
        phase = .portions(index, turn)
        if let bytes = limit.bytes { return setLimit(part, bytes, at: now) }
        results.begin(at: now)
        let id = call(part, caches.portion(bytes, of: part), isRelease: true, at: now)
        return .release(id, client: part.id, request: caches.request(id))
    }

    /// Those before it gave less than they were asked for: it is asked for that too, before those after it are.
    private mutating func startMore(
        _ part: PlannedRelease, _ bytes: Int, _ limit: LimitChange, at now: MonotonicInstant
    ) -> Action {
        results.begin(at: now)
        caches.count(on: part, bytes: bytes)
        let id = caches.add(part, askedBytes: bytes, isRelease: true, run: number, at: now)
        changedAt = now
        return .start(id, client: part.id, limit: limit, request: caches.request(id))
    }

    private mutating func setLimit(_ part: PlannedRelease, _ bytes: Int?, at now: MonotonicInstant) -> Action {
        .limit(call(part, 0, isRelease: false, at: now), client: part.id, bytes: bytes)
    }

    /// Has a synchronous handler called, for which all others wait.
    private mutating func call(
        _ part: PlannedRelease, _ bytes: Int, isRelease: Bool, at now: MonotonicInstant
    ) -> CallID {
        let id = caches.add(part, askedBytes: bytes, isRelease: isRelease, run: number, at: now)
        changedAt = now
        work = .call(id)
        lastCall = id
        return id
    }

    /// Notes who takes longer than was expected: it is still awaited, but holds nobody up, and what it was asked for is asked of
    /// others.
    private mutating func noteLate(at now: MonotonicInstant) {
        guard let lateAt, lateAt <= now else { return }
        if let heldUntil, heldUntil <= now {
            work = .none
            noteShortfall()
        }
        if caches.markLate(at: now) { noteShortfall() }
    }

    private mutating func noteShortfall() {
        if case .full = pace { pace = .short }
    }

    // MARK: What came of it

    /// Returns whether a client is known to give nothing. What it promises is then asked of the others as well, but for what is seen to
    /// have come back.
    package func isUnreliable(_ client: UInt64) -> Bool { caches.isUnreliable(client) }

    /// Notes that the trim that was handed out is done. The bytes that it alone brought need not be asked of the caches, nor are
    /// the caches' limits cut for them.
    ///
    /// - Parameters:
    ///   - gainedBytes: The bytes by which headroom grew, where nobody had been asked yet.
    ///   - trimmedBytes: The bytes by which this process's memory fell.
    package mutating func wasTrimmed(gainedBytes: Int, trimmedBytes: Int = 0) {
        if case .trim(let time) = work { lastTrim = time }
        work = .none
        self.trimmedBytes = self.trimmedBytes.addingSaturating(max(0, trimmedBytes))
        // Bytes that the allocator was known to retain were not part of the target.
        let gained = gainedBytes - demand.retainedBytes
        guard gained > 0, isAtStart, !isHurried, demand.holdsCaches else { return }
        let target = max(0, demand.targetBytes - gained)
        let plan = ReclaimOrder.plan(clients, targetBytes: target, within: timeLeft)
        caches.restart(clients.isEmpty ? nil : plan, target: target)
    }

    /// Takes an answer; false where it belongs to another run, or came after its deadline and this run is over.
    ///
    /// - Parameters:
    ///   - client: Who answers. Of a call of an earlier run it tells who can be asked again.
    ///   - gainedBytes: The bytes by which headroom grew during the call, where that was looked at. They count where no other cache was
    ///     at work meanwhile; see ``isUnreliable(_:)``.
    ///   - leftBytes: Bytes that the cache reports now; 0 where that is not known.
    @discardableResult
    package mutating func answered(
        _ id: CallID, of client: UInt64? = nil, promisedBytes: Int, freedBytes: Int?, gainedBytes: Int = 0,
        leftBytes: Int = 0, error: String?, at now: MonotonicInstant
    ) -> Bool {
        // What was gained in a call may be what another gave meanwhile.
        let (lastChange, raises, lowers) = (changedAt, raisesCountFrom, lowersCountFrom)
        changedAt = now
        if id.run != number, let client {
            if promisedBytes > 0 { lowersCountFrom = lowers }
            if !isHurried, !isDone { caches.cameBack(client, promised: max(0, promisedBytes), left: leftBytes) }
            return false
        }
        guard let call = caches.remove(id) else {
            return answeredLate(id, promisedBytes: promisedBytes, freedBytes: freedBytes, at: now)
        }
        endWork(on: id)
        guard call.isRelease else {
            if error != nil { results.add(id, call, promised: 0, freed: nil, error: error, at: now) }
            return true
        }
        // More than the cache said it held cannot have been given.
        let promised = max(0, min(promisedBytes, max(call.reportedBytes, call.askedBytes)))
        let gained = lastChange <= call.start && caches.isNobodyOut ? gainedBytes : 0
        if caches.gave(promised, gained: gained, call, at: now) { noteShortfall() }
        if promised >= call.askedBytes, !isUnreliable(call.client) {
            (raisesCountFrom, lowersCountFrom) = (raises, lowers)
        }
        results.add(id, call, promised: promised, freed: freedBytes, error: error, at: now)
        return true
    }

    /// An answer that came after its deadline still counts while the run lasts: the bytes are there.
    private mutating func answeredLate(
        _ id: CallID, promisedBytes: Int, freedBytes: Int?, at now: MonotonicInstant
    ) -> Bool {
        guard id.run == number, !isDone, let missed = results.outcome(of: id) else { return false }
        let most = max(sizes[missed.client] ?? 0, missed.answer.askedBytes)
        let promised = max(0, min(promisedBytes, most))
        results.correct(id, promised: promised, freed: freedBytes)
        caches.gaveLate(promised, client: missed.client, since: missed.start, at: now)
        return true
    }

    /// The release without handlers that was handed out is done.
    package mutating func releasedSegments() {
        work = .none
    }

    /// A cache has given memory of its own without its handlers, whoever had it do so.
    package mutating func gaveSegments(client: UInt64, bytes: Int, at now: MonotonicInstant) {
        changedAt = now
        caches.gaveBeside(bytes, client: client)
        results.addSegments(bytes, of: client)
    }

    /// Asks nobody else and shortens the deadlines of the calls that are out: a step at a higher level waits, or nobody waits for
    /// this one any more.
    ///
    /// - Parameter deadline: The time that they still have; zero leaves them, see ``leave()``.
    package mutating func hurry(deadline: Duration, at now: MonotonicInstant) {
        guard deadline > .zero else { return leave(at: now) }
        if !isHurried { pace = .hurried }
        caches.hurry(to: now.advanced(by: deadline))
    }

    /// Ends it without waiting for handlers that are at work: a more urgent step begins for those that are not. What they give
    /// comes late.
    private mutating func leave(at now: MonotonicInstant) {
        guard !isDone, pace != .left else { return }
        pace = .left
        left += caches.leave(at: now)
        if case .call = work { work = .none }
        phase = .answers
    }

    /// Hands over the calls that were left behind since this was called last.
    package mutating func takeLeftBehind() -> [LeftCall] {
        defer { left = [] }
        return left
    }

    private var isDone: Bool { if case .done = phase { true } else { false } }

    private mutating func endWork(on id: CallID) {
        if case .call(id) = work { work = .none }
    }

    private mutating func expire(at now: MonotonicInstant) {
        let missed = caches.removeMissed(at: now)
        if missed.leavesShortfall { noteShortfall() }
        for (id, call) in missed.calls {
            endWork(on: id)
            results.add(id, call, promised: 0, freed: nil, error: nil, missedDeadline: true, at: now)
        }
    }
}
