import Jetsam
import MemoryPressure

/// A bounded number of steps: at most twenty in a second.
final class PaceInvariant: Invariant {
    static let most = 20
    private static let second: Int64 = 1_000_000_000
    private var ends: [ObjectIdentifier: [Int64]] = [:]

    func observe(_ event: WorldEvent, of server: SimulatedServer) {
        guard case .step(let step) = event, step.stage == .caches else { return }
        let now = server.world.now
        var recent = ends[ObjectIdentifier(server), default: []].filter { now - $0 < Self.second }
        recent.append(now)
        if recent.count > Self.most {
            server.world.violate(.pace, "\(recent.count) steps in a second")
            recent = []
        }
        ends[ObjectIdentifier(server)] = recent
    }
}
