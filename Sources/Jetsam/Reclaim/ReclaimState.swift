internal import MemoryPressure

/// What the reclaim threads share: the run that is under way, the calls that wait, and what is known of the caches.
///
/// It is behind one lock, which only this file opens. Each function holds it once, and nothing here calls code of the application's.
final class ReclaimState: Sendable {
    private enum Activity {
        /// Nobody works here, not yet or not any more.
        case stopped
        /// Nothing is under way.
        case idle
        /// One thread is making the next run.
        case preparing
        /// A run is under way. Each piece of its work goes to one of the threads.
        case running(RunUnderWay)
    }

    private struct Shared {
        var activity = Activity.stopped
        /// The number of runs that there have been.
        var runs: UInt64 = 0
        var caches = CachesAtHand()
        /// The readings before the newest step.
        var before = RunStart()
        /// The settings for how caches are asked.
        var rules: ManagerConfiguration.Reclaim
        var trim: TrimSchedule
        var ledger: CacheLedger
        var leadTimes = LeadTimeRecord()
        var waiting: [ReclaimRequest] = []
        /// Calls that their runs have left behind, and that are expected to give soon.
        var leftBehind: [ReclaimRun.CallID: ReclaimRun.LeftCall] = [:]
        var recorder: RunRecorder

        var current: RunUnderWay? { if case .running(let current) = activity { current } else { nil } }

        /// Takes the run out of the state, so that it can be changed in place, or is over.
        mutating func takeRun() -> RunUnderWay? {
            guard case .running(let current) = activity else { return nil }
            activity = .idle
            return current
        }

        mutating func nextNumber() -> UInt64 {
            runs += 1
            return runs
        }

        /// Keeps calls that a run has left behind, or forgets one that has come back, and those that are late.
        mutating func noteLeftBehind(
            _ calls: [ReclaimRun.LeftCall], cameBack id: ReclaimRun.CallID? = nil, _ gauges: borrowing ReclaimGauges,
            at now: MonotonicInstant
        ) {
            guard !calls.isEmpty || id.map({ leftBehind[$0] != nil }) ?? false else { return }
            for call in calls { leftBehind[call.id] = call }
            if let id { leftBehind[id] = nil }
            leftBehind = leftBehind.filter { $0.value.expectedBy > now }
            publishLeftBehind(gauges, at: now)
        }

        /// Forgets calls that would give only after an instant.
        mutating func forgetLeftBehind(
            after instant: MonotonicInstant, _ gauges: borrowing ReclaimGauges, at now: MonotonicInstant
        ) {
            leftBehind = leftBehind.filter { $0.value.expectedBy <= instant }
            publishLeftBehind(gauges, at: now)
        }

        private func publishLeftBehind(_ gauges: borrowing ReclaimGauges, at now: MonotonicInstant) {
            gauges.publishLeftBehind(
                bytes: leftBehind.values.reduce(0) { $0.addingSaturating($1.bytes) },
                until: leftBehind.values.lazy.map(\.expectedBy).max() ?? now)
        }

        /// Keeps the caches of a run at hand, and forgets what is known of those that are gone.
        mutating func remember(_ clients: [CacheClient]) -> EarlierClients {
            let earlier = caches.replace(with: clients)
            ledger.forget(allBut: caches)
            recorder.forget(allBut: caches)
            return earlier
        }
    }

    private let registry: CacheRegistry
    private let channel: ReclaimChannel
    private let clock: any MonotonicClock
    private let allocator: any MemoryAllocator
    private let shared: Lock<Shared>

    init(
        registry: CacheRegistry, channel: ReclaimChannel, configuration: ManagerConfiguration,
        clock: any MonotonicClock, allocator: any MemoryAllocator, recorder: RecordSink
    ) {
        self.registry = registry
        self.channel = channel
        self.clock = clock
        self.allocator = allocator
        shared = Lock(
            Shared(
                rules: configuration.reclaim, trim: TrimSchedule(configuration: configuration.trim),
                ledger: CacheLedger(registry), recorder: RunRecorder(recorder)))
    }

    // MARK: What others may know

    /// The ledger's entries, by client.
    var ledger: [UInt64: LedgerEntry] { shared.withLock { $0.ledger.entries } }

    /// The settings for how caches are asked.
    var rules: ManagerConfiguration.Reclaim { shared.withLock { $0.rules } }

