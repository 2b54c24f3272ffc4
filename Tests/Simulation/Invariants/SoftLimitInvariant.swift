import Jetsam
import MemoryPressure

/// No longer than five seconds beyond the process's own budget or `memory.high`, while caches that behave have five points of that limit.
///
/// At `warning` a cache may keep a quarter of its largest size; and `memory.high` makes no more than a warning. Then caches give one after
/// the other, and one that has become slow may have its turn before those that are fast.
final class SoftLimitInvariant: Invariant {
    private static let patience: Int64 = 5_000_000_000
    private var beyondSince: [ObjectIdentifier: Int64] = [:]

    func observe(_ event: WorldEvent, of server: SimulatedServer) {
        guard case .look = event, let limit = server.softLimit else { return }
        let key = ObjectIdentifier(server)
        let waitsForSlow = !limit.isCritical && server.caches.contains { $0.slowness > 1 }
        guard server.life == .running, limit.leftBytes < 0, !waitsForSlow else { return beyondSince[key] = nil }
        let honest = server.caches.filter { $0.manner == .honest && !$0.isDistrusted && $0.slowness == 1 }
        let givable = honest.reduce(0) { sum, cache in
            sum + max(0, cache.bytes - (limit.isCritical ? 0 : cache.peakBytes / 4))
        }
        guard givable > limit.limitBytes / 20 else { return beyondSince[key] = nil }
        let since = beyondSince[key] ?? server.world.now
        beyondSince[key] = since
        guard server.world.now - since >= Self.patience else { return }
        beyondSince[key] = nil
        server.world.violate(
            .softLimit, "\(-limit.leftBytes >> 20) MiB beyond \(limit.limitBytes >> 20), caches have \(givable >> 20)")
    }
}
