import Jetsam
import MemoryPressure

/// The level is back at `normal` twenty seconds after the load is gone.
final class NormalInvariant: Invariant {
    private static let patience: Int64 = 20_000_000_000
    private var easySince: [ObjectIdentifier: Int64] = [:]
    private var told: Set<ObjectIdentifier> = []

    func observe(_ event: WorldEvent, of server: SimulatedServer) {
        guard case .look = event else { return }
        let world = server.world
        let key = ObjectIdentifier(server)
        let exit = HeadroomThresholds(limitBytes: world.cgroup.limitBytes).warningExit
        let isEasy =
            world.isCalm(for: 0) && world.disturbedAt < world.now && !world.cgroup.isThrashing
            && world.cgroup.headroomBytes >= exit + world.cgroup.limitBytes / 50
        guard isEasy else { return easySince[key] = nil }
        let since = easySince[key] ?? world.now
        easySince[key] = since
        guard server.manager.level > .normal else { return _ = told.remove(key) }
        guard world.now - since >= Self.patience, told.insert(key).inserted else { return }
        world.violate(
            .normal, "still \(server.manager.level) with \(world.cgroup.headroomBytes >> 20) MiB of headroom")
    }
}