    /// Indicates whether runs may begin.
    var isWorking: Bool { shared.withLock { if case .stopped = $0.activity { false } else { true } } }

    var isRunning: Bool { shared.withLock { $0.current != nil } }

    /// Indicates whether calls of the application's wait for their turn.
    var hasWaitingRequests: Bool { shared.withLock { !$0.waiting.isEmpty } }

    /// Before this instant no trim is due, whatever was freed.
    var earliestTrim: MonotonicInstant { shared.withLock { $0.trim.earliest } }

    /// Returns a cache of the run that is under way.
    func client(_ id: UInt64) -> CacheClient? { shared.withLock { $0.caches[id] } }

    // MARK: Beginning and end

    /// Goes by another configuration from the next step on; the one that is under way ends as it began.
    func reconfigure(_ configuration: ManagerConfiguration) {
        shared.withLock { shared in
            shared.rules = configuration.reclaim
            shared.trim.reconfigure(configuration.trim)
        }
    }

    /// Runs may begin: there are threads for them.
    func start() {
        shared.withLock { shared in
            if case .stopped = shared.activity { shared.activity = .idle }
        }
    }

    /// No run begins from here on.
    ///
    /// - Returns: The calls that nobody answers any more.
    func stop() -> [ReclaimRequest] {
        shared.withLock { shared in
            let underWay = shared.current?.origin.request
            let unanswered = shared.waiting + (underWay.map { [$0] } ?? [])
            shared.waiting = []
            shared.activity = .stopped
            channel.gauges.publish(nil)
            return unanswered
        }
    }

    // MARK: Calls of the application's

    /// Adds a call; false where nobody will answer it.
    func add(_ request: ReclaimRequest) -> Bool {
        shared.withLock { shared in
            // Under the lock: a cancellation that comes from here on finds it in the queue.
            if case .stopped = shared.activity { return false }
            guard !request.call.isRevoked else { return false }
            shared.waiting.append(request)
            return true
        }
    }

    /// Takes the call that has waited for longest.
    func popRequest() -> ReclaimRequest? {
        shared.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
    }

    /// Nobody waits for a call any more: its run asks nobody else.
    ///
    /// - Returns: The call where it waited still, and is to be answered.
    func revoke(_ call: ReleaseCall) -> ReclaimRequest? {
        let now = clock.now
        return shared.withLock { shared in
            if shared.current?.origin.request?.call === call, var current = shared.takeRun() {
                defer { shared.activity = .running(current) }
                current.run.hurry(deadline: shared.rules.criticalDeadline, at: now)
                shared.recorder.hurries(current.run.number, shared.rules.criticalDeadline, at: now)
                channel.gauges.publish(current.run)
            }
            return shared.waiting.firstIndex { $0.call === call }.map { shared.waiting.remove(at: $0) }
        }
    }

    // MARK: Making a run

    /// Begins to make the next run; false where one is under way, or another thread is at it.
    func beginPreparing() -> Bool {
        shared.withLock { shared in
            guard case .idle = shared.activity else { return false }
            shared.activity = .preparing
            return true
        }
    }

    /// No run was made. For the thread that began.
    func endPreparing() {
        shared.withLock { shared in
            if case .preparing = shared.activity { shared.activity = .idle }
        }
    }

    /// Does not count on what calls that were left behind will give when memory has reached the limit already.
    func forgetLateGivers(_ demand: ReclaimDemand) {
        guard demand.level == .critical, let limitAt = demand.limitAt else { return }
        let now = clock.now
        shared.withLock { shared in
            if !shared.leftBehind.isEmpty { shared.forgetLeftBehind(after: limitAt, channel.gauges, at: now) }
        }
    }

