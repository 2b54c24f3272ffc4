internal import MemoryPressure

extension Reclaimer {
    /// Makes the next run from what waits; false where nothing does, or another thread is at it.
    func prepare(_ callsHandlers: Bool, _ ladder: Ladder?) -> Bool {
        // The steward leaves caches that were dropped to a thread that may run code of the application's.
        guard callsHandlers else { return registry.borrowing { prepareRun(callsHandlers, ladder) } }
        registry.letGoOfDropped()
        return prepareRun(callsHandlers, ladder)
    }

    private func prepareRun(_ callsHandlers: Bool, _ ladder: Ladder?) -> Bool {
        let mayPrepare = state.withLock { state in
            guard !state.isStopped, !state.isPreparing, state.run == nil else { return false }
            state.isPreparing = true
            return true
        }
        guard mayPrepare else { return false }
        let mail = channel.collectMail()
        state.withLock { state in
            if mail.probes { state.isProbeWaiting = true }
            // Memory has become short.
            if mail.demand != nil { state.isProbeWaiting = false }
        }
        if let order = mail.ladder { ladder?.begin(order, callsHandlers: callsHandlers) }
        if mail.looksAtAllocator { lookAtAllocator() }
        ladder?.look()
        let hasRun =
            if let demand = mail.demand, isDryRun {
                carryOutDry(demand, callsHandlers)
            } else if let demand = mail.demand {
                begin(demand, request: nil, callsHandlers)
            } else if let regrowth = mail.regrowth, begin(regrowth, callsHandlers) {
                true
            } else if mail.holdsCaches, beginHold(callsHandlers) {
                true
            } else if let request = state.withLock({ $0.requests.isEmpty ? nil : $0.requests.removeFirst() }) {
                begin(self.demand(for: request), request: request, callsHandlers)
            } else if callsHandlers, let request = nextProbe() {
                begin(self.demand(for: request), request: request, callsHandlers)
            } else {
                false
            }
        state.withLock { $0.isPreparing = false }
        // The application's hook may take its time; the other thread goes on.
        if let order = mail.lastResort {
            channel.spot.signal()
            ladder?.begin(order, callsHandlers: callsHandlers)
        }
        // A post during this preparation may have woken a thread that found it so, and parked again.
        return hasRun || !channel.isEmpty || state.withLock { !$0.requests.isEmpty }
    }

    private func demand(for request: Request) -> ReclaimDemand {
        let reading = host.measure()
        let reported = asked(by: request).reduce(0) { $0.addingSaturating($1.reportedBytes) }
        let bytes = request.bytes.map { min($0, reported) } ?? reported
        let reason = LevelReason(rule: .external, observed: 0, threshold: 0, unit: .none, cause: .request)
        return ReclaimDemand(
            level: request.probed == nil ? .critical : .normal, reason: reason, targetBytes: bytes,
            missingBytes: request.missingBytes ?? bytes, step: 0, limitBytes: reading.limitBytes, isUrgent: false,
            decidedAt: clock.now, holdsCaches: request.missingBytes != nil)
    }

    /// Returns the caches that a step asks, or a call of the application's.
    private func asked(by request: Request?) -> [CacheClient] {
        if let probed = request?.probed { return [probed] }
        guard request?.sensitiveOnly == true else { return registry.clients }
        return registry.clients.filter { $0.traits.contains(.sensitive) }
    }

    /// Lets go of the caches of an earlier run, which may have no other reference any more. Under no lock.
    func letGo(of clients: [UInt64: CacheClient], _ callsHandlers: Bool) {
        if !callsHandlers { registry.keep(clients.values.filter(\.hasEnded)) }
    }

