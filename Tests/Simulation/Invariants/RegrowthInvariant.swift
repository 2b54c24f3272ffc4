import Jetsam
import MemoryPressure

/// Every cache that wants more grows again once there is room: by a mebibyte in a minute in which five points of the limit more
/// are free than where a warning ends and than other memory may rise by again, and files that are needed have theirs; after the
/// caches of higher bands.
final class RegrowthInvariant: Invariant {
    private struct Wait {
        var since: Int64
        var grownBytes: Int
    }

    private var waits: [ObjectIdentifier: Wait] = [:]
    /// How memory beside its caches comes and goes, for each server.
    private var rises: [ObjectIdentifier: LargestUnmanagedRise] = [:]
    /// How memory beside all caches does: a server that looks at the peak sees it before the others have given for it.
    private var common = LargestUnmanagedRise()
    private static let minute: Int64 = 60_000_000_000
    private static let leastGrowth = 1 << 20

    func observe(_ event: WorldEvent, of server: SimulatedServer) {
        guard case .look = event else { return }
        let world = server.world
        let exit = HeadroomThresholds(limitBytes: world.cgroup.limitBytes).warningExit
        let managed = server.caches.reduce(0) { $0 + $1.bytes }
        let now = MonotonicInstant(nanoseconds: world.now)
        rises[ObjectIdentifier(server), default: LargestUnmanagedRise()].append(
            world.cgroup.unreclaimableBytes - managed, at: now)
        let inAll = world.servers.reduce(0) { $0 + $1.cacheBytes }
        common.append(world.cgroup.unreclaimableBytes - inAll, at: now)
        let rise = max(common.largest, rises[ObjectIdentifier(server)]?.largest ?? 0)
        let hasRoom =
            server.life == .running && !world.cgroup.isThrashing
            && world.cgroup.headroomBytes >= exit + world.cgroup.limitBytes / 20 + rise
        let first = server.caches.filter(\.wantsMore).map(\.plan.priority).max()
        for cache in server.caches {
            let key = ObjectIdentifier(cache)
            guard hasRoom, cache.wantsMore, cache.plan.priority == first else {
                waits[key] = nil
                continue
            }
            let wait = waits[key] ?? Wait(since: world.now, grownBytes: cache.grownBytes)
            waits[key] = wait
            guard world.now - wait.since >= Self.minute else { continue }
            waits[key] = nil
            guard cache.grownBytes - wait.grownBytes < Self.leastGrowth else { continue }
            let limit = cache.limit.map { "\($0 >> 20)" } ?? "none"
            let room = world.cgroup.headroomBytes >> 20
            world.violate(
                .regrowth,
                "\(cache.plan.name) has \(cache.bytes >> 20) of \(cache.wantedBytes >> 20) MiB, limit \(limit), headroom \(room), rise \(rise >> 20)"
            )
        }
    }
}
