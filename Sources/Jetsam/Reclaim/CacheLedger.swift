internal import MemoryPressure

/// What is known of each cache by what it did so far: part of the state behind the lock that guards the run.
struct CacheLedger {
    private let registry: CacheRegistry
    private(set) var entries: [UInt64: LedgerEntry] = [:]
    /// The bytes that caches had before memory became short.
    private var largest: [UInt64: LargestSize] = [:]
    /// The caches that have never reported anything, and of which that was told.
    private var silent: Set<UInt64> = []

    init(_ registry: CacheRegistry) {
        self.registry = registry
    }

    /// Forgets the caches that are gone.
    mutating func forget(allBut present: CachesAtHand) {
        if entries.count > present.count { entries = entries.filter { present[$0.key] != nil } }
        if largest.count > present.count { largest = largest.filter { present[$0.key] != nil } }
        if silent.count > present.count { silent = silent.filter { present[$0] != nil } }
    }

    // MARK: Before a run

    func facts(
        _ clients: [CacheClient], _ level: PressureLevel, _ reading: MemoryReading, at now: MonotonicInstant
    ) -> [ClientFacts] {
        clients.map { client in
            let entry = entries[client.id]
            let isHeldOff = entry?.isHeldOff(
                at: now, level: level, headroomBytes: reading.headroomBytes, limitBytes: reading.limitBytes)
            var speed = entry?.speed ?? ReleaseSpeed()
            if speed.bytesPerSecond == nil {
                speed = ReleaseSpeed(bytesPerSecond: ReleaseProgress.assumedRate(client.traits))
            }
            return ClientFacts(
                id: client.id, priority: client.priority, traits: client.traits, rebuildCost: client.rebuildCost,
                bytes: client.reportedBytes, limitBytes: client.limitBytes, givesNothing: entry?.givesNothing ?? false,
                isHeldOff: isHeldOff ?? false, isBusy: client.isBusy,
                speed: speed, expectedShare: entry?.expectedShare ?? 1)
        }
    }

    /// Notes what caches have, and at `warning` leaves each a part of what it had.
    mutating func keepSome(_ facts: inout [ClientFacts], _ level: PressureLevel, at now: MonotonicInstant) {
        for index in facts.indices {
            largest[facts[index].id, default: LargestSize()].note(facts[index].bytes, at: now)
            guard level == .warning else { continue }
            facts[index].keptBytes = largest[facts[index].id]?.keptBytes ?? 0
        }
    }

    /// A step begins: what steps brought long ago, or in an earlier shortage, says no more than that.
    mutating func forgive(_ clients: [CacheClient], isNewShortage: Bool, at now: MonotonicInstant) {
        for client in clients {
            guard entries[client.id] != nil else { continue }
            entries[client.id]?.forgive(isNewShortage: isNewShortage, at: now)
            expect(client)
        }
    }

    /// The names of those that have never reported anything, where nobody was told: they are asked for nothing. Ours report themselves.
    mutating func namesOfSilent(_ clients: [CacheClient]) -> [String] {
        clients.filter { client in
            !client.hasReported && client.size == nil && !client.hasLastResort && silent.insert(client.id).inserted
        }.map(\.name)
    }

    /// Returns the first cache that is due for a probe, and notes that it has it.
    mutating func takeProbed(_ clients: [CacheClient], at now: MonotonicInstant) -> CacheClient? {
        let client = clients.first { entries[$0.id]?.isProbeDue(at: now) ?? true }
        if let client { entries[client.id, default: LedgerEntry()].noteProbe(at: now) }
        return client
    }

    // MARK: After it

    /// A call that its run had given up has come back: the cache can be asked again, whatever it brings.
    mutating func cameBack(_ client: CacheClient) {
        entries[client.id]?.cameBack()
        expect(client)
    }

