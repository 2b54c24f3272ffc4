import Jetsam
import MemoryPressure

/// The last resort comes once in a process's life, in an emergency, when caches have nothing left to give.
final class LastResortInvariant: Invariant {
    private var called: Set<ObjectIdentifier> = []

    func observe(_ event: WorldEvent, of server: SimulatedServer) {
        guard case .lastResort = event else { return }
        let world = server.world
        if !called.insert(ObjectIdentifier(server)).inserted { world.violate(.lastResort, "it was called again") }
        if !world.isEmergency {
            world.violate(.lastResort, "it was called with \(world.cgroup.headroomBytes >> 20) MiB of headroom")
        }
        // One that did not answer in time, or not truly, counts as empty.
        let left = server.caches.reduce(0) { sum, cache in
            cache.manner == .honest && cache.slowness == 1 && cache.outstandingBytes == 0 ? sum + cache.bytes : sum
        }
        if left > world.cgroup.limitBytes / 20 {
            world.violate(.lastResort, "it was called while caches had \(left >> 20) MiB")
        }
    }
}
