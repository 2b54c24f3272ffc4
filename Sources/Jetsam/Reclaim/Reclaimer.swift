internal import MemoryPressure

/// Carries out steps of the ladder on the reclaim threads, measures them and keeps the ledger.
///
/// Any number of threads may be in ``work(callsHandlers:with:)``; the run that is under way hands each piece of work to one of them.
/// What they share is in a ``ReclaimState``.
final class Reclaimer: Sendable {
    let registry: CacheRegistry
    let channel: ReclaimChannel
    let clock: any MonotonicClock
    let host: any ReclaimHost
    let recorder: RecordSink
    let state: ReclaimState
    let trims: AllocatorTrims
    private let handlers: HandlerCalls
    private let segments: SegmentCalls
    private let probes: CacheProbes
    private let dryRun: DryRun

    init(
        registry: CacheRegistry, channel: ReclaimChannel, host: any ReclaimHost,
        configuration: ManagerConfiguration, clock: any MonotonicClock, allocator: any MemoryAllocator,
        recorder: RecordSink = .off
    ) {
        self.registry = registry
        self.channel = channel
        self.host = host
        self.clock = clock
        self.recorder = recorder
        state = ReclaimState(
            registry: registry, channel: channel, configuration: configuration, clock: clock, allocator: allocator,
            recorder: recorder)
        trims = AllocatorTrims(allocator: allocator, clock: clock, host: host, state: state)
        let answers = CallAnswers(state: state, trims: trims, host: host)
        handlers = HandlerCalls(
            registry: registry, channel: channel, clock: clock, allocator: allocator, answers: answers)
        segments = SegmentCalls(registry: registry, channel: channel, clock: clock, state: state, answers: answers)
        probes = CacheProbes(registry: registry, state: state)
        dryRun = DryRun(isOn: configuration.isDryRun, registry: registry, clock: clock, host: host, state: state)
    }

    /// The ledger's entries, by client.
    var ledger: [UInt64: LedgerEntry] { state.ledger }

    /// Indicates whether runs may begin.
    var isWorking: Bool { state.isWorking }

    /// Indicates whether what is decided is not done.
    var isDryRun: Bool { dryRun.isOn }

    /// Goes by another configuration from the next step on; the one that is under way ends as it began.
    func reconfigure(_ configuration: ManagerConfiguration) {
        dryRun.reconfigure(isOn: configuration.isDryRun)
        state.reconfigure(configuration)
    }

    /// Runs may begin: there are threads for them.
    func start() {
        state.start()
    }

    /// No run begins from here on. Calls that wait are answered with nil.
    func stop() {
        let unanswered = state.stop()
        probes.withdraw()
        host.releaseAbandoned()
        for request in unanswered { request.answer(nil) }
    }

    // MARK: Calls of the application's