    /// Writes down what came of a call when its step had been written down without it.
    ///
    /// - Returns: The bytes that are news: what never comes back is none.
    mutating func addLate(_ answer: LedgerEntry.Answer, of client: CacheClient) -> Int {
        entries[client.id, default: LedgerEntry()].addLate(answer)
        expect(client)
        return entries[client.id]?.isHollow == true ? 0 : answer.promisedBytes
    }

    /// Writes down what each cache gave in a step.
    ///
    /// - Parameters:
    ///   - caches: The caches that are at hand.
    ///   - unmapping: Those whose bytes go to the kernel at once.
    ///   - canTrim: False where no trim can bring back what the allocator has.
    /// - Returns: The bytes that the step is credited with: those promised, but for those known never to come back.
    mutating func write(
        _ result: ReclaimMeasurement, _ step: inout ReclaimStep, _ caches: CachesAtHand, unmapping: Set<UInt64>,
        canTrim: Bool
    ) -> Int {
        var brought = 0
        // A probe is small: it shows nothing if others move meanwhile, or if every value is larger than it may take.
        if step.isProbe, step.isDisturbed || result.releases.allSatisfy({ $0.answer.promisedBytes == 0 }) { return 0 }
        let isAmbiguous = result.isAmbiguous(unmapping: unmapping)
        let hidden = result.hiddenShares
        for (index, release) in result.releases.enumerated() {
            var answer = release.answer
            answer.returnedBytes = step.parts[index].returnedBytes
            // Where nothing can be trimmed, what has not come back now never will.
            answer.showsReturn = result.run.didTrimLast || unmapping.contains(release.client) || !canTrim
            answer.hiddenBytes = hidden[index]
            answer.mostReturnedBytes = result.mostReturned(of: release.client, unmapping: unmapping)
            answer.provenBytes = result.proven(release.client, answer)
            answer.isAmbiguous = isAmbiguous
            step.parts[index].broughtNothing = answer.broughtNothing
            var entry = entries[release.client] ?? LedgerEntry()
            entry.add(
                answer, isDisturbed: step.isDisturbed, level: result.run.demand.level,
                headroomBytes: result.after.headroomBytes, measuredOver: result.measuredOver, at: result.end)
            // Nothing is given in no time.
            if !answer.broughtNothing, let speed = result.run.speed(of: release.client) { entry.note(speed) }
            let client = caches[release.client]
            if client?.isBusy != true { entry.cameBack() }
            step.parts[index].isHollow = entry.isHollow
            entries[release.client] = entry
            if let client { expect(client) }
            brought = brought.addingSaturating(
                Int(saturating: Double(answer.promisedBytes) * entry.returningShare))
        }
        return brought
    }

    /// The growth of unmanaged memory, in bytes a second, from which a cache was judged wrongly by the newest step; `.max` where
    /// none was.
    var hidingGrowth: Int { entries.values.reduce(.max) { min($0, $1.hidingGrowth ?? .max) } }

    /// Takes back what the step that ends now seems to show where memory had jumped before it, and may have gone on to grow in it.
    mutating func reconsider(_ caches: CachesAtHand, jumpBytes: Int, at now: MonotonicInstant) {
        for id in Array(entries.keys) where entries[id]?.reconsider(jumpBytes: jumpBytes, at: now) == true {
            if let client = caches[id] { expect(client) }
        }
    }

    /// Takes back what steps seemed to show in which memory turns out to have grown.
    ///
    /// - Returns: Whether anything was taken back.
    mutating func reconsider(_ caches: CachesAtHand, growthRate: Int, at now: MonotonicInstant) -> Bool {
        var changed = false
        for id in Array(entries.keys) where entries[id]?.reconsider(growthRate: growthRate, at: now) == true {
            changed = true
            if let client = caches[id] { expect(client) }
        }
        return changed
    }

    /// Sets the share that can be had of a cache, by what the ledger has of it now.
    private func expect(_ client: CacheClient) {
        guard let entry = entries[client.id] else { return }
        registry.expect(share: entry.obtainableShare, of: client)
    }
}