    /// Makes a step.
    ///
    /// - Returns: Whether it is under way, the caches of the run before, and the names of caches that never reported anything.
    func begin(
        _ preparation: RunPreparation
    ) -> (beginning: RunPreparation.Beginning, earlier: EarlierClients, silent: [String]) {
        shared.withLock { shared in
            let (demand, origin) = (preparation.demand, preparation.origin)
            guard case .preparing = shared.activity, origin.request?.call.isRevoked != true else {
                return (.refused, EarlierClients(), [])
            }
            let now = clock.now
            if let retained = preparation.retainedBytes { shared.trim.noteCounted(retained) }
            channel.gauges.publish(shared.trim)
            var silent: [String] = []
            if origin.isDemand {
                shared.ledger.forgive(preparation.clients, isNewShortage: demand.step == 1, at: now)
                if demand.missingBytes > 0 { silent = shared.ledger.namesOfSilent(preparation.clients) }
            }
            var facts = shared.ledger.facts(
                origin.asked(of: preparation.clients), demand.level, preparation.start.reading, at: now)
            if origin.isDemand { shared.ledger.keepSome(&facts, demand.level, at: now) }
            let plan = preparation.plan(facts, at: now)
            let trims = preparation.trims(shared.trim, allocator, at: now)
            let asksNobody = plan.allSatisfy { $0.askBytes == 0 && $0.limit == .keep }
            if origin.isDemand, demand.step > 1, trims == .never, asksNobody {
                return (.idle, EarlierClients(), silent)
            }
            let earlier = shared.remember(preparation.clients)
            shared.before = preparation.start
            let run = preparation.makeRun(
                number: shared.nextNumber(), plan, facts, shared.rules, trimsFirst: trims == .first, at: now)
            shared.recorder.begins(run, origin.recorded, facts, shared.caches, at: now)
            channel.gauges.publish(run)
            // What an earlier reading showed is part of the demand.
            channel.gauges.publish(OpenBytes(), at: now)
            shared.activity = .running(RunUnderWay(run: run, origin: origin))
            return (.begun, earlier, silent)
        }
    }

    /// Takes back what steps seemed to show in which memory turns out to have grown.
    ///
    /// - Returns: Whether anything was taken back.
    func reconsider(growthRate: Int) -> Bool {
        let now = clock.now
        return shared.withLock { $0.ledger.reconsider($0.caches, growthRate: growthRate, at: now) }
    }

    /// Makes a run that changes limits.
    ///
    /// - Parameter decide: The change, by what is known of the caches.
    /// - Returns: Whether it is under way, the change that was decided, which is nil where nothing is begun any more, and the caches
    ///   of the run before.
    func beginChange(
        _ clients: [CacheClient], _ decide: ([ClientFacts]) -> Regrowth.Change
    ) -> (hasBegun: Bool, change: Regrowth.Change?, earlier: EarlierClients) {
        let now = clock.now
        return shared.withLock { shared in
            guard case .preparing = shared.activity else { return (false, nil, EarlierClients()) }
            // A scene in the background keeps the limits that it was cut to.
            let free = clients.filter { !$0.isHeldDown }
            var facts = shared.ledger.facts(free, .normal, shared.before.reading, at: now)
            for (index, client) in free.enumerated() { facts[index].turnsAway = client.collectTurnsAway() }
            shared.ledger.keepSome(&facts, .normal, at: now)
            let change = decide(facts)
            let plan = Regrowth.plan(change, for: facts)
            guard !plan.isEmpty else { return (false, change, EarlierClients()) }
            let earlier = shared.remember(clients)
            let run = ReclaimRun(limits: plan, number: shared.nextNumber(), shared.rules, at: now)
            let (purpose, raise): (RunRecord.Purpose, Int) =
                switch change {
                case .hold(let bytes): (.hold, bytes)
                case .lift: (.lift, 0)
                case .raise(let bytes): (.raise, bytes)
                }
            shared.recorder.begins(run, purpose, facts, shared.caches, raiseBytes: raise, at: now)
            channel.gauges.publish(run)
            shared.activity = .running(RunUnderWay(run: run, origin: .limits))
            return (true, change, earlier)
        }
    }

    /// Plans a step of a dry run, which asks nobody.
    func planDry(
        _ preparation: RunPreparation, sequence: UInt64, at now: MonotonicInstant
    ) -> (step: ReclaimStep, earlier: [EarlierClients]) {
        shared.withLock { shared in
            let level = preparation.demand.level
            let earlier = shared.remember(preparation.clients)
            var facts = shared.ledger.facts(preparation.clients, level, preparation.start.reading, at: now)
            shared.ledger.keepSome(&facts, level, at: now)
            let step = ReclaimStep(
                dry: preparation, parts: preparation.dryParts(facts), sequence: sequence, end: now)
            shared.recorder.ends(step, run: nil, at: now)
            // Nobody was asked.
            return (step, [earlier, shared.caches.forget(after: nil)])
        }
    }

