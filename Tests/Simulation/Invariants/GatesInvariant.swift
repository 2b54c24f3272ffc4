import Jetsam
import MemoryPressure

/// Nothing is taken that a gate forbids: background tasks and scenes only in an emergency, and nothing at all in a dry run.
final class GatesInvariant: Invariant {
    func observe(_ event: WorldEvent, of server: SimulatedServer) {
        let world = server.world
        if server.plan.configuration.isDryRun { observeDryRun(event, server) }
        guard server.life == .running else { return }
        switch event {
        case .taskExpired(let work) where work.isEarly(at: world.now) && !world.isEmergency:
            world.violate(
                .gates, "task \(work.number) expired early with \(world.cgroup.headroomBytes >> 20) MiB of headroom")
        case .sceneTold(let room) where !server.plan.configuration.ladder.takesScenes || !world.isEmergency:
            world.violate(
                .gates, "scene \(room.identifier) is taken with \(world.cgroup.headroomBytes >> 20) MiB of headroom")
        default: break
        }
    }

    private func observeDryRun(_ event: WorldEvent, _ server: SimulatedServer) {
        switch event {
        case .asked(let cache, let bytes, _):
            server.world.violate(.gates, "\(cache.plan.name) was asked for \(bytes) bytes in a dry run")
        case .limited(let cache, .some):
            server.world.violate(.gates, "\(cache.plan.name) was limited in a dry run")
        case .taskExpired(let work) where server.life == .running && work.isEarly(at: server.world.now):
            server.world.violate(.gates, "task \(work.number) expired early in a dry run")
        case .sceneTold(let room):
            server.world.violate(.gates, "scene \(room.identifier) is taken in a dry run")
        case .lastResort:
            server.world.violate(.gates, "the last resort was called in a dry run")
        default: break
        }
    }
}
