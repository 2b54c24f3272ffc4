internal import MemoryPressure

extension Governor: ReclaimHost {
    func measure() -> MemoryReading {
        state.withLock { state in
            state.looks.full = clock.now
            return state.reader.read(.full, at: clock.now, includingStall: false)
        }
    }

    var growthRate: Int { state.withLock { $0.decider.steepestGrowth } }

    func noteStepEnd(_ step: Int, promisedBytes: Int) {
        let now = clock.now
        handle(.stepEnded(step, promisedBytes: promisedBytes, at: now), at: now)
    }

    func releaseBegan() {
        state.withLock { $0.releases.begin() }
    }

    func releaseEnded(bytes: Int) {
        state.withLock { $0.releases.end(releasedBytes: bytes) }
    }

    func noteLateAnswer(promisedBytes: Int) {
        let now = clock.now
        state.withLock { state in
            handle(.answeredLate(promisedBytes: promisedBytes), &state, at: now)
            state.releases.add(releasedBytes: promisedBytes)
        }
    }

    func noteDryStep(_ step: Int, promisedBytes: Int) {
        let now = clock.now
        state.withLock { state in
            state.credit.add(promisedBytes)
            handle(.stepEnded(step, promisedBytes: promisedBytes, at: now), &state, at: now)
        }
    }

    func noteLeadTime(_ leadTime: LeadTime) {
        handle(.leadTimeMeasured(leadTime), at: clock.now)
    }

    func judgeAfterStep() {
        judge(.reclaim)
    }

    func confirmEmergency(orLeaving isEarly: Bool) -> MemoryReading? {
        let expectedBytes = registry.reportedBytes.subtractingSaturating(registry.hollowBytes)
        return state.withLock { state in
            state.looks.full = clock.now
            let reading = state.reader.read(.full, at: clock.now, includingStall: false)
            if isEarly, state.decider.lacksRoomToLeave(reading, expectedBytes: expectedBytes) { return reading }
            let isCritical = reading.roomBytes < state.decider.thresholds(reading).criticalEntry
            guard isCritical || state.decider.isOutOfMemory else { return nil }
            return Shortage(reading, sharers: reading.sharers).isOurs ? reading : nil
        }
    }

    func ladderEnded(_ action: LadderMachine.Action, _ outcome: LadderMachine.Outcome) {
        let now = clock.now
        handle(.ladderEnded(action, outcome, at: now), at: now)
    }

    func noteLimitsLifted() {
        handle(.limitsLifted, at: clock.now)
    }

    func publish(_ step: ReclaimStep, problems: [HandlerProblem]) {
        bell.publish(step, problems: problems)
    }

    func publish(silentCaches names: [String]) {
        bell.publish(silentCaches: names)
    }
}

extension Governor {
    /// Holds a vote of the `external` rule and judges at once.
    func hold(_ level: PressureLevel, for duration: Duration?) {
        let now = clock.now
        handle(.held(level, until: duration.map { now.advanced(by: $0) }), at: now)
        judge(.request)
    }

    /// The changes that nobody has told yet, and how many were lost because there were too many.
    func collectChanges() -> [LevelChange] {
        state.withLock { $0.changes.collect() }
    }

    /// Returns what the times have to tell since the last call.
    func collectTimeNews() -> TimeNews {
        state.withLock { state in
            defer { state.timeNews = TimeNews() }
            return state.timeNews
        }
    }

    /// The results of looking for the process's cgroup again.
    enum Rediscovery {
        /// There was no reason to.
        case none
        case moved
        /// There are no descriptors for all of its files; said the first time, and after that `stillStarved`.
        case starved
        case stillStarved
        /// There are descriptors again.
        case recovered
    }

    /// Finds the process's cgroup anew after it was moved. It opens files, and is not for the sampler, which goes on meanwhile.
    func rediscoverIfMoved() -> Rediscovery {
        let hasMoved = state.withLock { state in
            defer { state.hasMoved = false }
            if state.hasMoved { forgetThresholds(&state) }
            return state.hasMoved
        }
        guard hasMoved else { return .none }
        var found: Discovery? = Discovery(in: root)
        if found?.isStarved == true {
            // Only by closing these and the old files first are there descriptors for the new ones.
            found = nil
            state.withLock { $0.reader.rediscover() }
        } else if let found {
            let old = state.withLock { $0.reader.adopt(found) }
            withExtendedLifetime(old) {}
        }
        return state.withLock { state in
            let (wasStarved, isStarved) = (state.isStarved, state.reader.isStarved)
            state.isStarved = isStarved
            if isStarved { return wasStarved ? .stillStarved : .starved }
            return wasStarved ? .recovered : .moved
        }
    }

    /// The reason why a limit may be set that is not known.
    var unknownLimitReason: String? { state.withLock { $0.reader.unknownLimitReason } }

    /// The directory where the kernel could wake us on usage, and the numbers of bytes; nil where nothing is to be armed anew.
    ///
    /// Below `usageBytes`, the first of them, no rule votes. The others are where warning and critical begin: growth at full rate
    /// gets there between two readings.
    var wantedThreshold: (directory: String, usageBytes: Int, beyond: [Int], limitBytes: Int)? {
        let wanted = state.withLock { state -> (directory: String, entries: HeadroomThresholds, limitBytes: Int)? in
            let reading = state.reading
            guard reading.isLimited, !state.threshold.isArmed(limitBytes: reading.limitBytes),
                let directory = state.reader.thresholdDirectory(level: reading.tightestLevel)
            else { return nil }
            return (directory, state.decider.thresholds(reading), reading.limitBytes)
        }
        guard let wanted else { return nil }
        // Below half of the limit no rule votes; from there on readings are paced by what is left.
        let half = wanted.limitBytes / 2
        let beyond = [wanted.entries.warningEntry, wanted.entries.criticalEntry].map { wanted.limitBytes - $0 }
        return (wanted.directory, half, beyond.filter { $0 > half }, wanted.limitBytes)
    }

    func noteArmed(usageBytes: Int, limitBytes: Int) {
        state.withLock { $0.threshold = .armed(usageBytes: usageBytes, limitBytes: limitBytes) }
    }
}

/// The newest level changes that nobody has told yet, in a fixed place: adding one does not allocate.
struct ChangeRing {
    private static let capacity = 16
    private var slots = [LevelChange?](repeating: nil, count: capacity)
    private var count: UInt64 = 0
    private var collected: UInt64 = 0

    mutating func append(_ change: LevelChange) {
        var change = change
        count += 1
        change.ordinal = count
        slots[Int(count % UInt64(Self.capacity))] = change
    }

    mutating func collect() -> [LevelChange] {
        let first = max(collected, count - min(count, UInt64(Self.capacity)))
        collected = count
        return (first..<count).compactMap { slots[Int(($0 + 1) % UInt64(Self.capacity))] }
    }
}