    private func begin(_ demand: ReclaimDemand, request: Request?, _ callsHandlers: Bool) -> Bool {
        let clients = registry.clients
        let before = host.measure()
        let managed = registry.reportedBytes
        let isPreparing = request?.missingBytes != nil
        let retained = request == nil ? retainedBefore(demand) : isPreparing ? countRetained() : nil
        let isCheap = allocator.trimsAfterEveryStep
        var earlier: [UInt64: CacheClient] = [:]
        var silent: [String] = []
        var isIdle = false
        let hasBegun = state.withLock { state in
            guard !state.isStopped, request?.call.isRevoked != true else { return false }
            let deadlines = state.rules
            if let retained { state.trim.noteCounted(retained) }
            channel.gauges.publish(state.trim)
            if request == nil {
                if demand.step == 1 { forgive(clients, in: &state) }
                if demand.missingBytes > 0 { silent = namesOfSilent(clients, in: &state) }
            }
            var facts = facts(asked(by: request), state.ledger, demand.level, before)
            if request == nil { keepSome(&facts, demand.level, in: &state) }
            let plan =
                demand.holdsCaches
                ? ReclaimOrder.plan(facts, targetBytes: demand.targetBytes)
                : ReclaimOrder.planForRequest(facts, targetBytes: demand.targetBytes)
            // A call for bytes gets them from the caches, whatever the allocator retains.
            let isTrimDue =
                allocator.canTrim
                && state.trim.isDue(
                    limitBytes: demand.limitBytes, missingBytes: demand.missingBytes, isCheap: isCheap, at: clock.now)
            let isProbe = request?.probed != nil
            let trimsFirst =
                isProbe
                ? allocator.canTrim : isTrimDue && (request == nil ? isCheap || !demand.isUrgent : isPreparing)
            let trimsAtEnd = allocator.canTrim && demand.level == .critical && state.trim.isDueAtCriticalEnd
            isIdle =
                request == nil && demand.step > 1 && !isTrimDue && !trimsAtEnd
                && plan.allSatisfy { $0.askBytes == 0 && $0.limit == .keep }
            if isIdle { return false }
            earlier = remember(clients, in: &state)
            state.before = before
            state.managedBefore = managed
            state.requestUnderWay = request
            state.runs += 1
            state.run = ReclaimRun(
                number: state.runs, kind: .step, demand: demand, plan: plan, clients: demand.holdsCaches ? facts : [],
                sizes: Self.sizes(facts),
                // Nothing is urgent while a limit is only announced.
                callDeadline: demand.level == .critical && !isPreparing
                    ? deadlines.criticalDeadline : deadlines.warningDeadline,
                portionDeadline: min(deadlines.criticalDeadline, deadlines.warningDeadline),
                trimsFirst: trimsFirst)
            recordBeginning(&state, request == nil ? .step : isPreparing ? .prepare : .request, facts)
            channel.gauges.publish(state.run)
            return true
        }
        letGo(of: earlier, callsHandlers)
        if !silent.isEmpty { host.publish(silentCaches: silent) }
        // A step that asks no cache is not taken.
        if isIdle { host.noteStepEnd(demand.step, promisedBytes: 0) }
        if hasBegun { host.releaseBegan() }
        // Nobody works here any more, or it is not wanted any more, and nobody else answers it.
        if !hasBegun { request?.continuation?.resume(returning: nil) }
        return hasBegun
    }

    /// A shortage begins: what steps of an earlier one brought says no more than that.
    private func forgive(_ clients: [CacheClient], in state: inout State) {
        let now = clock.now
        for client in clients {
            guard let entry = state.ledger[client.id], entry.emptySteps > 0 || entry.givesNothing else { continue }
            state.ledger[client.id]?.forgive(at: now)
            expect(client, state)
        }
    }

    /// Sets the share that can be had of a cache, by what the ledger has of it now.
    func expect(_ client: CacheClient, _ state: borrowing State) {
        guard let entry = state.ledger[client.id] else { return }
        registry.expect(share: entry.obtainableShare, of: client)
    }

    /// The names of those that have never reported anything, where nobody was told: they are asked for nothing. Ours report themselves.
    private func namesOfSilent(_ clients: [CacheClient], in state: inout State) -> [String] {
        clients.filter { client in
            !client.hasReported && client.size == nil && !client.hasLastResort
                && state.silent.insert(client.id).inserted
        }.map(\.name)
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
        let (hasBegun, change) = beginChange(clients, callsHandlers) { facts in
            // Limits in a dry run are of before it began.
            isDryRun ? .lift : Regrowth.change(regrowth, for: facts)
        }
        if change == .lift, !isLimited { host.noteLimitsLifted() }
        return hasBegun
    }

    /// Has caches without a limit grow no further.
    private func beginHold(_ callsHandlers: Bool) -> Bool {
        guard !isDryRun else { return false }
        return beginChange(registry.clients, callsHandlers) { _ in .hold }.hasBegun
    }

    /// Begins a run that changes limits. Gives the change that was decided; nil where nothing is begun any more.
    private func beginChange(
        _ clients: [CacheClient], _ callsHandlers: Bool, _ decide: ([ClientFacts]) -> Regrowth.Change
    ) -> (hasBegun: Bool, change: Regrowth.Change?) {
        let now = clock.now
        var earlier: [UInt64: CacheClient] = [:]
        defer { letGo(of: earlier, callsHandlers) }
        return state.withLock { state in
            guard !state.isStopped else { return (false, nil) }
            // A scene in the background keeps the limits that it was cut to.
            let free = clients.filter { !$0.isHeldDown }
            var facts = facts(free, state.ledger, .normal, state.before)
            for (index, client) in free.enumerated() { facts[index].turnsAway = client.collectTurnsAway() }
            keepSome(&facts, .normal, in: &state)
            let change = decide(facts)
            let plan = Regrowth.plan(change, for: facts)
            guard !plan.isEmpty else { return (false, change) }
            earlier = remember(clients, in: &state)
            let reason = LevelReason(rule: .headroom, observed: 0, threshold: 0, unit: .none, cause: .sampler)
            let demand = ReclaimDemand(
                level: .normal, reason: reason, targetBytes: 0, missingBytes: 0, step: 0, limitBytes: 0,
                isUrgent: false, decidedAt: now)
            state.runs += 1
            state.run = ReclaimRun(
                number: state.runs, kind: .regrowth, demand: demand, plan: plan, sizes: [:],
                callDeadline: state.rules.criticalDeadline, trimsFirst: false)
            switch change {
            case .hold: recordBeginning(&state, .hold, facts)
            case .lift: recordBeginning(&state, .lift, facts)
            case .raise(let bytes): recordBeginning(&state, .raise, facts, raiseBytes: bytes)
            }
            channel.gauges.publish(state.run)
            return (true, change)
        }
    }

