import Jetsam
import MemoryPressure

/// The last resort comes once in a process's life: in an emergency, when caches have nothing left to give; or before, when room and
/// caches last no longer than it takes to leave.
final class LastResortInvariant: Invariant {
    private struct Look {
        var time: Int64
        var unmanagedBytes: Int
    }

    private var called: Set<ObjectIdentifier> = []
    private var looks: [ObjectIdentifier: [Look]] = [:]
    /// Nanoseconds that are looked back.
    private static let memory: Int64 = 10_000_000_000
    /// Growth counts up to so long ago, in nanoseconds.
    private static let lately: Int64 = 1_000_000_000
    /// The shortest time that growth is measured over, in nanoseconds.
    private static let shortest: Int64 = 900_000_000

    func observe(_ event: WorldEvent, of server: SimulatedServer) {
        switch event {
        case .look: look(server)
        case .lastResort: check(server)
        default: break
        }
    }

    private func look(_ server: SimulatedServer) {
        let cgroup = server.world.cgroup
        let now = server.world.now
        var known = looks[ObjectIdentifier(server), default: []].filter { now - $0.time <= Self.memory }
        known.append(Look(time: now, unmanagedBytes: cgroup.unreclaimableBytes - server.cacheBytes))
        looks[ObjectIdentifier(server)] = known
    }

    private func check(_ server: SimulatedServer) {
        let world = server.world
        if !called.insert(ObjectIdentifier(server)).inserted { world.violate(.lastResort, "it was called again") }
        // One that did not answer in time, or not truly, counts as empty.
        let left = server.caches.reduce(0) { sum, cache in
            !cache.isDistrusted && cache.manner == .honest && cache.slowness == 1 && cache.outstandingBytes == 0
                ? sum + cache.bytes : sum
        }
        guard world.isEmergency else {
            let missing = foreseenBytes(server) - max(0, world.cgroup.headroomBytes) - left
            guard missing < 0 else { return }
            return world.violate(
                .lastResort,
                "it was called with \(world.cgroup.headroomBytes >> 20) MiB of headroom and \(left >> 20) in caches, \(-missing >> 20) to spare"
            )
        }
        if left > world.cgroup.limitBytes / 20 {
            world.violate(.lastResort, "it was called while caches had \(left >> 20) MiB")
        }
    }

    /// Bytes that may be needed until the process has left: what grew fastest, for one and a half times its lead.
    private func foreseenBytes(_ server: SimulatedServer) -> Int {
        look(server)
        let cgroup = server.world.cgroup
        let known = looks[ObjectIdentifier(server), default: []]
        var growth = 0.0
        // What others gave a moment ago does not end it.
        for end in known where server.world.now - end.time <= Self.lately {
            for look in known where end.time - look.time >= Self.shortest {
                growth = max(growth, Double(end.unmanagedBytes - look.unmanagedBytes) / Double(end.time - look.time))
            }
        }
        let time = server.manager.timeToLeave / .nanoseconds(1)
        let lead = time * 1.25 + max(1e9, time / 10)
        return Int(growth * lead * 1.5) + HeadroomThresholds(limitBytes: cgroup.limitBytes).criticalEntry
    }
}
