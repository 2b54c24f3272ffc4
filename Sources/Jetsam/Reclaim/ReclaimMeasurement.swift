internal import MemoryPressure

/// What a finished run brought, from the readings before and after it.
struct ReclaimMeasurement {
    let run: ReclaimRun
    let before: MemoryReading
    let after: MemoryReading
    let managedBefore: Int
    let managedAfter: Int
    /// Growth of unmanaged memory before the step, bytes a second.
    let growthRate: Int
    let end: MonotonicInstant
    /// What the allocator still retains.
    let retainedBytes: Int

    /// What each client that was asked answered in all, in the order of the first answers.
    var releases: [(client: UInt64, answer: LedgerEntry.Answer)] {
        var places: [UInt64: Int] = [:]
        var sums: [(client: UInt64, answer: LedgerEntry.Answer)] = []
        for outcome in run.outcomes where outcome.isRelease {
            if let place = places[outcome.client] {
                sums[place].answer.add(outcome.answer)
            } else {
                places[outcome.client] = sums.count
                sums.append((outcome.client, outcome.answer))
            }
        }
        return sums
    }

    var returnedBytes: Int { max(0, before.footprintBytes - after.footprintBytes) }

    /// How much others grew: other processes under the limit, caches since they were counted, and unmanaged memory at
    /// the rate that it had before.
    var othersGrowth: Int {
        let outside =
            (after.unreclaimableBytes - after.footprintBytes) - (before.unreclaimableBytes - before.footprintBytes)
        let caches = managedAfter - (managedBefore - run.promisedBytes)
        let seconds = Double(before.instant.duration(to: after.instant).nanoseconds) * 1e-9
        let unmanaged = Int(saturating: Double(growthRate) * max(0, seconds))
        return max(0, outside).addingSaturating(max(0, caches)).addingSaturating(max(0, unmanaged))
    }

    var isDisturbed: Bool { othersGrowth > run.promisedBytes / 10 }

    /// - Parameter unmapping: Whose answers went to the kernel at once: what came back was theirs first, and what the others
    ///   freed may still be with the allocator.
    func step(sequence: UInt64, names: [UInt64: String], unmapping: Set<UInt64> = []) -> ReclaimStep {
        let demand = run.demand
        let returned = returnedBytes
        let releases = releases
        func promised(_ isUnmapping: Bool) -> Int {
            releases.reduce(0) {
                $0.addingSaturating(unmapping.contains($1.client) == isUnmapping ? $1.answer.promisedBytes : 0)
            }
        }
        let direct = (promised: promised(true), returned: min(returned, promised(true)))
        let rest = (promised: promised(false), returned: returned - direct.returned)
        let parts = releases.map { outcome in
            let answer = outcome.answer
            let own = unmapping.contains(outcome.client) ? direct : rest
            let share = own.promised > 0 ? Double(answer.promisedBytes) / Double(own.promised) : 0
            return ReclaimStep.Part(
                name: names[outcome.client] ?? "unknown", askedBytes: answer.askedBytes,
                promisedBytes: answer.promisedBytes, freedBytes: answer.freedBytes,
                returnedBytes: Int(saturating: Double(own.returned) * share), handlerTime: answer.duration,
                failed: answer.failed,
                missedDeadline: answer.missedDeadline)
        }
        let freed = parts.compactMap(\.freedBytes)
        return ReclaimStep(
            sequence: sequence, step: demand.step, level: demand.level, reason: demand.reason,
            missingBytes: demand.missingBytes, targetBytes: demand.targetBytes, growthRate: demand.growthRate,
            leadTime: .nanoseconds(Int64(demand.leadNanoseconds)), promisedBytes: run.promisedBytes,
            freedBytes: freed.isEmpty ? nil : freed.reduce(0) { $0.addingSaturating($1) }, returnedBytes: returned,
            isDisturbed: isDisturbed,
            didTrim: run.didTrim, trimmedBytes: run.trimmedBytes, retainedBytes: retainedBytes,
            headroomBytes: (before.headroomBytes, after.headroomBytes),
            timeToFirstRelease: run.firstRelease.map { demand.decidedAt.duration(to: $0) },
            duration: demand.decidedAt.duration(to: end), parts: parts)
    }
}
