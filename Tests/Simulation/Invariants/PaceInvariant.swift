import Jetsam
import MemoryPressure

/// A bounded number of steps: at most twenty in a second, of which at most five ask nobody for anything and bring nothing.
final class PaceInvariant: Invariant {
    static let most = 20
    static let mostEmpty = 5
    private static let second: Int64 = 1_000_000_000
    private var ends: [ObjectIdentifier: [(instant: Int64, isEmpty: Bool)]] = [:]

    func observe(_ event: WorldEvent, of server: SimulatedServer) {
        guard case .step(let step) = event, step.stage == .caches else { return }
        let now = server.world.now
        var recent = ends[ObjectIdentifier(server), default: []].filter { now - $0.instant < Self.second }
        recent.append((now, step.targetBytes == 0 && step.promisedBytes == 0 && step.trimmedBytes == 0))
        let empty = recent.count { $0.isEmpty }
        if recent.count > Self.most || empty > Self.mostEmpty {
            server.world.violate(.pace, "\(recent.count) steps in a second, \(empty) of them empty")
            recent = []
        }
        ends[ObjectIdentifier(server)] = recent
    }
}