    /// Returns the first of these caches that is due for a probe, and notes that it has it; nil while a trim would come too soon.
    func takeProbed(of clients: [CacheClient]) -> CacheClient? {
        let now = clock.now
        return shared.withLock { shared in
            guard allocator.trimsAfterEveryStep || now >= shared.trim.earliest else { return nil }
            return shared.ledger.takeProbed(clients, at: now)
        }
    }

    // MARK: Carrying it out

    /// Indicates whether nobody is waited for, or not any more.
    var isNobodyAwaited: Bool {
        let now = clock.now
        let pending = channel.pendingLevel
        return shared.withLock { shared in
            guard let current = shared.current else { return true }
            if let pending, !current.run.isHurried, current.mustGiveWay(to: pending, at: now) { return true }
            return !current.run.isAwaited(at: now)
        }
    }

    /// Returns what is done next; nil where no run is under way.
    func nextAction(callsHandlers: Bool) -> ReclaimRun.Action? {
        let pending = channel.pendingLevel
        return shared.withLock { shared in
            guard var current = shared.takeRun() else { return nil }
            defer { shared.activity = .running(current) }
            let now = clock.now
            current.bookSegments(registry, shared.caches, shared.recorder, channel, at: now)
            if let pending, current.mustGiveWay(to: pending, at: now) {
                // At critical nobody is waited for while there is somebody else to ask.
                let others = shared.caches.canAnyGive
                let deadline = pending == .critical && others ? .zero : shared.rules.criticalDeadline
                current.run.hurry(deadline: deadline, at: now)
                shared.recorder.hurries(current.run.number, deadline, at: now)
            }
            let isTrimDue = current.shouldTrimLast(shared.trim, allocator, shared.caches, at: now)
            let open = channel.gauges.openBytes(for: current.run)
            let action = current.run.next(
                shouldTrimLast: isTrimDue, callsHandlers: callsHandlers, open: open, at: now)
            shared.noteLeftBehind(current.run.takeLeftBehind(), channel.gauges, at: now)
            shared.recorder.turns(
                current.run.number, shouldTrimLast: isTrimDue, callsHandlers: callsHandlers, open: open,
                action: action, at: now)
            channel.gauges.publish(current.run)
            return action
        }
    }

    /// Returns whether a cache is known to give nothing in the run that is under way.
    func isUnreliable(_ client: UInt64) -> Bool {
        shared.withLock { $0.current?.run.isUnreliable(client) ?? false }
    }

    /// Takes an answer.
    ///
    /// - Returns: What came after the step that asked had been written down; nil where that is nothing.
    func answered(_ answer: CallAnswer) -> LateAnswer? {
        let now = clock.now
        return shared.withLock { shared in
            var isTaken = false
            let left = shared.caches[answer.client]?.reportedBytes ?? 0
            if var current = shared.takeRun() {
                defer { shared.activity = .running(current) }
                isTaken = current.run.answered(
                    answer.id, of: answer.client, promisedBytes: answer.promisedBytes, freedBytes: answer.freedBytes,
                    gainedBytes: answer.gainedBytes, leftBytes: left, error: answer.error, at: now)
                channel.gauges.publish(current.run)
            }
            shared.recorder.answers(answer, leftBytes: left, isTaken: isTaken, at: now)
            shared.noteLeftBehind([], cameBack: answer.id, channel.gauges, at: now)
            guard !isTaken, let client = shared.caches[answer.client] else { return nil }
            // It was kept for this answer. Whoever called it has it still.
            if shared.current == nil { shared.caches.remove(client) }
            shared.ledger.cameBack(client)
            guard answer.askedBytes > 0, answer.promisedBytes > 0 else { return nil }
            let isUnmapped = client.traits.contains(.unmapping)
            let news = shared.ledger.addLate(answer.lateEntry(isUnmapped: isUnmapped, at: now), of: client)
            guard news > 0 else { return nil }
            shared.leadTimes.noteLate(givenBytes: news, in: answer.start.duration(to: now))
            return LateAnswer(bytes: news, isUnmapped: isUnmapped, leadTime: shared.leadTimes.leadTime)
        }
    }

    /// Counts what caches gave without their handlers as part of the step that is under way.
    ///
    /// - Parameter isDone: The release without handlers that was handed out is done.
    func bookSegments(isDone: Bool = false) {
        shared.withLock { shared in
            guard var current = shared.takeRun() else { return }
            defer { shared.activity = .running(current) }
            let now = clock.now
            if isDone {
                current.run.releasedSegments()
                shared.recorder.gaveSegments(current.run.number, nil, 0, at: now)
            }
            current.bookSegments(registry, shared.caches, shared.recorder, channel, at: now)
            channel.gauges.publish(current.run)
        }
    }

