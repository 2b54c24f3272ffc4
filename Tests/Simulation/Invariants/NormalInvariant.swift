import Jetsam
import MemoryPressure

/// The level is back at `normal` twenty seconds after the load is gone, and memory beside the server's caches does not grow so fast that
/// the limit would be reached in ten more: others that fill their caches again are a load, too.
final class NormalInvariant: Invariant {
    private static let patience: Int64 = 20_000_000_000
    private var easySince: [ObjectIdentifier: Int64] = [:]
    private var told: Set<ObjectIdentifier> = []
    /// Memory beside each server's caches, a second of looks.
    private var looks: [ObjectIdentifier: [Int]] = [:]
    private static let looksInSecond = 4
    private static let reach = 10

    func observe(_ event: WorldEvent, of server: SimulatedServer) {
        guard case .look = event else { return }
        let world = server.world
        let key = ObjectIdentifier(server)
        let exit = HeadroomThresholds(limitBytes: world.cgroup.limitBytes).warningExit
        let isGrowing = isGrowing(server)
        let isEasy =
            !isGrowing && world.isCalm(for: 0) && !world.isHeld() && server.hasSoftRoom(ofPart: 50)
            && world.disturbedAt < world.now && !world.cgroup.isThrashing
            && world.cgroup.headroomBytes >= exit + world.cgroup.limitBytes / 50
        guard isEasy else { return easySince[key] = nil }
        let since = easySince[key] ?? world.now
        easySince[key] = since
        guard server.manager.level > .normal else { return _ = told.remove(key) }
        guard world.now - since >= Self.patience, told.insert(key).inserted else { return }
        world.violate(
            .normal, "still \(server.manager.level) with \(world.cgroup.headroomBytes >> 20) MiB of headroom")
    }

    /// Looks at what the last second's growth comes to in ten.
    private func isGrowing(_ server: SimulatedServer) -> Bool {
        let cgroup = server.world.cgroup
        let unmanaged = cgroup.unreclaimableBytes - server.cacheBytes
        let recent = looks[ObjectIdentifier(server), default: []].suffix(Self.looksInSecond)
        looks[ObjectIdentifier(server)] = recent + [unmanaged]
        return (unmanaged - (recent.first ?? unmanaged)) * Self.reach >= cgroup.headroomBytes
    }
}
