import Jetsam
import MemoryPressure

/// Every cache that wants more grows again once there is room: by a mebibyte in a minute in which five points of the limit more
/// are free than where a warning ends and than other memory may rise by again, and files that are needed have theirs; after the
/// caches of higher bands.
///
/// Limits rise at `normal` only. While memory beside the caches grows so fast that the limit is less than twenty seconds away, the level
/// is a warning by design, however much room there is: such a minute shows nothing, nor do the seconds in which that level falls.
final class RegrowthInvariant: Invariant {
    private struct Wait {
        var since: Int64
        var grownBytes: Int
    }

    private var waits: [ObjectIdentifier: Wait] = [:]
    /// How memory beside its caches comes and goes, for each server.
    private var rises: [ObjectIdentifier: LargestUnmanagedRise] = [:]
    /// The latest looks at memory beside its caches, and when it last grew that fast, for each server.
    private var looks: [ObjectIdentifier: [Int]] = [:]
    private var grewAt: [ObjectIdentifier: Int64] = [:]
    private static let looksInSecond = 4
    /// A warning ends when the limit is further away than this, in seconds.
    private static let reach = 20
    /// A growing second stays in the longest window of growth for so long, and then the level falls, in nanoseconds.
    private static let fall: Int64 = 10_000_000_000
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
        // Beside all caches, too: a server that looks at the peak sees it before the others have given for it.
        let rise = max(world.rise.largest, rises[ObjectIdentifier(server)]?.largest ?? 0)
        let hasRoom =
            server.life == .running && !world.cgroup.isThrashing && !isGrowing(server)
            && !world.isHeld(within: Self.fall) && server.hasSoftRoom(ofPart: 20, and: rise)
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

    /// Returns whether memory beside its caches grows so fast that the level is a warning for it, or did a moment ago.
    private func isGrowing(_ server: SimulatedServer) -> Bool {
        let key = ObjectIdentifier(server)
        let cgroup = server.world.cgroup
        let unmanaged = cgroup.unreclaimableBytes - server.cacheBytes
        let recent = looks[key, default: []].suffix(Self.looksInSecond)
        looks[key] = recent + [unmanaged]
        let grown = unmanaged - (recent.first ?? unmanaged)
        if grown * Self.reach >= cgroup.headroomBytes { grewAt[key] = server.world.now }
        return grewAt[key].map { server.world.now - $0 < Self.fall } ?? false
    }
}