    func facts(
        _ clients: [CacheClient], _ ledger: [UInt64: LedgerEntry], _ level: PressureLevel, _ reading: MemoryReading
    ) -> [ClientFacts] {
        let now = clock.now
        return clients.map { client in
            let entry = ledger[client.id]
            let isHeldOff = entry?.isHeldOff(
                at: now, level: level, headroomBytes: reading.headroomBytes, limitBytes: reading.limitBytes)
            return ClientFacts(
                id: client.id, priority: client.priority, traits: client.traits, rebuildCost: client.rebuildCost,
                bytes: client.reportedBytes, limitBytes: client.limitBytes, givesNothing: entry?.givesNothing ?? false,
                isHeldOff: isHeldOff ?? false, isBusy: client.isBusy,
                bytesPerSecond: entry?.speed.bytesPerSecond ?? ReleaseProgress.assumedRate(client.traits),
                latencyNanoseconds: entry?.speed.latencyNanoseconds,
                expectedShare: entry?.expectedShare ?? 1)
        }
    }

    /// Notes what caches have, and at `warning` leaves each a part of what it had.
    func keepSome(_ facts: inout [ClientFacts], _ level: PressureLevel, in state: inout State) {
        let now = clock.now
        for index in facts.indices {
            state.largest[facts[index].id, default: LargestSize()].note(facts[index].bytes, at: now)
            guard level == .warning else { continue }
            facts[index].keptBytes = state.largest[facts[index].id]?.keptBytes ?? 0
        }
    }

    private static func sizes(_ facts: [ClientFacts]) -> [UInt64: Int] {
        Dictionary(uniqueKeysWithValues: facts.map { ($0.id, $0.bytes) })
    }

    /// Keeps the clients of this run at hand, and forgets what is known of those that are gone.
    ///
    /// - Returns: Those of the run before. They may be the last references to caches, and so to code of the application's: to be let
    ///   go of under no lock.
    func remember(_ clients: [CacheClient], in state: inout State) -> [UInt64: CacheClient] {
        let before = state.clients
        state.clients = Dictionary(uniqueKeysWithValues: clients.map { ($0.id, $0) })
        let present = state.clients
        if state.ledger.count > present.count { state.ledger = state.ledger.filter { present[$0.key] != nil } }
        if state.named.count > present.count { state.named = state.named.filter { present[$0] != nil } }
        if state.largest.count > present.count { state.largest = state.largest.filter { present[$0.key] != nil } }
        if state.silent.count > present.count { state.silent = state.silent.filter { present[$0] != nil } }
        return before
    }

    /// Forgets the clients of a run that is over, but for those whose answers may still come: a cache whose registration ends is
    /// to be gone then, with all that its handlers captured, and not with the next run.
    ///
    /// - Returns: Those that were at hand, to be let go of under no lock.
    func forgetClients(of run: ReclaimRun?, in state: inout State) -> [UInt64: CacheClient] {
        let before = state.clients
        let late = run?.lateClients ?? []
        state.clients = before.filter { $0.value.isBusy || late.contains($0.key) }
        return before
    }

