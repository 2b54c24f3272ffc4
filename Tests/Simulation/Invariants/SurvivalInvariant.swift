import Jetsam
import MemoryPressure

/// Never over the limit when enough was purgeable in time.
///
/// A kill violates it where the caches, asked for everything when memory became short, would have given more than was missing at
/// the end, and still had it.
final class SurvivalInvariant: Invariant {
    func observe(_ event: WorldEvent, of server: SimulatedServer) {
        guard case .killed = event, !server.plan.configuration.isDryRun else { return }
        let world = server.world
        let missing = -world.cgroup.headroomBytes
        let purgeable = world.purgeableInTime
        guard missing > 0, purgeable >= missing else { return }
        let short = Double(world.now - (world.shortSince ?? world.now)) * 1e-9
        world.violate(
            .survival, "killed \(missing >> 20) MiB over, with \(purgeable >> 20) MiB purgeable, short for \(short) s")
    }
}
