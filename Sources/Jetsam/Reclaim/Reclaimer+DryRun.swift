internal import MemoryPressure

/// Steps that are only decided.
extension Reclaimer {
    /// Plans the step, asks nobody, and says what it would have asked for. Gives true, as a run that is over at once.
    func carryOutDry(_ demand: ReclaimDemand, _ callsHandlers: Bool) -> Bool {
        let clients = registry.clients
        let reading = host.measure()
        let sequence = host.nextSequence()
        let now = clock.now
        var earlier: [UInt64: CacheClient] = [:]
        let (step, left) = state.withLock { state in
            earlier = remember(clients, in: &state)
            var facts = facts(clients, state.ledger, demand.level, reading)
            keepSome(&facts, demand.level, in: &state)
            let parts = ReclaimOrder.plan(facts, targetBytes: demand.targetBytes).filter { $0.askBytes > 0 }.map {
                part in
                ReclaimStep.Part(
                    name: state.clients[part.id]?.name ?? "unknown", askedBytes: part.askBytes,
                    promisedBytes: part.askBytes, freedBytes: nil, returnedBytes: 0, handlerTime: .zero, failed: false,
                    missedDeadline: false)
            }
            var step = ReclaimStep(
                sequence: sequence, step: demand.step, level: demand.level, reason: demand.reason,
                missingBytes: demand.missingBytes, targetBytes: demand.targetBytes,
                promisedBytes: parts.reduce(0) { $0.addingSaturating($1.promisedBytes) }, freedBytes: nil,
                returnedBytes: 0,
                isDisturbed: false, didTrim: false,
                headroomBefore: reading.headroomBytes, headroomAfter: reading.headroomBytes,
                timeToFirstRelease: nil, duration: demand.decidedAt.duration(to: now), parts: parts)
            step.isDryRun = true
            recorder.record(StepRecord(step, run: nil), at: now)
            // Nobody was asked.
            return (step, forgetClients(of: nil, in: &state))
        }
        letGo(of: earlier, callsHandlers)
        letGo(of: left, callsHandlers)
        // Nobody would have been asked for anything: that is no step.
        guard !step.parts.isEmpty || demand.targetBytes == 0 else {
            host.noteStepEnd(demand.step, promisedBytes: 0)
            return true
        }
        host.noteDryStep(demand.step, promisedBytes: step.promisedBytes)
        host.publish(step, problems: [])
        host.judgeAfterStep()
        return true
    }
}
