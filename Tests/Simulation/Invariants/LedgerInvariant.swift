import Jetsam
import MemoryPressure

/// Every byte that a cache answered to have given is in the ledger; nothing is in flight while no handler is out; and a step
/// hands out no more than came back.
final class LedgerInvariant: Invariant {
    private static let interval: Int64 = 10_000_000_000
    private var lookedAt: [ObjectIdentifier: Int64] = [:]

    func observe(_ event: WorldEvent, of server: SimulatedServer) {
        let world = server.world
        switch event {
        case .step(let step) where step.stage == .caches:
            let promised = step.parts.reduce(0) { $0 + $1.promisedBytes }
            let returned = step.parts.reduce(0) { $0 + $1.returnedBytes }
            if promised != step.promisedBytes, !step.isDryRun {
                world.violate(.ledger, "parts promised \(promised), the step \(step.promisedBytes)")
            }
            // Rounding may leave a byte for each part.
            if returned > step.returnedBytes + step.parts.count {
                world.violate(.ledger, "parts returned \(returned), the step \(step.returnedBytes)")
            }
        case .look: look(server)
        default: break
        }
    }

    private func look(_ server: SimulatedServer) {
        let world = server.world
        let key = ObjectIdentifier(server)
        guard server.life == .running, world.now - lookedAt[key, default: .min / 2] >= Self.interval,
            server.caches.allSatisfy({ $0.isAtRest })
        else { return }
        lookedAt[key] = world.now
        let inFlight = server.manager.inFlightBytes
        if inFlight != 0 { world.violate(.ledger, "\(inFlight) bytes are in flight and nobody is out") }
        let known = server.manager.status.caches
        for cache in server.caches {
            let promised = known.first { $0.name == cache.plan.name }?.promisedBytes ?? 0
            guard promised != cache.answeredBytes else { continue }
            world.violate(
                .ledger, "\(cache.plan.name) answered \(cache.answeredBytes) in all, the ledger has \(promised)")
            cache.forgiveLedger(promised)
        }
    }
}
