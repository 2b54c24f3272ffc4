import Jetsam
import MemoryPressure

/// What ranks lower is lost first: caches by band, background tasks by priority and age, scenes by state and priority.
final class OrderInvariant: Invariant {
    /// What a lower cache may have grown again while it was not asked, in bytes: no portion is smaller.
    private static let tolerance = 4 << 20
    /// A cache that takes longer than this to give all that it has lets others go first, in nanoseconds: three quarters of the
    /// deadline at `critical`.
    private static let late: Int64 = 75_000_000
    /// Ages and states are compared where they differ by more than this, in nanoseconds.
    private static let moment: Int64 = 5_000_000_000

    /// A cache that was asked while one that ranks below it had bytes left.
    private struct Passing {
        var asked: SimulatedCache
        var passed: SimulatedCache
        var leftBytes: Int
        var instant: Int64
    }

    /// What a step has to make good before it ends: caches are asked beside each other, each for its part.
    private var passings: [ObjectIdentifier: [Passing]] = [:]
    /// Who was told early, and when.
    private var told: [(work: SimulatedTasks.Work, server: SimulatedServer, instant: Int64)] = []

    func observe(_ event: WorldEvent, of server: SimulatedServer) {
        checkTold(server.world.now)
        switch event {
        case .asked(let cache, let bytes, let level) where bytes > 0: check(cache, level, server)
        case .step(let step) where step.stage == .caches: checkPassed(step, server)
        case .killed, .left: passings[ObjectIdentifier(server)] = nil
        case .taskExpired(let work): check(work, server)
        case .step(let step) where step.stage == .scenes && step.victimCount > 0: check(step, server)
        default: break
        }
    }

    private func check(_ cache: SimulatedCache, _ level: PressureLevel, _ server: SimulatedServer) {
        // Where memory lasts no longer than that, higher caches are asked beside lower ones.
        guard server.world.timeToLimit > World.shortestLead else { return }
        for other in server.caches where other.ranks(below: cache) {
            // An answer of this very instant has not been taken yet.
            let isAtWork = other.outstandingBytes > 0 || other.answeredAt == server.world.now
            guard other.manner == .honest, !isAtWork, !other.isDistrusted, other.timeToEmpty < Self.late
            else { continue }
            // It would give nothing before memory is at the limit: others are asked for that.
            guard other.couldGive(in: server.world.timeToLimit) > 0 else { continue }
            let kept = level == .warning ? other.peakBytes / 4 : 0
            let left = other.bytes - kept - Self.tolerance - other.plan.growthRate * other.appetite / 4
            guard left > 0 else { continue }
            passings[ObjectIdentifier(server), default: []].append(
                Passing(asked: cache, passed: other, leftBytes: other.bytes, instant: server.world.now))
        }
    }

    /// A step is over: whoever ranks below one that was asked has been asked, too, unless it was still at work when the step began.
    private func checkPassed(_ step: ReclaimStep, _ server: SimulatedServer) {
        // It was cut short for a more urgent one, which asks the rest.
        if step.level < .critical, server.manager.level == .critical { return }
        let began = server.world.now - Int64(step.duration / .nanoseconds(1))
        for passing in passings.removeValue(forKey: ObjectIdentifier(server)) ?? []
        where passing.passed.askedAt < passing.instant {
            if passing.passed.askedAt < began, passing.passed.answeredAt > began { continue }
            // Asynchronous ones are asked at the beginning, and less was missing than it seemed then: nobody else was asked.
            if passing.asked.plan.isAsynchronous, step.promisedBytes < step.targetBytes / 8 * 7 { continue }
            let (cache, other) = (passing.asked.plan, passing.passed.plan)
            server.world.violate(
                .order,
                "\(cache.name) (\(cache.priority)) was asked, \(other.name) (\(other.priority)) had \(passing.leftBytes >> 20) MiB"
            )
        }
    }

    private func check(_ work: SimulatedTasks.Work, _ server: SimulatedServer) {
        guard server.life == .running, work.isEarly(at: server.world.now) else { return }
        told.append((work, server, server.world.now))
    }

    /// Those who are told at the same instant are told together: whoever ranks below one of them has to be among them.
    private func checkTold(_ now: Int64) {
        for (work, server, instant) in told where instant < now && server.life == .running {
            let passed = server.heldTasks.first { other in
                !other.wasTold && other.began < instant && other !== work
                    && (other.priority < work.priority
                        || (other.priority == work.priority && other.began + Self.moment < work.began))
            }
            guard let passed else { continue }
            server.world.violate(
                .order,
                "task \(work.number) (\(work.priority)) expired before task \(passed.number) (\(passed.priority))")
        }
        told.removeAll { $0.instant < now }
    }

    private func check(_ step: ReclaimStep, _ server: SimulatedServer) {
        let parts = step.victims.first?.split(separator: ", ") ?? []
        guard parts.count >= 3, let lost = server.scenes?[parts[0].filter { $0 != "'" }],
            let state = Self.states.firstIndex(of: String(parts[1]))
        else { return }
        for other in server.rooms where other !== lost {
            guard let scene = other.scene, scene.sceneState == other.seen.state,
                let rank = Self.states.firstIndex(of: "\(other.seen.state)"),
                other.seen.since + Self.moment + Int64(step.duration / .nanoseconds(1)) < server.world.now,
                rank < state || (rank == state && other.priority < lost.priority)
            else { continue }
            return server.world.violate(
                .order,
                "scene \(lost.identifier) (\(parts[1])) was lost before \(other.identifier) (\(other.seen.state))")
        }
    }

    /// First lost first.
    private static let states = ["suspended", "background", "inactive", "active"]
}

extension SimulatedCache {
    /// Whether it is to be asked before the other.
    func ranks(below other: SimulatedCache) -> Bool {
        let isLossy = plan.traits.contains(.lossy), isOtherLossy = other.plan.traits.contains(.lossy)
        return isLossy != isOtherLossy ? isOtherLossy : plan.priority < other.plan.priority
    }
}

extension SimulatedTasks.Work {
    /// A little more than the lead time of an expiry, in nanoseconds.
    private static var lead: Int64 { 600_000_000 }

    /// Whether it expires before its time; one that only the process's end expires has none.
    func isEarly(at now: Int64) -> Bool { due.map { now < $0 - Self.lead } ?? true }
}
