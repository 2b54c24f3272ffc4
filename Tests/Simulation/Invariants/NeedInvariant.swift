import Jetsam
import MemoryPressure

/// What an episode releases is at most 1.25 × what it needed, five points of the limit and 16 MiB.
///
/// What is needed is known only afterwards. While caches give, memory may go on to grow, and nobody can know that it is about to stop:
/// as much as it grew in a step may be released beyond that.
final class NeedInvariant: Invariant {
    /// What there was beside all caches when the first cache of a step was asked, in bytes, and when that was.
    private var atBeginning: [ObjectIdentifier: (bytes: Int, instant: Int64)] = [:]
    /// By how much it grew in one step of the episode at most, in bytes.
    private var grown: [ObjectIdentifier: Int] = [:]

    /// No step takes longer, in nanoseconds.
    private static let longest: Int64 = 2_000_000_000

    func observe(_ event: WorldEvent, of server: SimulatedServer) {
        let id = ObjectIdentifier(server)
        let unmanaged = server.world.unmanagedBytes
        switch event {
        case .asked:
            let isNew = atBeginning[id].map { server.world.now - $0.instant > Self.longest } ?? true
            if isNew { atBeginning[id] = (unmanaged, server.world.now) }
        case .gave:
            if let first = atBeginning[id] { grown[id] = max(grown[id] ?? 0, unmanaged - first.bytes) }
        case .step(let step) where step.stage == .caches: atBeginning[id] = nil
        default: break
        }
    }

    func episodeEnded(_ figures: ReleaseAccount.Figures, of server: SimulatedServer) {
        let limit = server.world.cgroup.limitBytes
        let unforeseen = grown.removeValue(forKey: ObjectIdentifier(server)) ?? 0
        let most = figures.neededBytes * 5 / 4 + limit / 20 + (16 << 20) + unforeseen
        guard figures.releasedBytes > most else { return }
        server.world.violate(
            .need,
            "released \(figures.releasedBytes >> 20) MiB where \(figures.neededBytes >> 20) were needed, of \(limit >> 20)"
        )
    }
}
