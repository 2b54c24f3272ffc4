import Jetsam
import MemoryPressure

/// What an episode releases is at most 1.25 × what it needed, five points of the limit and 16 MiB. Where several limits
/// called, the largest counts.
///
/// What is needed is known only afterwards. While caches give, memory may go on to grow, and nobody can know that it stops: as much may
/// be released beyond that as it grew in a step, or in as long a time before it, and in the shortest lead time at least.
/// What a cache is asked for that has misbehaved is asked of the others as well: what it gives then was not counted on. So is what one
/// gives that was never asked before and turns out to take too long.
///
/// A level that somebody holds is no need. For that a few percent are asked for at a time, and all in all no more than half.
final class NeedInvariant: Invariant {
    /// What there was beside all caches when the first cache of a step was asked, in bytes, and when that was.
    private var atBeginning: [ObjectIdentifier: (bytes: Int, instant: Int64)] = [:]
    /// Processes that leave by their last resort. Caches give before what is needed until then, and it is never seen whether it was.
    private var leaving: Set<ObjectIdentifier> = []
    /// By how much it grew in one step of the episode at most, in bytes.
    private var grown: [ObjectIdentifier: Int] = [:]

    /// What caches gave in the episode that nobody counted on, in bytes.
    private var surprising: [ObjectIdentifier: Int] = [:]

    /// The most that caches held while somebody held a level in the episode, in bytes.
    private var held: [ObjectIdentifier: Int] = [:]

    /// The largest limit in the episode of those that lacked most of their reserve as caches were asked, in bytes.
    private var limits: [ObjectIdentifier: Int] = [:]

    /// No step takes longer, in nanoseconds.
    private static let longest: Int64 = 2_000_000_000

    func observe(_ event: WorldEvent, of server: SimulatedServer) {
        let id = ObjectIdentifier(server)
        let unmanaged = server.world.unmanagedBytes
        switch event {
        case .asked:
            let isNew = atBeginning[id].map { server.world.now - $0.instant > Self.longest } ?? true
            if isNew { atBeginning[id] = (unmanaged, server.world.now) }
            limits[id] = max(limits[id] ?? 0, server.sample().limitBytes)
        case .gave(let cache, let bytes):
            if server.world.isHeld(within: Self.longest) { held[id] = max(held[id] ?? 0, server.cacheBytes + bytes) }
            if cache.isDistrusted || cache.isSurprisinglySlow { surprising[id, default: 0] += bytes }
            if let first = atBeginning[id] {
                // Growth is taken to go on for as long as that at least.
                let before = max(server.world.now - first.instant, World.shortestLead)
                let least = server.world.leastUnmanagedBytes(from: first.instant - before, to: first.instant)
                grown[id] = max(grown[id] ?? 0, unmanaged - first.bytes, first.bytes - (least ?? first.bytes))
            }
        // One that gave way to a more urgent step, which is under way, does not end its growth.
        case .step(let step) where step.stage == .caches && step.level >= server.manager.level: atBeginning[id] = nil
        case .lastResort: leaving.insert(id)
        default: break
        }
    }

    func episodeEnded(_ figures: ReleaseAccount.Figures, of server: SimulatedServer) {
        let id = ObjectIdentifier(server)
        let last = min(server.world.cgroup.limitBytes, server.softLimit?.limitBytes ?? .max)
        let limit = max(last, limits.removeValue(forKey: id) ?? 0)
        let unforeseen = (grown.removeValue(forKey: id) ?? 0) + (surprising.removeValue(forKey: id) ?? 0)
        let asked = (held.removeValue(forKey: id) ?? 0) / 2
        let most = figures.neededBytes * 5 / 4 + limit / 20 + (16 << 20) + unforeseen + asked
        guard figures.releasedBytes > most, !leaving.contains(id) else { return }
        server.world.violate(
            .need,
            "released \(figures.releasedBytes >> 20) MiB where \(figures.neededBytes >> 20) were needed, of \(limit >> 20)"
        )
    }
}