    // MARK: Trims

    /// The allocator has told how many bytes it retains.
    func noteRetained(_ bytes: Int) {
        shared.withLock { shared in
            shared.trim.noteCounted(bytes)
            channel.gauges.publish(shared.trim)
        }
    }

    /// A trim is done; `left` is what the allocator tells to be free still, nil where it does not.
    func noteTrim(from start: MonotonicInstant, to end: MonotonicInstant, leaving left: Int?) {
        shared.withLock { shared in
            shared.trim.trimmed(from: start, to: end, leaving: left)
            channel.gauges.publish(shared.trim)
        }
    }

    /// The time of the trim that was handed out.
    var trimTime: TrimTime {
        shared.withLock { shared in
            guard let current = shared.current, current.run.isAtStart else { return .last }
            return .first(headroomBytes: shared.before.reading.headroomBytes, isProbe: current.origin.isProbe)
        }
    }

    /// Begins a probe's measurement anew after a trim: the bytes that it brought before anybody was asked are no part of the probe.
    func beginProbeAnew(_ reading: MemoryReading, managedBytes: Int) {
        shared.withLock { shared in
            guard shared.current?.origin.isProbe == true else { return }
            shared.before.reading = reading
            shared.before.managedBytes = managedBytes
        }
    }

    /// The trim that was handed out is done.
    func wasTrimmed(gainedBytes: Int, trimmedBytes: Int) {
        shared.withLock { shared in
            guard var current = shared.takeRun() else { return }
            defer { shared.activity = .running(current) }
            current.run.wasTrimmed(gainedBytes: gainedBytes, trimmedBytes: trimmedBytes)
            shared.recorder.trims(current.run.number, gainedBytes, trimmedBytes, at: clock.now)
        }
    }

    // MARK: The end of a run

    /// Ends the run that is under way, and writes down what a step brought.
    ///
    /// - Returns: The step, which is nil where only limits were changed, and the caches that were at hand; nil where none is under
    ///   way any more.
    func finish(_ end: RunEnd) -> (step: FinishedStep?, clients: EarlierClients)? {
        shared.withLock { shared in
            guard let current = shared.takeRun() else { return nil }
            let run = current.run
            defer { channel.gauges.publish(nil) }
            guard run.kind == .step else { return (nil, shared.caches.forget(after: run)) }
            if let retained = end.retainedBytes {
                shared.trim.noteCounted(retained)
            } else if !run.didTrimLast, allocator.canTrim {
                let freed = current.freedIntoAllocator(shared.caches)
                let returned = current.returnedByAllocator(shared.before.reading, end.reading, freedBytes: freed)
                shared.trim.noteFreed(freed, returnedBytes: returned)
            }
            channel.gauges.publish(shared.trim)
            let result = current.measurement(
                end, since: shared.before, shared.caches, retainedBytes: shared.trim.retainedBytes)
            let unmapping = shared.caches.unmapping
            var step = result.step(sequence: end.sequence, names: shared.caches.names, unmapping: unmapping)
            step.isProbe = current.origin.isProbe
            let brought = shared.ledger.write(
                result, &step, shared.caches, unmapping: unmapping, canTrim: allocator.canTrim)
            shared.ledger.reconsider(shared.caches, jumpBytes: shared.before.jumpBytes, at: end.instant)
            channel.gauges.publish(hidingGrowth: shared.ledger.hidingGrowth)
            shared.leadTimes.note(step)
            shared.recorder.ends(step, run: run.number, at: end.instant)
            let finished = FinishedStep(
                step: step, origin: current.origin, problems: current.problems(shared.caches),
                broughtBytes: brought.addingSaturating(run.demand.sparedBytes),
                leadTime: shared.leadTimes.leadTime)
            return (finished, shared.caches.forget(after: run))
        }
    }
}

extension LeadTimeRecord {
    /// Takes what a step tells, where a level called for it.
    fileprivate mutating func note(_ step: ReclaimStep) {
        guard step.step > 0, let response = step.timeToFirstRelease else { return }
        note(response: response, givenBytes: step.promisedBytes, in: step.duration - response)
    }
}
