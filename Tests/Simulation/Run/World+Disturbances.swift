import Jetsam
import MemoryPressure

extension World {
    func schedule(_ index: Int) {
        conductor.at(disturbances[index].begin) { [self] in begin(index) }
        conductor.at(disturbances[index].end) { [self] in end(index) }
    }

    func schedule(_ held: HeldLevel) {
        conductor.at(held.begin) { [self] in
            heldUntil = held.end
            onEvent?("held: \(held.level) for \(held.duration / 1_000_000_000) s")
            for server in servers where server.life == .running {
                server.manager.simulate(held.level, for: .nanoseconds(held.duration))
            }
        }
    }

    /// Whether somebody holds a level, or did so many nanoseconds ago.
    func isHeld(within nanoseconds: Int64 = 0) -> Bool {
        heldUntil > .min && conductor.now <= heldUntil + nanoseconds
    }

    /// Nothing is under way, and has not been for so many nanoseconds.
    func isCalm(for nanoseconds: Int64) -> Bool { conductor.now - disturbedAt >= nanoseconds }

    func begin(_ index: Int) {
        let disturbance = disturbances[index]
        active.append(index)
        lastKind = disturbance.kind
        digest.add(index)
        onEvent?("begins: \(disturbance.kind), \(disturbance.bytes >> 20) MiB")
        switch disturbance.kind {
        case .limitCut:
            // A cut below what is there is a kill at once, which nobody can do anything about.
            let least = cgroup.unreclaimableBytes + plan.limitBytes / 50
            cgroup.limitBytes = min(plan.limitBytes, max(least, plan.limitBytes - disturbance.bytes))
        case .servers:
            let count = [1, 3, 7][Int(disturbance.cacheMask % 3)]
            neighbours[index] = NeighbourServers(count: count, bytes: disturbance.bytes / count, in: self)
        case .thrash: cgroup.hotFileBytes = max(disturbance.bytes, plan.limitBytes / 4)
        default: change(disturbance, isBeginning: true)
        }
    }

    func end(_ index: Int) {
        let disturbance = disturbances[index]
        applyDisturbances(at: conductor.now)
        active.removeAll { $0 == index }
        recount()
        digest.add(index)
        onEvent?("ends: \(disturbance.kind)")
        switch disturbance.kind {
        case .limitCut: cgroup.limitBytes = plan.limitBytes
        case .servers: neighbours.removeValue(forKey: index)?.end()
        case .thrash: cgroup.hotFileBytes = 0
        default: change(disturbance, isBeginning: false)
        }
    }

    /// Changes how caches behave. A server that came in the place of another has honest ones.
    func change(_ disturbance: Disturbance, isBeginning: Bool) {
        guard disturbance.server < servers.count else { return }
        for (index, cache) in servers[disturbance.server].caches.enumerated() {
            guard disturbance.cacheMask >> UInt64(index) & 1 == 1 else { continue }
            switch disturbance.kind {
            case .cacheGrowth: cache.appetite = isBeginning ? 2 : 1
            case .slowCaches: cache.slowness = isBeginning ? 10 : 1
            case .lyingHandlers: cache.manner = isBeginning ? .lying : .honest
            case .throwingHandlers: cache.manner = isBeginning ? .throwing : .honest
            case .hangingHandlers: cache.manner = isBeginning ? .hanging(until: disturbance.end) : .honest
            default: break
            }
        }
    }
}
