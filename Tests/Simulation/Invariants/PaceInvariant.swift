import Jetsam
import MemoryPressure

/// A bounded number of steps: at most twenty in a second, of which at most five ask nobody for anything and bring nothing. And a bounded
/// number of calls: no cache's release handler is called more often than a hundred times in a second.
final class PaceInvariant: Invariant {
    static let most = 20
    static let mostEmpty = 5
    static let mostCalls = 100
    private static let second: Int64 = 1_000_000_000
    private var ends: [ObjectIdentifier: [(instant: Int64, isEmpty: Bool)]] = [:]
    private var calls: [ObjectIdentifier: [Int64]] = [:]

    func observe(_ event: WorldEvent, of server: SimulatedServer) {
        switch event {
        case .step(let step) where step.stage == .caches: count(step, of: server)
        case .asked(let cache, _, _): countCall(of: cache, of: server)
        default: break
        }
    }

    private func countCall(of cache: SimulatedCache, of server: SimulatedServer) {
        let now = server.world.now
        var recent = calls[ObjectIdentifier(cache), default: []].filter { now - $0 < Self.second }
        recent.append(now)
        if recent.count > Self.mostCalls {
            server.world.violate(.pace, "\(cache.plan.name) was asked \(recent.count) times in a second")
            recent = []
        }
        calls[ObjectIdentifier(cache)] = recent
    }

    private func count(_ step: ReclaimStep, of server: SimulatedServer) {
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
