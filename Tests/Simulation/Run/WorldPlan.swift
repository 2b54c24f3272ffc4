import Jetsam
import MemoryPressure

/// All that a world is made with, drawn from its seed.
struct WorldPlan {
    let seed: UInt64
    var limitBytes: Int
    /// The `memory.high` of the cgroup, in bytes; nil where none is set.
    var highBytes: Int?
    /// Levels that somebody holds for a while.
    var heldLevels: [HeldLevel] = []
    private(set) var servers: [SimulatedServer.Plan] = []
    let disturbances: [Disturbance]
    /// Nanoseconds.
    let duration: Int64

    init(seed: UInt64, duration: Int64, configuration: ManagerConfiguration = ManagerConfiguration()) {
        self.seed = seed
        self.duration = duration
        var random = SeededGenerator(seed: seed)
        limitBytes = random.pick([128, 256, 512, 512, 768, 768, 1024, 1024, 1536, 2048, 2048, 4096]) << 20
        // Two real servers under one limit now and then; more are played by neighbours.
        let count = random.chance(0.85) ? 1 : random.pick([2, 2, 4])
        let part = limitBytes / count
        for number in 0..<count { servers.append(Self.server(number, part, configuration, using: &random)) }
        let base = servers.reduce(0) { $0 + $1.baseBytes + $1.sceneCount * $1.sceneBytes }
        disturbances =
            DisturbancePlan(
                using: &random, begin: World.start, duration: duration, limitBytes: limitBytes,
                spareBytes: max(limitBytes / 10, limitBytes - base - limitBytes / 10), servers: count
            ).disturbances
        drawSoftLimits()
    }

    /// Gives some worlds a limit above which nothing is killed, or somebody who holds levels. It is drawn apart, so that other worlds
    /// are the same without.
    private mutating func drawSoftLimits() {
        var random = SeededGenerator(seed: ~seed)
        guard servers.count == 1, !servers[0].configuration.isDryRun else { return }
        switch random.share() {
        case ..<0.15:
            let bytes = Int(Double(limitBytes) * random.share(in: 0.45...0.95))
            servers[0].configuration.footprint = ManagerConfiguration.FootprintRule(budgetBytes: bytes)
            // For some the limit is far beyond the budget.
            if random.chance(0.4) { limitBytes *= 8 }
        case ..<0.3: highBytes = Int(Double(limitBytes) * random.share(in: 0.5...0.95))
        case ..<0.4:
            var begin = World.start
            while true {
                begin += random.nanoseconds(in: 60...900)
                let held = HeldLevel(
                    level: random.pick([.warning, .critical]), begin: begin, duration: random.nanoseconds(in: 1...120))
                guard held.end < World.start + duration else { break }
                heldLevels.append(held)
                begin = held.end
            }
        default: break
        }
    }

    private static func server(
        _ number: Int, _ part: Int, _ base: ManagerConfiguration, using random: inout SeededGenerator
    ) -> SimulatedServer.Plan {
        var configuration = base
        configuration.isDryRun = random.chance(0.05)
        configuration.ladder.takesScenes = random.chance(0.6)
        let kept = random.pick([0, 0, 0.3])
        return SimulatedServer.Plan(
            name: "server-\(number)", baseBytes: Int(Double(part) * random.share(in: 0.08...0.25)),
            caches: caches(part, isDryRun: configuration.isDryRun, using: &random),
            sceneCount: random.pick([0, 0, 2, 5]), sceneBytes: part / 50,
            retainedShare: kept, hasCheapAllocator: random.chance(0.5), hasLastResort: random.chance(0.7),
            configuration: configuration, seed: random.next())
    }

    private static func caches(
        _ part: Int, isDryRun: Bool, using random: inout SeededGenerator
    ) -> [SimulatedCache.Plan] {
        let count = 1 + Int(random.next() % 5)
        // From a little to more than there is: these always fill up to the edge, where nobody may be dry.
        let total = Double(part) * random.share(in: 0.3...(isDryRun ? 0.5 : 1.1))
        var shares = (0..<count).map { _ in random.share(in: 0.1...1) }
        let sum = shares.reduce(0, +)
        shares = shares.map { $0 / sum }
        return shares.enumerated().map { index, share in
            let isFast = random.chance(0.6)
            return SimulatedCache.Plan(
                name: "cache-\(index)", priority: random.pick([.low, .normal, .high]),
                wantedBytes: Int(total * share), growthRate: random.bytes(in: 1_000_000...100_000_000),
                releaseRate: isFast ? 4_000_000_000 : random.bytes(in: 300_000_000...2_000_000_000),
                latency: isFast ? 100_000 : random.nanoseconds(in: 0.0002...0.05),
                isAsynchronous: random.chance(0.2), traits: random.chance(0.1) ? .lossy : [])
        }
    }
}
