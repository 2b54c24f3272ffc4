import Jetsam
import MemoryPressure

/// A background task expires once: not before its time unless the level is critical or the process ends, and never not at all.
final class ExpiryInvariant: Invariant {
    /// A task is lost where nobody told it so long after its deadline, in nanoseconds.
    private static let late: Int64 = 1_000_000_000
    /// A process that ends leaves its tasks so much of its grace period at least, in nanoseconds.
    private static let drainTime: Int64 = 15_000_000_000
    private var lost: Set<ObjectIdentifier> = []

    func observe(_ event: WorldEvent, of server: SimulatedServer) {
        let world = server.world
        switch event {
        case .taskExpired(let work):
            if work.expirations > 1 { world.violate(.expiry, "task \(work.number) expired \(work.expirations) times") }
            if work.hasEnded { world.violate(.expiry, "task \(work.number) expired after it had ended") }
            guard work.isEarly(at: world.now), !world.isEmergency else { return }
            if let since = server.leavingSince, world.now - since >= Self.drainTime { return }
            world.violate(.expiry, "task \(work.number) expired early")
        case .look:
            for work in server.heldTasks where !work.wasTold {
                guard let due = work.due, world.now > due + Self.late else { continue }
                lose(work, server)
            }
        case .left:
            for work in server.heldTasks where !work.wasTold { lose(work, server) }
        default: break
        }
    }

    private func lose(_ work: SimulatedTasks.Work, _ server: SimulatedServer) {
        guard lost.insert(ObjectIdentifier(work)).inserted else { return }
        server.world.violate(.expiry, "task \(work.number) was never told that it expired")
    }
}
