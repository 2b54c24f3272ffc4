import Jetsam
import MemoryPressure

extension World {
    func move(by nanoseconds: Int64) {
        let now = conductor.now + nanoseconds
        cgroup.move(by: nanoseconds)
        if !active.isEmpty { applyDisturbances(at: now) }
        for server in servers { server.move(by: nanoseconds) }
        recount()
    }

    /// Adds up anew what servers cost.
    func recount() {
        var sum = 0
        for server in servers { sum += server.recount() }
        cgroup.serverBytes = sum
        cgroup.serverCount = servers.count
    }

    func applyDisturbances(at now: Int64) {
        for server in servers { server.extraBytes = 0 }
        var outside = 0
        for index in active {
            if disturbances[index].kind != .calm, now < disturbances[index].end { disturbedAt = now }
            let bytes = disturbances[index].takenBytes(at: now)
            guard bytes > 0 else { continue }
            if disturbances[index].isOutside {
                outside += bytes
            } else if disturbances[index].server < servers.count {
                servers[disturbances[index].server].extraBytes += bytes
            }
        }
        cgroup.growingNeighbourBytes = outside
    }

    /// Memory beside all caches, in bytes.
    var unmanagedBytes: Int { cgroup.unreclaimableBytes - servers.reduce(0) { $0 + $1.cacheBytes } }

    private func remember(_ unmanaged: Int) {
        let now = conductor.now
        if let last = lately.last, now - last.instant < 1_000_000 { return }
        lately.append((now, unmanaged))
        if lately.count > 4096 { lately.removeFirst(2048) }
    }

    /// The least memory beside all caches in a time not long ago, and at the last look before it, in bytes; nil where nobody looked then.
    func leastUnmanagedBytes(from first: Int64, to last: Int64) -> Int? {
        let before = lately.lastIndex { $0.instant <= first } ?? 0
        return lately[before...].filter { $0.instant <= last }.map(\.bytes).min()
    }

    func afterMove() {
        let reserve = ReleaseAccount.reserveBytes(limitBytes: cgroup.limitBytes)
        let unmanaged = unmanagedBytes
        rise.append(unmanaged, at: MonotonicInstant(nanoseconds: conductor.now))
        remember(unmanaged)
        if cgroup.headroomBytes >= reserve {
            shortSince = nil
            easyHeadroomBytes = cgroup.headroomBytes
        } else if shortSince == nil {
            shortSince = conductor.now
            reaction = Self.sleep(after: easyHeadroomBytes, cgroup.limitBytes) + Self.reading
            for server in servers {
                for cache in server.caches { givenUntilShort[ObjectIdentifier(cache)] = cache.givenBytes }
            }
        }
        for server in servers {
            let id = ObjectIdentifier(server)
            let isCritical = server.life == .running && server.manager.level == .critical
            criticalSince[id] = isCritical ? criticalSince[id] ?? conductor.now : nil
        }
        if isEmergencyNow { emergencyAt = conductor.now }
        record.leastHeadroomBytes = min(record.leastHeadroomBytes, cgroup.headroomBytes)
        if cgroup.isOverLimit { endLargest() }
    }

    /// As long as from one full reading to the next, and for a thread to wake, in nanoseconds. The first one shows that memory is
    /// short, and only the next one that it goes on.
    private static let reading: Int64 = 15_000_000
    /// Caches are asked in portions, as what is missing shows itself bit by bit: one of so many parts of the time goes by in latencies.
    private static let portions: Int64 = 6
    /// The deadline of a call at `warning`, in nanoseconds.
    private static let warningDeadline: Int64 = 1_000_000_000
    /// Later than anything, with room for sums.
    private static let never = Int64.max / 4
    /// Growth is looked at over so many nanoseconds: two readings.
    private static let growthSpan: Int64 = 20_000_000
    /// So many handlers are at work at a time.
    private static let threads = 3
    /// Who gave nothing is asked again after so many nanoseconds near the limit.
    private static let retry: Int64 = 250_000_000
    /// Memory is taken to grow no faster, in bytes a second. It is written down here: whoever changes the default must not change
    /// what it is judged by.
    private static let fastest = 3 << 30

