internal import MemoryPressure
internal import Synchronization

/// The services that a reclaimer needs of the side that decides.
protocol ReclaimHost: AnyObject, Sendable {
    /// A full reading now, without judging it.
    func measure() -> MemoryReading
    /// Sustained growth of unmanaged memory, in bytes a second.
    var growthRate: Int { get }
    /// Caches begin to be asked for bytes.
    func releaseBegan()
    /// They have been asked, and so many bytes came back.
    func releaseEnded(bytes: Int)
    /// A step has ended: spacing counts from here.
    ///
    /// - Parameter promisedBytes: The bytes that caches promised in it, but for those known never to come back.
    func noteStepEnd(_ step: Int, promisedBytes: Int)
    /// A step of a dry run has ended: it asked nobody, and is credited with what it would have brought.
    func noteDryStep(_ step: Int, promisedBytes: Int)
    /// A cache has given so many bytes after the step that asked for them had ended.
    func noteLateAnswer(promisedBytes: Int)
    /// Takes the speed at which caches can give, by the steps so far.
    func noteLeadTime(_ leadTime: LeadTime)
    /// Judge the level again and post what is due next.
    func judgeAfterStep()
    /// Every limit was lifted.
    func noteLimitsLifted()
    /// A number for the next notification.
    func nextSequence() -> UInt64
    /// A full reading now, where it still shows an emergency; nil where it does not.
    ///
    /// - Parameter isEarly: Memory that will be missing before this process has left is enough.
    func confirmEmergency(orLeaving isEarly: Bool) -> MemoryReading?
    /// Takes the outcome of an action of the ladder.
    func ladderEnded(_ action: LadderMachine.Action, _ outcome: LadderMachine.Outcome)
    /// Takes a finished step to whoever listens. Called on a reclaim thread, under no lock.
    func publish(_ step: ReclaimStep, problems: [HandlerProblem])
    /// Tells of caches that have never reported any bytes, while these are asked for. Called on a reclaim thread, under no lock.
    func publish(silentCaches names: [String])
}

/// Carries out steps of the ladder on the reclaim threads, measures them and keeps the ledger.
///
/// Any number of threads may be in ``work()``; the run that is under way hands each piece of work to one of them.
final class Reclaimer: Sendable {
    struct State {
        var run: ReclaimRun?
        /// The number of runs that there have been.
        var runs: UInt64 = 0
        /// One thread is making the next run.
        var isPreparing = false
        var clients: [UInt64: CacheClient] = [:]
        var before = MemoryReading()
        var managedBefore = 0
        /// The settings for how caches are asked.
        var rules: ManagerConfiguration.Reclaim
        var trim: TrimSchedule
        var ledger: [UInt64: LedgerEntry] = [:]
        var leadTimes = LeadTimeRecord()
        /// The bytes that caches had before memory became short.
        var largest: [UInt64: LargestSize] = [:]
        var requests: [Request] = []
        var requestUnderWay: Request?
        /// A probe waits until no call of the application's does.
        var isProbeWaiting = false
        /// Nobody works here, not yet or not any more.
        var isStopped = true
        /// The caches whose names were recorded.
        var named: Set<UInt64> = []
        /// The caches that have never reported anything, and of which that was told.
        var silent: Set<UInt64> = []
    }

    /// A call of the application's for bytes.
    struct Request {
        /// Nil for everything.
        var bytes: Int?
        /// Only of caches whose contents are private.
        var sensitiveOnly = false
        /// The bytes that are missing to a limit that was announced: caches are held down to what they are left with. Nil for a call
        /// that only frees.
        var missingBytes: Int?
        var call = ReleaseCall()
        /// The one cache of which it is to be found out what comes back; nil for a call of the application's.
        var probed: CacheClient?
        var continuation: CheckedContinuation<ReclaimStep?, Never>?
    }

    let registry: CacheRegistry
    let channel: ReclaimChannel
    let clock: any MonotonicClock
    let allocator: any MemoryAllocator
    let host: any ReclaimHost
    let state: Lock<State>
    let recorder: RecordSink
    private let dryRun: Atomic<Bool>