    /// Asks the caches for bytes on the application's behalf; nil for all that they have.
    ///
    /// Where the task is cancelled no further cache is asked, and the answer is nil if none was.
    ///
    /// - Parameters:
    ///   - sensitiveOnly: Ask only caches with the trait ``CacheTraits/sensitive``.
    ///   - missingBytes: Bytes that are missing to a limit that was announced. Caches are then held down to what they are left with.
    @discardableResult
    func release(bytes: Int?, sensitiveOnly: Bool = false, missingBytes: Int? = nil) async -> ReclaimStep? {
        let purpose: ReclaimRequest.Purpose =
            if let missingBytes {
                .prepare(bytes: bytes, missingBytes: missingBytes)
            } else {
                .release(bytes: bytes, sensitiveOnly: sensitiveOnly)
            }
        let call = ReleaseCall()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let request = ReclaimRequest(purpose, call, continuation)
                if state.add(request) { channel.wake() } else { request.answer(nil) }
            }
        } onCancel: {
            call.revoke()
            state.revoke(call)?.answer(nil)
        }
    }

    // MARK: Work

    /// Works until there is nothing to do; then the thread may park.
    ///
    /// - Parameters:
    ///   - callsHandlers: False for the steward, who goes on while all other threads hang in code of the application's, and must
    ///     not be lost to it as well.
    ///   - ladder: The stages beyond the caches, which act between the runs; nil where there are none.
    func work(callsHandlers: Bool = true, with ladder: Ladder? = nil) {
        while true {
            if !callsHandlers, !isHeldUp {
                channel.spot.signal()
                return
            }
            switch state.nextAction(callsHandlers: callsHandlers) {
            case nil: if !prepare(callsHandlers, ladder) { return }
            case .wait: return
            case .trim: trim()
            case .limit(let id, let client, let bytes):
                handlers.setLimit(id, client, state.client(client), bytes)
            case .release(let id, let client, let request):
                handlers.release(
                    id, client, state.client(client), request, isUnreliable: state.isUnreliable(client))
            case .releaseSegments(let bytes): segments.giveWithoutHandlers(bytes)
            case .start(let id, let client, let limit, let request):
                start(id, client, limit, request, callsHandlers: callsHandlers)
            case .measure: finish(callsHandlers)
            }
        }
    }

    /// Has caches give whose memory is the library's own. For the thread that is there for it.
    func giveSegments() {
        segments.giveWhatWaits()
    }

    /// Indicates whether every thread is in code of the application's and none of them is waited for, or is not any more: nobody
    /// is left to go on.
    var isHeldUp: Bool { channel.handlers.areAllCalling && state.isNobodyAwaited }

    private func start(
        _ id: ReclaimRun.CallID, _ clientID: UInt64, _ limit: LimitChange, _ request: ReleaseRequest?,
        callsHandlers: Bool
    ) {
        let client = state.client(clientID)
        if let client, client.traits.contains(.segments) {
            segments.start(
                ReclaimBeside(id: id, client: client, limit: limit, request: request), mayWait: callsHandlers)
        } else {
            handlers.start(id, clientID, client, limit, request)
        }
    }

    private func trim() {
        let time = state.trimTime
        let (headroom, trimmed) = trims.trim()
        var gained = 0
        if case .first(let headroomBytes, let isProbe) = time {
            gained = headroom - headroomBytes
            if isProbe { state.beginProbeAnew(host.measure(), managedBytes: registry.reportedBytes) }
        }
        state.wasTrimmed(gainedBytes: gained, trimmedBytes: trimmed)
    }

    /// Measures what the step brought, writes the ledger and lets the next step be decided.
    private func finish(_ callsHandlers: Bool) {
        let reading = host.measure()
        let end = RunEnd(
            reading: reading, instant: clock.now, managedBytes: registry.reportedBytes, growthRate: host.growthRate,
            sequence: host.nextSequence(), retainedBytes: trims.retainedAtOnce)
        guard let (finished, clients) = state.finish(end) else { return }
        clients.letGo(registry, callsHandlers: callsHandlers)
        guard let finished else { return }
        let step = finished.step
        host.releaseEnded(
            step.step, promisedBytes: finished.broughtBytes,
            cameBackBytes: ReleaseTally.cameBack(
                promisedBytes: step.promisedBytes, freedBytes: step.freedBytes, returnedBytes: step.returnedBytes))
        host.noteLeadTime(finished.leadTime)
        host.publish(step, problems: finished.problems)
        finished.origin.request?.answer(step)
        host.judgeAfterStep()
    }

    // MARK: The next run

    /// Makes the next run from what waits; false where nothing does, or another thread is at it.
    private func prepare(_ callsHandlers: Bool, _ ladder: Ladder?) -> Bool {
        // The steward leaves caches that were dropped to a thread that may run code of the application's.
        guard callsHandlers else { return registry.borrowing { prepareRun(callsHandlers, ladder) } }
        registry.letGoOfDropped()
        return prepareRun(callsHandlers, ladder)
    }

    private func prepareRun(_ callsHandlers: Bool, _ ladder: Ladder?) -> Bool {
        guard state.beginPreparing() else { return false }
        let mail = channel.collectMail()
        if mail.probes { probes.ask() }
        if mail.demand != nil { probes.withdraw() }
        if let order = mail.ladder { ladder?.begin(order, callsHandlers: callsHandlers) }
        if mail.looksAtAllocator { trims.look() }
        if mail.reconsiders, state.reconsider(growthRate: host.growthRate) { host.judgeAfterStep() }
        ladder?.look()
        // Where a run has begun, another thread may be making the next one already.
        let outcome = begin(mail, callsHandlers)
        if outcome != .running { state.endPreparing() }
        // The application's hook may take its time; the other thread goes on.
        if let order = mail.lastResort {
            channel.spot.signal()
            ladder?.begin(order, callsHandlers: callsHandlers)
        }
        // A post during this preparation may have woken a thread that found it so, and parked again.
        return outcome != .nothing || !channel.isEmpty || state.hasWaitingRequests
    }

    private enum Outcome {
        case nothing
        /// A run is under way.
        case running
        /// A step of a dry run was told, and is over.
        case told
    }

    /// Begins what is most urgent.
    private func begin(_ mail: ReclaimChannel.Mail, _ callsHandlers: Bool) -> Outcome {
        if let demand = mail.demand {
            guard isDryRun else { return begin(demand, .demand, callsHandlers) }
            dryRun.carryOut(demand, callsHandlers: callsHandlers)
            return .told
        }
        if let regrowth = mail.regrowth, begin(regrowth, callsHandlers) { return .running }
        if let bytes = mail.hold, beginHold(bytes, callsHandlers) { return .running }
        if let request = state.popRequest() {
            let origin = RunOrigin.request(request)
            return begin(demand(for: origin), origin, callsHandlers)
        }
        if callsHandlers, let client = probes.next(isAllowed: !isDryRun) {
            let origin = RunOrigin.probe(client)
            return begin(demand(for: origin), origin, callsHandlers)
        }
        return .nothing
    }

    /// Returns the demand of a run for which no level calls.
    private func demand(for origin: RunOrigin) -> ReclaimDemand {
        let reading = host.measure()
        let reported = origin.asked(of: registry.clients).reduce(0) { $0.addingSaturating($1.reportedBytes) }
        let wanted = origin.isProbe ? CacheProbes.probeBytes : origin.request?.bytes
        let bytes = wanted.map { min($0, reported) } ?? reported
        let reason = LevelReason(rule: .external, observed: 0, threshold: 0, unit: .none, cause: .request)
        return ReclaimDemand(
            level: origin.isProbe ? .normal : .critical, reason: reason, targetBytes: bytes,
            missingBytes: origin.missingToLimit ?? bytes, step: 0, limitBytes: reading.limitBytes, isUrgent: false,
            decidedAt: clock.now, holdsCaches: origin.missingToLimit != nil)
    }

    private func begin(_ demand: ReclaimDemand, _ origin: RunOrigin, _ callsHandlers: Bool) -> Outcome {
        let clients = registry.clients
        let reading = host.measure()
        state.forgetLateGivers(demand)
        let coming = channel.gauges.comingBytes(at: reading.instant)
        let demand = demand.renewed(
            headroomBytes: reading.headroomBytes, comingBytes: coming,
            wantedBytes: channel.gauges.wantedHeadroom(since: demand.decidedAt))
        let preparation = RunPreparation(
            demand: demand, origin: origin, clients: clients,
            start: RunStart(
                reading: reading, managedBytes: registry.reportedBytes, jumpBytes: host.jumpBytes),
            retainedBytes: trims.retained(before: demand, origin))
        let (beginning, earlier, silent) = state.begin(preparation)
        if beginning == .begun { host.releaseBegan() }
        earlier.letGo(registry, callsHandlers: callsHandlers)
        if !silent.isEmpty { host.publish(silentCaches: silent) }
        switch beginning {
        case .begun: break
        // A step that asks no cache is not taken.
        case .idle: host.noteStepEnd(demand.step, promisedBytes: demand.sparedBytes)
        // Nobody else answers it.
        case .refused: origin.request?.answer(nil)
        }
        return beginning == .begun ? .running : .nothing
    }

    private func begin(_ regrowth: Regrowth.Decision, _ callsHandlers: Bool) -> Bool {
        let clients = registry.clients
        let isDryRun = isDryRun
        if isDryRun, !clients.contains(where: { $0.limitBytes != nil }) {
            // No limit was set, so none is raised.
            if regrowth.mayLift { host.noteLimitsLifted() }
            return false
        }
        // Those that cannot be asked now come with a later turn.
        let isLimited = clients.contains { $0.limitBytes != nil && ($0.isBusy || $0.isHeldDown) }
        let (hasBegun, change, earlier) = state.beginChange(clients) { facts in
            // Limits in a dry run are of before it began.
            isDryRun ? .lift : Regrowth.change(regrowth, for: facts)
        }
        earlier.letGo(registry, callsHandlers: callsHandlers)
        if change == .lift, !isLimited { host.noteLimitsLifted() }
        return hasBegun
    }

    /// Has caches without a limit grow by so many bytes together, and no further.
    private func beginHold(_ bytes: Int, _ callsHandlers: Bool) -> Bool {
        guard !isDryRun else { return false }
        let (hasBegun, _, earlier) = state.beginChange(registry.clients) { _ in .hold(bytes: bytes) }
        earlier.letGo(registry, callsHandlers: callsHandlers)
        return hasBegun
    }
}
