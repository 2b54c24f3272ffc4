import JetsamPolicy
import Testing

@testable import JetsamSimulation

struct WorldPlanTests {
    @Test("The same seed gives the same plan, another one another")
    func seeds() {
        func text(_ seed: UInt64) -> String {
            let plan = WorldPlan(seed: seed, duration: 3_600_000_000_000)
            return "\(plan) \(plan.disturbances)"
        }
        #expect(text(7) == text(7))
        #expect(text(7) != text(8))
    }

    @Test(
        "A hundred plans have every kind of disturbance, each begins after the one before has ended, and none lasts to the end"
    )
    func kinds() {
        var kinds: Set<Disturbance.Kind> = []
        for seed in UInt64(1)...100 {
            let plan = WorldPlan(seed: seed, duration: 3_600_000_000_000)
            var end = World.start
            for disturbance in plan.disturbances.sorted(by: { $0.begin < $1.begin }) {
                kinds.insert(disturbance.kind)
                #expect(disturbance.begin >= World.start && disturbance.end < World.start + plan.duration)
                #expect(disturbance.begin < disturbance.end && disturbance.server < plan.servers.count)
                end = max(end, disturbance.end)
            }
            #expect(end > World.start + plan.duration / 2)
        }
        #expect(kinds == Set(Disturbance.Kind.allCases).subtracting([.mix]))
    }

    @Test(
        "A hundred plans have budgets near the limit and far below it, a memory.high, and held levels; most have none of them"
    )
    func softLimits() {
        var counts: [String: Int] = [:]
        for seed in UInt64(1)...100 {
            let plan = WorldPlan(seed: seed, duration: 3_600_000_000_000)
            if let budget = plan.servers[0].configuration.footprint?.budgetBytes {
                #expect(budget < plan.limitBytes)
                counts[budget * 4 < plan.limitBytes ? "far" : "near", default: 0] += 1
            }
            if let high = plan.highBytes {
                #expect(high < plan.limitBytes)
                counts["high", default: 0] += 1
            }
            if !plan.heldLevels.isEmpty { counts["held", default: 0] += 1 }
            var end = World.start
            for held in plan.heldLevels {
                #expect(held.begin > end && held.end < World.start + plan.duration)
                end = held.end
            }
        }
        #expect(Set(counts.keys) == ["far", "near", "high", "held"])
        #expect(counts.values.reduce(0, +) < 50, "\(counts)")
    }

    @Test(
        "A ramp grows at its rate up to its size, a spike lasts a moment, a sawtooth falls at once, waves come and go")
    func shapes() {
        let second: Int64 = 1_000_000_000
        func taken(_ kind: Disturbance.Kind, at seconds: Double) -> Int {
            Disturbance(kind: kind, begin: second, end: 100 * second, bytes: 1_000_000_000, period: 2 * second)
                .takenBytes(at: second + Int64(seconds * 1e9))
        }
        #expect(taken(.ramp8, at: 10) == 80_000_000 && taken(.ramp500, at: 1) == 500_000_000)
        #expect(taken(.rampFull, at: 1) == 1_000_000_000 && taken(.ramp50, at: 99) == 0 && taken(.ramp50, at: -1) == 0)
        #expect(taken(.spike, at: 1.9) == 1_000_000_000 && taken(.spike, at: 2) == 0)
        #expect(taken(.sawtooth, at: 1) == 300_000_000 && taken(.sawtooth, at: 2) == 0)
        #expect(taken(.waves, at: 1) == 1_000_000_000 && taken(.waves, at: 2) == 0)
    }
}
