internal import MemoryPressure

/// The result of a finished run, from the readings before and after it.
struct ReclaimMeasurement {
    let run: ReclaimRun
    let before: MemoryReading
    let after: MemoryReading
    let managedBefore: Int
    let managedAfter: Int
    /// Growth of unmanaged memory by the last readings, bytes a second.
    let growthRate: Int
    let end: MonotonicInstant
    /// The bytes that the allocator still retains.
    let retainedBytes: Int
    /// The bytes by which each client reports less than when it was asked.
    var falls: [UInt64: Int] = [:]

    /// The answers of each client that was asked, added up, in the order of the plan.
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
        var order: [UInt64: Int] = [:]
        for (place, part) in run.plan.enumerated() { order[part.id] = place }
        return sums.enumerated().sorted { first, second in
            let ranks = (order[first.element.client] ?? .max, order[second.element.client] ?? .max)
            return ranks.0 == ranks.1 ? first.offset < second.offset : ranks.0 < ranks.1
        }.map(\.element)
    }

    var returnedBytes: Int { max(0, before.footprintBytes - after.footprintBytes) }

    /// The time between the two readings.
    var measuredOver: Duration { max(.zero, before.instant.duration(to: after.instant)) }

    /// The bytes by which this process's unmanaged memory grew in the step at the rate that it had before or has at its end, and at least
    /// what it grew by in all. So much of what came back does not show. In a long step growth may have ended.
    var hiddenBytes: Int {
        let seconds = Double(measuredOver.nanoseconds) * 1e-9
        let rate = max(run.demand.growthRate, growthRate)
        return max(0, Int(saturating: Double(rate) * seconds), after.footprintBytes - before.footprintBytes)
    }

    /// The share of that which each release bears, in the order of the releases. As with what came back, clients whose giving
    /// other signs show come first. Otherwise one that promises much and gives nothing would hide what the others gave.
    var hiddenShares: [Int] {
        Self.shares(of: hiddenBytes, releases.map { ($0.answer.promisedBytes, proven($0.client, $0.answer)) })
    }

    /// The bytes that a client gave by other signs than its word: what its thread freed, or by how much less it reports.
    func proven(_ client: UInt64, _ answer: LedgerEntry.Answer) -> Int {
        max(0, min(answer.promisedBytes, max(answer.freedBytes ?? 0, falls[client] ?? 0)))
    }

    /// The most that one client can have given of what came back. All of it, unless what the others gave by other signs than their
    /// word fits in: nobody is blamed for what may have been another's fault.
    func mostReturned(of client: UInt64, unmapping: Set<UInt64>) -> Int {
        let releases = releases
        let isDirect = unmapping.contains(client)
        let direct = releases.reduce(0) {
            $0.addingSaturating(unmapping.contains($1.client) ? $1.answer.promisedBytes : 0)
        }
        let returned = isDirect ? min(returnedBytes, direct) : returnedBytes - min(returnedBytes, direct)
        let group = releases.filter { unmapping.contains($0.client) == isDirect }
        let all = group.reduce(0) { $0.addingSaturating(proven($1.client, $1.answer)) }
        guard all <= returned.addingSaturating(returned / 10) else { return returned }
        let others = group.reduce(0) { $0.addingSaturating($1.client == client ? 0 : proven($1.client, $1.answer)) }
        // What growth hides may have been this one's.
        return max(0, returned.addingSaturating(hiddenBytes).subtractingSaturating(others))
    }

    /// Returns whether it cannot be told what part of what came back was whose.
    func isAmbiguous(unmapping: Set<UInt64>) -> Bool {
        let shared = releases.filter { !unmapping.contains($0.client) && $0.answer.promisedBytes > 0 }
        return shared.count > 1 && returnedBytes < run.promisedBytes / 10 * 9
    }

    /// The bytes by which others grew: other processes under the limit, caches since they were counted, and unmanaged memory at
    /// the rate that it had before.
    var othersGrowth: Int {
        let outside =
            (after.unreclaimableBytes - after.footprintBytes) - (before.unreclaimableBytes - before.footprintBytes)
        let caches = managedAfter - (managedBefore - run.promisedBytes)
        return max(0, outside).addingSaturating(max(0, caches)).addingSaturating(hiddenBytes)
    }

    var isDisturbed: Bool { othersGrowth > run.promisedBytes / 10 }

    /// - Parameter unmapping: The caches whose answers went to the kernel at once. The bytes that came back count as theirs
    ///   first, because the allocator may still have those that the others freed.
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
        let shares = Self.shares(
            of: returned - direct.returned,
            releases.map {
                unmapping.contains($0.client) ? nil : ($0.answer.promisedBytes, proven($0.client, $0.answer))
            })
        let parts = zip(releases, shares).map { outcome, share in
            let answer = outcome.answer
            let own = direct.promised > 0 ? Double(answer.promisedBytes) / Double(direct.promised) : 0
            let isDirect = unmapping.contains(outcome.client)
            return ReclaimStep.Part(
                name: names[outcome.client] ?? "unknown", askedBytes: answer.askedBytes,
                promisedBytes: answer.promisedBytes, freedBytes: answer.freedBytes,
                returnedBytes: isDirect ? Int(saturating: Double(direct.returned) * own) : share,
                handlerTime: answer.duration, failed: answer.failed, missedDeadline: answer.missedDeadline)
        }
        let freed = parts.compactMap(\.freedBytes)
        return ReclaimStep(
            sequence: sequence, step: demand.step, level: demand.level, reason: demand.reason,
            missingBytes: demand.missingBytes, targetBytes: demand.targetBytes, growthRate: demand.growthRate,
            leadTime: .nanoseconds(Int64(demand.leadNanoseconds)), promisedBytes: run.promisedBytes,
            freedBytes: freed.isEmpty ? nil : freed.reduce(0) { $0.addingSaturating($1) }, returnedBytes: returned,
            isDisturbed: isDisturbed,
            didTrim: run.didTrim, trimmedBytes: run.trimmedBytes, retainedBytes: retainedBytes,
            headroomBefore: before.headroomBytes, headroomAfter: after.headroomBytes,
            timeToFirstRelease: run.firstRelease.map { demand.decidedAt.duration(to: $0) },
            duration: demand.decidedAt.duration(to: end), parts: parts)
    }

    /// Divides what came back. First come those who gave by other signs than their word, and then those of whom nobody can tell: who
    /// gives nothing and promises much does not live on what the others gave.
    ///
    /// - Parameter parts: The bytes that each promised, and those of them that are proven; nil for one that has no part in it.
    static func shares(of bytes: Int, _ parts: [(promised: Int, proven: Int)?]) -> [Int] {
        let first = divide(bytes, parts.map { $0?.proven ?? 0 })
        let second = divide(bytes - first.reduce(0, +), parts.map { part in part.map { $0.promised - $0.proven } ?? 0 })
        return zip(first, second).map { $0.addingSaturating($1) }
    }

    /// In proportion to `wants`, and no more to anybody.
    private static func divide(_ bytes: Int, _ wants: [Int]) -> [Int] {
        let total = wants.reduce(0) { $0.addingSaturating($1) }
        guard total > 0, bytes > 0 else { return wants.map { _ in 0 } }
        let share = min(1, Double(bytes) / Double(total))
        return wants.map { Int(saturating: Double($0) * share) }
    }
}