    init(
        registry: CacheRegistry, channel: ReclaimChannel, host: any ReclaimHost,
        configuration: ManagerConfiguration, clock: any MonotonicClock, allocator: any MemoryAllocator,
        recorder: RecordSink = .off
    ) {
        self.registry = registry
        self.channel = channel
        self.host = host
        self.clock = clock
        self.allocator = allocator
        self.recorder = recorder
        dryRun = Atomic(configuration.isDryRun)
        state = Lock(
            State(rules: configuration.reclaim, trim: TrimSchedule(configuration: configuration.trim)))
    }

    /// The ledger's entries, by client.
    var ledger: [UInt64: LedgerEntry] { state.withLock { $0.ledger } }

    /// Indicates whether runs may begin.
    var isWorking: Bool { state.withLock { !$0.isStopped } }

    /// Indicates whether what is decided is not done.
    var isDryRun: Bool { dryRun.load(ordering: .relaxed) }

    /// Goes by another configuration from the next step on; the one that is under way ends as it began.
    func reconfigure(_ configuration: ManagerConfiguration) {
        dryRun.store(configuration.isDryRun, ordering: .relaxed)
        state.withLock { state in
            state.rules = configuration.reclaim
            state.trim.reconfigure(configuration.trim)
        }
    }

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
            switch nextAction(callsHandlers) {
            case nil: if !prepare(callsHandlers, ladder) { return }
            case .wait: return
            case .trim: trim()
            case .limit(let id, let client, let bytes): setLimit(id, client, bytes)
            case .release(let id, let client, let request): release(id, client, request)
            case .releaseSegments(let bytes): releaseSegments(bytes)
            case .start(let id, let client, let limit, let request):
                start(id, client, limit, request, callsHandlers: callsHandlers)
            case .measure: finish(callsHandlers)
            }
        }
    }

    /// Indicates whether every thread is in code of the application's and none of them is waited for, or is not any more: nobody
    /// is left to go on.
    var isHeldUp: Bool {
        guard channel.handlers.areAllCalling else { return false }
        let now = clock.now
        let pending = channel.pendingLevel
        return state.withLock { state in
            guard let run = state.run else { return true }
            if let pending, !run.isHurried, mustGiveWay(run, to: pending, at: now) { return true }
            return !run.isAwaited(at: now)
        }
    }

    /// Nil where no run is under way.
    private func nextAction(_ callsHandlers: Bool) -> ReclaimRun.Action? {
        let pending = channel.pendingLevel
        return state.withLock { state in
            guard let run = state.run else { return nil }
            let now = clock.now
            bookSegments(&state, at: now)
            if let pending, mustGiveWay(run, to: pending, at: now) {
                // At critical nobody is waited for while there is somebody else to ask.
                let others = state.clients.values.contains { !$0.isBusy && $0.reportedBytes > 0 }
                let deadline = pending == .critical && others ? .zero : state.rules.criticalDeadline
                state.run?.hurry(deadline: deadline, at: now)
                recordHurry(run.number, deadline, at: now)
            }
            let isTrimDue = shouldTrimLast(state, at: now)
            let action = state.run?.next(shouldTrimLast: isTrimDue, callsHandlers: callsHandlers, at: now)
            if let action {
                let turn = TurnRecord(
                    run: run.number, shouldTrimLast: isTrimDue, callsHandlers: callsHandlers, action: action)
                recorder.record(turn, at: now)
            }
            channel.gauges.publish(state.run)
            return action
        }
    }

    /// Returns whether the run that is under way ends for a step at that level. A call of the application's goes on while its
    /// caches do what is expected of them: what they give helps as well.
    private func mustGiveWay(_ run: ReclaimRun, to pending: PressureLevel, at now: MonotonicInstant) -> Bool {
        if run.kind == .regrowth || pending > run.demand.level { return true }
        return pending == .critical && run.demand.step == 0 && run.isLate(at: now)
    }

    private func shouldTrimLast(_ state: borrowing State, at now: MonotonicInstant) -> Bool {
        guard let run = state.run, allocator.canTrim else { return false }
        let freed = freedIntoAllocator(run, state.clients)
        let isProbe = state.requestUnderWay?.probed != nil
        // A caller that is about to lower a limit needs free memory, and waits for it.
        let isPreparing = state.requestUnderWay?.missingBytes != nil
        if freed > 0, allocator.trimsAfterEveryStep || isProbe || isPreparing { return true }
        var trim = state.trim
        trim.noteFreed(freed)
        if run.demand.level == .critical, trim.isDueAtCriticalEnd { return true }
        return trim.isDue(limitBytes: run.demand.limitBytes, missingBytes: run.demand.missingBytes, at: now)
    }

    private func trim() {
        let atStart = state.withLock { $0.run?.isAtStart == true ? $0.before.headroomBytes : nil }
        let (headroom, trimmed) = trimAllocator()
        if atStart != nil { beginProbeAnew() }
        state.withLock { state in
            let gained = atStart.map { headroom - $0 } ?? 0
            state.run?.wasTrimmed(gainedBytes: gained, trimmedBytes: trimmed)
            if let run = state.run { recordTrim(run.number, gained, trimmed) }
        }
    }

    private func releaseSegments(_ bytes: Int) {
        // The sampler may have seen to some of it meanwhile.
        _ = registry.releaseSegmentsWithoutHandlers(bytes: bytes - registry.unbookedBytes, waits: true)
        state.withLock { state in
            state.run?.releasedSegments()
            if let run = state.run { recordSegments(run.number, nil, 0, at: clock.now) }
            bookSegments(&state, at: clock.now)
            channel.gauges.publish(state.run)
        }
    }

    /// Counts what caches gave without their handlers as part of the step that is under way.
    func bookSegments(_ state: inout State, at now: MonotonicInstant) {
        guard registry.unbookedBytes > 0, state.run?.kind == .step else { return }
        for client in state.clients.values {
            let bytes = client.unbookedBytes
            guard bytes > 0, let run = state.run else { continue }
            state.run?.gaveSegments(client: client.id, bytes: bytes, at: now)
            recordSegments(run.number, client.id, bytes, at: now)
            // Before they count as written: they would be missing, and given nowhere, else.
            channel.gauges.publish(state.run)
            registry.noteBooked(bytes, of: client)
        }
    }

    private func setLimit(_ id: ReclaimRun.CallID, _ clientID: UInt64, _ bytes: Int?) {
        call(id, clientID, asked: 0) { client in
            client.limitBytes = bytes
            guard case .synchronous(let limit, _) = client.handlers else { return 0 }
            try limit(bytes)
            return 0
        }
    }

    private func release(_ id: ReclaimRun.CallID, _ clientID: UInt64, _ request: ReleaseRequest) {
        call(id, clientID, asked: request.bytes) { client in
            guard case .synchronous(_, let release) = client.handlers else { return 0 }
            return try release(request)
        }
    }

    /// Calls a synchronous handler on this thread, under no lock.
    private func call(
        _ id: ReclaimRun.CallID, _ clientID: UInt64, asked: Int, _ body: (CacheClient) throws -> Int
    ) {
        let start = clock.now
        guard let client = state.withLock({ $0.clients[clientID] }), client.beginCall() else {
            answered(id, clientID, asked: 0, 0, freed: nil, error: nil, since: clock.now)
            return
        }
        let before = allocator.bytesFreedByThread()
        var promised = 0
        var message: String?
        channel.handlers.willCall()
        do {
            promised = try body(client)
        } catch {
            message = Self.describe(error)
        }
        channel.handlers.didCall()
        let after = allocator.bytesFreedByThread()
        registry.refresh(client)
        client.endCall()
        // What went straight to the kernel passed no allocator.
        let freed: Int? =
            if client.traits.contains(.unmapping) { promised } else if let before, let after {
                Int(clamping: after &- before)
            } else { nil }
        answered(id, clientID, asked: asked, promised, freed: freed, error: message, since: start)
    }

    private func start(
        _ id: ReclaimRun.CallID, _ clientID: UInt64, _ change: LimitChange, _ request: ReleaseRequest?,
        callsHandlers: Bool
    ) {
        if let client = state.withLock({ $0.clients[clientID] }), client.traits.contains(.segments) {
            let beside = ReclaimBeside(id: id, client: client, limit: change, request: request)
            // Without a thread for it, this one does it.
            if !channel.post(beside) { give(beside, mayWait: callsHandlers) }
            return
        }
        guard let client = state.withLock({ $0.clients[clientID] }), client.beginCall() else {
            answered(id, clientID, asked: 0, 0, freed: nil, error: nil, since: clock.now)
            return
        }
        let start = clock.now
        Task(priority: .high) {
            var promised = 0
            var message: String?
            do {
                promised = try await Self.ask(client, change, request)
            } catch {
                message = Self.describe(error)
            }
            client.endCall()
            self.answered(
                id, clientID, asked: request?.bytes ?? 0, promised, freed: nil, error: message, since: start)
            self.channel.wake()
        }
    }

    private static func ask(_ client: CacheClient, _ change: LimitChange, _ request: ReleaseRequest?) async throws
        -> Int
    {
        guard case .asynchronous(let limit, let release) = client.handlers else { return 0 }
        switch change {
        case .keep: break
        case .set(let bytes):
            client.limitBytes = bytes
            try await limit(bytes)
        case .lift:
            client.limitBytes = nil
            try await limit(nil)
        }
        guard let request else { return 0 }
        return try await release(request)
    }

    func answered(
        _ id: ReclaimRun.CallID, _ clientID: UInt64, asked: Int, _ promised: Int, freed: Int?, error: String?,
        since start: MonotonicInstant
    ) {
        let now = clock.now
        let (late, isUnmapped) = state.withLock { state -> (Int, Bool) in
            let isTaken =
                state.run?.answered(id, promisedBytes: promised, freedBytes: freed, error: error, at: now) ?? false
            record(id, clientID, promised, freed, failed: error != nil, since: start, isTaken: isTaken, at: now)
            channel.gauges.publish(state.run)
            guard !isTaken, let client = state.clients[clientID] else { return (0, false) }
            // It was kept for this answer. Whoever called it has it still.
            if state.run == nil { state.clients[clientID] = nil }
            // It can be asked again, whatever it brings.
            state.ledger[clientID]?.cameBack()
            expect(client, state)
            guard asked > 0, promised > 0 else { return (0, false) }
            // The step that asked has been written down without it. Bytes that went straight to the kernel have come back for
            // certain; of the rest nobody can tell.
            let bytes = min(promised, asked)
            let isUnmapped = client.traits.contains(.unmapping)
            state.ledger[clientID, default: LedgerEntry()].addLate(
                LedgerEntry.Answer(
                    askedBytes: asked, promisedBytes: bytes, freedBytes: freed, returnedBytes: isUnmapped ? bytes : 0,
                    duration: start.duration(to: now), failed: error != nil))
            expect(client, state)
            // What never comes back is no news.
            return (state.ledger[clientID]?.isHollow == true ? 0 : bytes, isUnmapped)
        }
        guard late > 0 else { return }
        // Nobody else gives back what was freed after the step's own trim. Only a thread of ours counts what it frees.
        if !isUnmapped, freed ?? 0 > 0, allocator.canTrim, allocator.trimsAfterEveryStep { _ = trimAllocator() }
        host.noteLateAnswer(promisedBytes: late)
        host.judgeAfterStep()
    }

    /// An error as text, held to a length that a log line can bear.
    static func describe(_ error: any Error) -> String {
        String(String(describing: error).prefix(200)).onOneLine
    }
}