    /// Measures what the step brought, writes the ledger and lets the next step be decided.
    func finish(_ callsHandlers: Bool) {
        let after = host.measure()
        let now = clock.now
        let managed = registry.reportedBytes
        let growthRate = host.growthRate
        let sequence = host.nextSequence()
        let retained = retainedAtOnce
        guard let run = state.withLock({ $0.run }) else { return }
        guard run.kind == .step else {
            let clients = state.withLock { state in
                state.run = nil
                channel.gauges.publish(nil)
                return forgetClients(of: run, in: &state)
            }
            letGo(of: clients, callsHandlers)
            return
        }
        let (step, problems, request, broughtBytes, leadTime, clients) = state.withLock { state in
            if let retained {
                state.trim.noteCounted(retained)
            } else if !run.didTrimLast, allocator.canTrim {
                state.trim.noteFreed(freedIntoAllocator(run, state.clients))
            }
            channel.gauges.publish(state.trim)
            let result = ReclaimMeasurement(
                run: run, before: state.before, after: after, managedBefore: state.managedBefore,
                managedAfter: managed, growthRate: growthRate, end: now, retainedBytes: state.trim.retainedBytes,
                falls: falls(run, state.clients))
            let unmapping = Set(state.clients.values.filter { $0.traits.contains(.unmapping) }.map(\.id))
            var step = result.step(
                sequence: sequence, names: state.clients.mapValues(\.name), unmapping: unmapping)
            step.isProbe = state.requestUnderWay?.probed != nil
            let broughtBytes = writeLedger(result, &step, &state, unmapping: unmapping, at: now)
            if run.demand.step > 0, let response = step.timeToFirstRelease {
                state.leadTimes.note(
                    response: response, givenBytes: step.promisedBytes, in: step.duration - response)
            }
            let problems = run.outcomes.filter { $0.error != nil || $0.answer.missedDeadline }.map { outcome in
                HandlerProblem(
                    cache: state.clients[outcome.client]?.name ?? "unknown", error: outcome.error,
                    duration: outcome.answer.duration)
            }
            let request = state.requestUnderWay
            state.requestUnderWay = nil
            state.run = nil
            channel.gauges.publish(nil)
            recorder.record(StepRecord(step, run: run.number), at: now)
            let clients = forgetClients(of: run, in: &state)
            return (step, problems, request, broughtBytes, state.leadTimes.leadTime, clients)
        }
        letGo(of: clients, callsHandlers)
        host.noteStepEnd(run.demand.step, promisedBytes: broughtBytes)
        host.releaseEnded(
            bytes: ReleaseTally.cameBack(
                promisedBytes: step.promisedBytes, freedBytes: step.freedBytes, returnedBytes: step.returnedBytes))
        host.noteLeadTime(leadTime)
        host.publish(step, problems: problems)
        request?.continuation?.resume(returning: step)
        host.judgeAfterStep()
    }

    /// Returns the bytes by which each cache reports less than when the run began.
    private func falls(_ run: ReclaimRun, _ clients: [UInt64: CacheClient]) -> [UInt64: Int] {
        var falls: [UInt64: Int] = [:]
        for (id, bytes) in run.sizes { falls[id] = bytes - (clients[id]?.reportedBytes ?? bytes) }
        return falls
    }

    /// Writes down what each cache gave.
    ///
    /// - Returns: The bytes that the step is credited with: those promised, but for those known never to come back.
    private func writeLedger(
        _ result: ReclaimMeasurement, _ step: inout ReclaimStep, _ state: inout State, unmapping: Set<UInt64>,
        at now: MonotonicInstant
    ) -> Int {
        var brought = 0
        // So little shows only where nothing else moves.
        if step.isProbe, step.isDisturbed { return 0 }
        let isAmbiguous = result.isAmbiguous(unmapping: unmapping)
        let hidden = result.hiddenShares
        for (index, release) in result.releases.enumerated() {
            var answer = release.answer
            answer.returnedBytes = step.parts[index].returnedBytes
            // Where nothing can be trimmed, what has not come back now never will.
            answer.showsReturn =
                result.run.didTrimLast || unmapping.contains(release.client) || !allocator.canTrim
            answer.hiddenBytes = hidden[index]
            answer.mostReturnedBytes = result.mostReturned(of: release.client, unmapping: unmapping)
            answer.isAmbiguous = isAmbiguous
            step.parts[index].broughtNothing = answer.broughtNothing
            var entry = state.ledger[release.client] ?? LedgerEntry()
            entry.add(
                answer, isDisturbed: step.isDisturbed, level: result.run.demand.level,
                headroomBytes: result.after.headroomBytes, at: now)
            // Nothing is given in no time.
            if !answer.broughtNothing, let speed = result.run.speed(of: release.client) { entry.note(speed) }
            let client = state.clients[release.client]
            if client?.isBusy != true { entry.cameBack() }
            state.ledger[release.client] = entry
            if let client { expect(client, state) }
            brought = brought.addingSaturating(
                Int(saturating: Double(answer.promisedBytes) * entry.returningShare))
        }
        return brought
    }

    /// Runs may begin: there are threads for them.
    func start() {
        state.withLock { $0.isStopped = false }
    }

    /// No run begins from here on. Calls that wait are answered with nil.
    func stop() {
        let waiting = state.withLock { state in
            state.isStopped = true
            state.isProbeWaiting = false
            state.run = nil
            channel.gauges.publish(nil)
            defer {
                state.requests = []
                state.requestUnderWay = nil
            }
            return state.requests + (state.requestUnderWay.map { [$0] } ?? [])
        }
        host.releaseEnded(bytes: 0)
        for request in waiting { request.continuation?.resume(returning: nil) }
    }
}
