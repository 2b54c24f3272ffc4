import Jetsam
import MemoryPressure

/// Never over the limit when enough was purgeable in time.
///
/// A kill violates it where the caches, asked for everything when memory became short, would have given what was missing at the end,
/// and still had it; and then what the disturbance went on to take, all the time. To end a little later is no survival. No
/// cache can answer what was taken at once within the shortest lead time before the kill.
final class SurvivalInvariant: Invariant {
    func observe(_ event: WorldEvent, of server: SimulatedServer) {
        guard case .killed = event, !server.plan.configuration.isDryRun else { return }
        let world = server.world
        let missing =
            -world.cgroup.headroomBytes - mostTakenAtOnce(world, server.plan.configuration.sampling.fullReadingInterval)
        let purgeable = world.purgeableBytes(by: world.now)
        guard missing > 0, purgeable >= missing, wouldLast(missing, world) else { return }
        let short = Double(world.now - (world.shortSince ?? world.now)) * 1e-9
        world.violate(
            .survival, "killed \(missing >> 20) MiB over, with \(purgeable >> 20) MiB purgeable, short for \(short) s")
    }

    /// Returns the most that disturbances took between two full readings, within the shortest lead time before now.
    private func mostTakenAtOnce(_ world: World, _ interval: Duration) -> Int {
        stride(from: world.now, to: world.now - World.shortestLead, by: -Int(interval.nanoseconds)).reduce(0) {
            most, instant in
            max(most, world.takenBytes(at: instant) - world.takenBytes(at: instant - interval.nanoseconds))
        }
    }

    /// Looks on for a minute, in which caches go on to give and disturbances to take.
    private func wouldLast(_ missing: Int, _ world: World) -> Bool {
        let taken = world.takenBytes(at: world.now)
        return stride(from: world.now, to: world.now + Self.foresight, by: Self.step).allSatisfy { instant in
            world.purgeableBytes(by: instant) >= missing + world.takenBytes(at: instant) - taken
        }
    }

    /// Nanoseconds that are looked on for, and between two looks.
    private static let foresight: Int64 = 60_000_000_000
    private static let step = 10_000_000
}