    /// How long the sampler may sleep with so much headroom, in nanoseconds: until it would be at the critical entry. What jumps, or
    /// cuts a limit, meanwhile is seen by nobody.
    private static func sleep(after headroomBytes: Int, _ limitBytes: Int) -> Int64 {
        let distance = headroomBytes - HeadroomThresholds(limitBytes: limitBytes).criticalEntry
        return min(1_000_000_000, max(1_000_000, Int64(Double(distance) / Double(fastest) * 1e9)))
    }

    /// What caches still have and could have given until an instant, had they been asked for all of it as soon as memory was seen to be
    /// short, in bytes. A part of the time goes by in calls and between readings. A cache that was at work at that time, for what was
    /// missing before, could be asked once it had come back.
    ///
    /// Synchronous handlers are called one after another, by their order, and at `warning` asynchronous ones of a higher band are not asked
    /// before them. Nobody waits for one longer than a second at `warning`, and than a portion at `critical`. A cache that misbehaves is
    /// asked again after a while; and while one does, or is slow, a step at `warning` brings what was missing when it began, and no more.
    func purgeableBytes(by instant: Int64) -> Int {
        guard let shortSince else { return 0 }
        let asked = shortSince + reaction
        var sum = 0
        for server in servers where !server.plan.configuration.isDryRun {
            let critical = criticalSince[ObjectIdentifier(server)].map { max(asked, $0) }
            let isHeldUp =
                server.manager.level > .normal
                && server.caches.contains { $0.slowness > 1 || $0.misbehavedAt > shortSince - Self.warningDeadline }
            var (turn, turnAtCritical) = (asked, critical ?? Self.never)
            var ends: [Int64] = []
            for cache in server.caches.sorted(by: { $0.ranks(below: $1) }) {
                var begin = min(turn, cache.plan.isAsynchronous ? critical ?? Self.never : turnAtCritical)
                if ends.count >= Self.threads, critical != nil { begin = max(begin, ends.removeFirst()) }
                if isHeldUp { begin = max(begin, critical ?? Self.never) }
                if cache.misbehavedAt > shortSince { begin = max(begin, cache.misbehavedAt + Self.retry) }
                let given = cache.givenBytes + cache.portionBytes - (givenUntilShort[ObjectIdentifier(cache)] ?? 0)
                let left = instant - max(begin, cache.timeBack(from: begin))
                // Portions cost a latency more at least.
                let lost = max(left / Self.portions, cache.plan.latency * Int64(cache.slowness))
                sum += min(cache.bytes, max(0, cache.couldGive(in: left - lost) - given))
                guard !cache.plan.isAsynchronous else { continue }
                let time = cache.timeToGive(cache.bytes + given)
                turn += min(time, Self.warningDeadline)
                if time > SimulatedCache.patience { ends = (ends + [begin + min(time, Self.warningDeadline)]).sorted() }
                if critical != nil { turnAtCritical += min(time, SimulatedCache.patience) }
            }
        }
        return sum
    }

    /// The shortest time that is reckoned from a decision to memory, in nanoseconds.
    static var shortestLead: Int64 { 50_000_000 }

    /// Nanoseconds until memory is at the limit, as it has grown of late.
    var timeToLimit: Int64 {
        let least = leastUnmanagedBytes(from: conductor.now - Self.growthSpan, to: conductor.now) ?? unmanagedBytes
        let grown = Double(max(1, unmanagedBytes - least))
        return Int64(min(1e15, Double(max(0, cgroup.headroomBytes)) / grown * Double(Self.growthSpan)))
    }

    /// Bytes that disturbances take at an instant, in all.
    func takenBytes(at instant: Int64) -> Int {
        active.reduce(0) { sum, index in
            instant < disturbances[index].end ? sum + disturbances[index].takenBytes(at: instant) : sum
        }
    }

    /// The kernel ends the process that costs most.
    func endLargest() {
        cgroup.noteKill()
        killedAt = conductor.now
        let largest = servers.max { $0.footprintBytes < $1.footprintBytes }
        digest.add(cgroup.kills)
        if cgroup.growingNeighbourBytes > largest?.footprintBytes ?? 0 {
            record.neighboursKilled += 1
            for index in disturbances.indices where disturbances[index].isOutside {
                disturbances[index].end = min(disturbances[index].end, conductor.now)
            }
            cgroup.growingNeighbourBytes = 0
        } else if let largest {
            record.killed += 1
            largest.kill()
        }
    }
}
