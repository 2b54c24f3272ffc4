internal import MemoryPressure

/// A run that is about to be made, with what was found out for it under no lock.
struct RunPreparation {
    let demand: ReclaimDemand
    let origin: RunOrigin
    /// The caches that there are.
    let clients: [CacheClient]
    /// The readings before it.
    let start: RunStart
    /// The bytes that the allocator retains, where it was asked.
    let retainedBytes: Int?

    /// What came of it.
    enum Beginning {
        case begun
        /// No cache would be asked for anything.
        case idle
        /// Nobody works here any more, or it is not wanted any more.
        case refused
    }

    /// The time of the trims of a step.
    enum Trims {
        /// Before anybody is asked.
        case first
        /// A trim is due, and comes when the caches have given.
        case later
        case never
    }

    /// Returns when the step trims, by what the allocator retains now.
    func trims(_ trim: TrimSchedule, _ allocator: any MemoryAllocator, at now: MonotonicInstant) -> Trims {
        guard allocator.canTrim else { return .never }
        let isCheap = allocator.trimsAfterEveryStep
        let isDue = trim.isDue(
            limitBytes: demand.limitBytes, missingBytes: demand.missingBytes, isCheap: isCheap, at: now)
        let isFirst =
            switch origin {
            case .probe: true
            case .demand: isDue && (isCheap || !demand.isUrgent)
            // A call for bytes gets them from the caches, whatever the allocator retains.
            case .request: isDue && origin.missingToLimit != nil
            case .limits: false
            }
        if isFirst { return .first }
        return isDue || (demand.level == .critical && trim.isDueAtCriticalEnd) ? .later : .never
    }

    func plan(_ facts: [ClientFacts], at now: MonotonicInstant) -> [PlannedRelease] {
        demand.holdsCaches
            ? ReclaimOrder.plan(facts, targetBytes: demand.targetBytes, within: demand.timeLeft(at: now))
            : ReclaimOrder.planForRequest(facts, targetBytes: demand.targetBytes)
    }

    /// Returns the step, ready to be carried out.
    func makeRun(
        number: UInt64, _ plan: [PlannedRelease], _ facts: [ClientFacts], _ rules: ManagerConfiguration.Reclaim,
        trimsFirst: Bool, at now: MonotonicInstant
    ) -> ReclaimRun {
        // Nothing is urgent while a limit is only announced.
        let isUrgent = demand.level == .critical && origin.missingToLimit == nil
        return ReclaimRun(
            number: number, kind: .step, demand: demand, plan: plan, clients: demand.holdsCaches ? facts : [],
            sizes: Dictionary(uniqueKeysWithValues: facts.map { ($0.id, $0.bytes) }),
            callDeadline: isUrgent ? rules.criticalDeadline : rules.warningDeadline,
            portionDeadline: min(rules.criticalDeadline, rules.warningDeadline), trimsFirst: trimsFirst,
            within: demand.timeLeft(at: now))
    }

    /// Returns the parts of a step of a dry run: caches promise what they would have been asked for.
    func dryParts(_ facts: [ClientFacts]) -> [ReclaimStep.Part] {
        let names = Dictionary(uniqueKeysWithValues: clients.map { ($0.id, $0.name) })
        return ReclaimOrder.plan(facts, targetBytes: demand.targetBytes).filter { $0.askBytes > 0 }.map { part in
            ReclaimStep.Part(
                name: names[part.id] ?? "unknown", askedBytes: part.askBytes, promisedBytes: part.askBytes,
                freedBytes: nil, returnedBytes: 0, handlerTime: .zero, failed: false, missedDeadline: false)
        }
    }
}

extension ReclaimRun {
    /// A run that changes limits, and releases nothing.
    init(
        limits plan: [PlannedRelease], number: UInt64, _ rules: ManagerConfiguration.Reclaim, at now: MonotonicInstant
    ) {
        let reason = LevelReason(rule: .headroom, observed: 0, threshold: 0, unit: .none, cause: .sampler)
        let demand = ReclaimDemand(
            level: .normal, reason: reason, targetBytes: 0, missingBytes: 0, step: 0, limitBytes: 0, isUrgent: false,
            decidedAt: now)
        self.init(
            number: number, kind: .regrowth, demand: demand, plan: plan, sizes: [:],
            callDeadline: rules.criticalDeadline, trimsFirst: false)
    }
}
