import Jetsam
import MemoryPressure

/// What an episode releases is at most 1.25 × what it needed, five points of the limit and 16 MiB.
final class NeedInvariant: Invariant {
    func observe(_ event: WorldEvent, of server: SimulatedServer) {}

    func episodeEnded(_ figures: ReleaseAccount.Figures, of server: SimulatedServer) {
        let limit = server.world.cgroup.limitBytes
        let most = figures.neededBytes * 5 / 4 + limit / 20 + (16 << 20)
        guard figures.releasedBytes > most else { return }
        server.world.violate(
            .need,
            "released \(figures.releasedBytes >> 20) MiB where \(figures.neededBytes >> 20) were needed, of \(limit >> 20)"
        )
    }
}
