internal import MemoryPressure
internal import Synchronization

/// Steps that are only decided.
struct DryRun: ~Copyable, Sendable {
    private let registry: CacheRegistry
    private let clock: any MonotonicClock
    private let host: any ReclaimHost
    private let state: ReclaimState
    private let on: Atomic<Bool>

    init(
        isOn: Bool, registry: CacheRegistry, clock: any MonotonicClock, host: any ReclaimHost, state: ReclaimState
    ) {
        self.registry = registry
        self.clock = clock
        self.host = host
        self.state = state
        on = Atomic(isOn)
    }

    /// Indicates whether what is decided is not done.
    var isOn: Bool { on.load(ordering: .relaxed) }

    func reconfigure(isOn: Bool) {
        on.store(isOn, ordering: .relaxed)
    }

    /// Plans the step, asks nobody, and says what it would have asked for.
    func carryOut(_ demand: ReclaimDemand, callsHandlers: Bool) {
        let preparation = RunPreparation(
            demand: demand, origin: .demand, clients: registry.clients, start: RunStart(reading: host.measure()),
            retainedBytes: nil)
        let (step, earlier) = state.planDry(preparation, sequence: host.nextSequence(), at: clock.now)
        for clients in earlier { clients.letGo(registry, callsHandlers: callsHandlers) }
        // Nobody would have been asked for anything: that is no step.
        guard !step.parts.isEmpty || demand.targetBytes == 0 else {
            host.noteStepEnd(demand.step, promisedBytes: 0)
            return
        }
        host.noteDryStep(demand.step, promisedBytes: step.promisedBytes)
        host.publish(step, problems: [])
        host.judgeAfterStep()
    }
}

extension ReclaimStep {
    /// A step that asks nobody, and promises what it would have asked for.
    init(dry preparation: RunPreparation, parts: [Part], sequence: UInt64, end: MonotonicInstant) {
        let demand = preparation.demand
        let headroom = preparation.start.reading.headroomBytes
        self.init(
            sequence: sequence, step: demand.step, level: demand.level, reason: demand.reason,
            missingBytes: demand.missingBytes, targetBytes: demand.targetBytes,
            promisedBytes: parts.reduce(0) { $0.addingSaturating($1.promisedBytes) }, freedBytes: nil,
            returnedBytes: 0, isDisturbed: false, didTrim: false, headroomBefore: headroom, headroomAfter: headroom,
            timeToFirstRelease: nil, duration: demand.decidedAt.duration(to: end), parts: parts)
        isDryRun = true
    }
}
