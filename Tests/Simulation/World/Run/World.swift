import Jetsam
import JetsamTesting
import MemoryPressure

/// A simulated hour: servers with their managers, a made-up kernel, disturbances, and what must hold in it.
///
/// The same seed gives the same world, down to the last step: ``digest`` tells.
final class World: @unchecked Sendable {
    static let start: Int64 = 3_600_000_000_000
    /// How often the world is looked at, in nanoseconds.
    private static let lookInterval: Int64 = 250_000_000
    /// From the end of a process to the next one in its place, in nanoseconds.
    private static let restartDelay: Int64 = 5_000_000_000
    /// The time that processes have to end in at last, in nanoseconds.
    private static let endTime: Int64 = 60_000_000_000

    let plan: WorldPlan
    let conductor = Conductor()
    let cgroup: SimulatedCgroup
    let tree: KernelTree
    private(set) var servers: [SimulatedServer] = []
    /// Those that are gone: what is late in them may still come.
    private var gone: [SimulatedServer] = []
    private(set) var digest = Digest()
    private(set) var record = WorldRecord()
    private var invariants: [any Invariant] = []
    private var disturbances: [Disturbance]
    /// Those that are under way, by number.
    private var active: [Int] = []
    private var neighbours: [Int: NeighbourServers] = [:]
    private var isOver = false
    private var generation: UInt64 = 0

    /// Since when there is less headroom than is to be kept free, in nanoseconds; nil while there is enough.
    private(set) var shortSince: Int64?
    /// What each cache had given until then, in bytes.
    private var givenUntilShort: [ObjectIdentifier: Int] = [:]
    /// When a disturbance was under way last, in nanoseconds.
    private(set) var disturbedAt = World.start
    /// When the kernel ended somebody last, in nanoseconds.
    private(set) var killedAt = Int64.min

    /// Called with each event, for those who want to follow a world.
    var onEvent: ((String) -> Void)?

    init(_ plan: WorldPlan, tree: KernelTree) throws {
        self.plan = plan
        self.tree = tree
        cgroup = SimulatedCgroup(limitBytes: plan.limitBytes)
        disturbances = plan.disturbances
        invariants = InvariantName.allCases.map { $0.make() }
        conductor.onMove = { [self] in move(by: $0) }
        conductor.afterMove = { [self] in afterMove() }
    }

    /// Lives through the hour.
    func run() throws {
        JobQueue.shared.install()
        for server in plan.servers { try add(server) }
        for index in disturbances.indices { schedule(index) }
        look()
        conductor.run(until: World.start + plan.duration)
        isOver = true
        for server in servers { server.leave() }
        let end = conductor.now + Self.endTime
        while !servers.isEmpty, conductor.now < end { conductor.run(until: conductor.now + 1_000_000_000) }
        for server in servers { server.kill() }
        // Handlers that are still out come back, and threads end.
        for _ in 0..<120 where conductor.liveThreads > 0 { conductor.run(until: conductor.now + 1_000_000_000) }
        record.turns = conductor.turns
        record.ticks = conductor.ticks
        digest.add(conductor.turns)
        dismantle()
    }

    /// Lets go of everything that refers to the world again.
    private func dismantle() {
        for server in servers + gone { server.dismantle() }
        servers = []
        gone = []
        neighbours = [:]
        invariants = []
        conductor.dismantle()
    }

    // MARK: Servers

    private func add(_ plan: SimulatedServer.Plan) throws {
        try place(plan).start()
    }

    /// Makes a server that has not begun.
    func place(_ plan: SimulatedServer.Plan) throws -> SimulatedServer {
        let server = try SimulatedServer(plan, in: self)
        servers.append(server)
        recount()
        return server
    }

    /// A process is gone: another one takes its place after a while, as a supervisor sees to it.
    func hasGone(_ server: SimulatedServer) {
        servers.removeAll { $0 === server }
        gone.append(server)
        recount()
        for index in disturbances.indices where disturbances[index].kind == .leak && !disturbances[index].isOutside {
            disturbances[index].end = min(disturbances[index].end, conductor.now)
        }
        guard !isOver else { return }
        generation += 1
        var plan = server.plan
        plan.seed &+= generation &* 0x9E37_79B9
        conductor.after(Self.restartDelay) { [self] in
            guard !isOver else { return }
            try? add(plan)
        }
    }

    // MARK: Memory

    private func move(by nanoseconds: Int64) {
        let now = conductor.now + nanoseconds
        cgroup.move(by: nanoseconds)
        if !active.isEmpty { takeDisturbances(at: now) }
        for server in servers { server.move(by: nanoseconds) }
        recount()
    }

    /// Adds up anew what servers cost.
    func recount() {
        var sum = 0
        for server in servers { sum += server.recount() }
        cgroup.serverBytes = sum
    }

    private func takeDisturbances(at now: Int64) {
        for server in servers { server.extraBytes = 0 }
        var outside = 0
        for index in active {
            if disturbances[index].kind != .calm, now < disturbances[index].end { disturbedAt = now }
            let bytes = disturbances[index].takenBytes(at: now)
            guard bytes > 0 else { continue }
            if disturbances[index].isOutside {
                outside += bytes
            } else if disturbances[index].server < servers.count {
                servers[disturbances[index].server].extraBytes += bytes
            }
        }
        cgroup.growingNeighbourBytes = outside
    }

    func afterMove() {
        let reserve = ReleaseAccount.reserveBytes(limitBytes: cgroup.limitBytes)
        if cgroup.headroomBytes >= reserve {
            shortSince = nil
        } else if shortSince == nil {
            shortSince = conductor.now
            for server in servers {
                for cache in server.caches { givenUntilShort[ObjectIdentifier(cache)] = cache.givenBytes }
            }
        }
        record.leastHeadroomBytes = min(record.leastHeadroomBytes, cgroup.headroomBytes)
        if cgroup.isOverLimit { endLargest() }
    }

    /// What caches still had and could have given, had they been asked for all of it when memory became short, in bytes.
    var purgeableInTime: Int {
        guard let shortSince else { return 0 }
        let time = conductor.now - shortSince
        var sum = 0
        for server in servers where !server.plan.configuration.isDryRun {
            for cache in server.caches {
                let given = cache.givenBytes - (givenUntilShort[ObjectIdentifier(cache)] ?? 0)
                sum += min(cache.bytes, max(0, cache.couldGive(in: time) - given))
            }
        }
        return sum
    }

    /// The kernel ends the process that costs most.
    private func endLargest() {
        cgroup.noteKill()
        killedAt = conductor.now
        let largest = servers.max { $0.footprintBytes < $1.footprintBytes }
        digest.add(cgroup.kills)
        if cgroup.growingNeighbourBytes > largest?.footprintBytes ?? 0 {
            record.neighboursKilled += 1
            for index in disturbances.indices where disturbances[index].isOutside {
                disturbances[index].end = min(disturbances[index].end, conductor.now)
            }
            cgroup.growingNeighbourBytes = 0
        } else if let largest {
            record.killed += 1
            largest.kill()
        }
    }

    // MARK: Disturbances

    private func schedule(_ index: Int) {
        conductor.at(disturbances[index].begin) { [self] in begin(index) }
        conductor.at(disturbances[index].end) { [self] in end(index) }
    }

    /// Nothing is under way, and has not been for so many nanoseconds.
    func isCalm(for nanoseconds: Int64) -> Bool { conductor.now - disturbedAt >= nanoseconds }

    /// What is under way, or was last.
    private(set) var lastKind = Disturbance.Kind.calm

    private func begin(_ index: Int) {
        let disturbance = disturbances[index]
        active.append(index)
        lastKind = disturbance.kind
        digest.add(index)
        onEvent?("begins: \(disturbance.kind), \(disturbance.bytes >> 20) MiB")
        switch disturbance.kind {
        case .limitCut:
            // A cut below what is there is a kill at once, which nobody can do anything about.
            let least = cgroup.unreclaimableBytes + plan.limitBytes / 50
            cgroup.limitBytes = min(plan.limitBytes, max(least, plan.limitBytes - disturbance.bytes))
        case .servers:
            let count = [1, 3, 7][Int(disturbance.cacheMask % 3)]
            neighbours[index] = NeighbourServers(count: count, bytes: disturbance.bytes / count, in: self)
        case .thrash: cgroup.hotFileBytes = max(disturbance.bytes, plan.limitBytes / 4)
        default: change(disturbance, isBeginning: true)
        }
    }

    private func end(_ index: Int) {
        let disturbance = disturbances[index]
        takeDisturbances(at: conductor.now)
        active.removeAll { $0 == index }
        recount()
        digest.add(index)
        onEvent?("ends: \(disturbance.kind)")
        switch disturbance.kind {
        case .limitCut: cgroup.limitBytes = plan.limitBytes
        case .servers: neighbours.removeValue(forKey: index)?.end()
        case .thrash: cgroup.hotFileBytes = 0
        default: change(disturbance, isBeginning: false)
        }
    }

    /// Changes how caches behave. A server that came in the place of another has honest ones.
    private func change(_ disturbance: Disturbance, isBeginning: Bool) {
        guard disturbance.server < servers.count else { return }
        for (index, cache) in servers[disturbance.server].caches.enumerated() {
            guard disturbance.cacheMask >> UInt64(index) & 1 == 1 else { continue }
            switch disturbance.kind {
            case .cacheGrowth: cache.appetite = isBeginning ? 2 : 1
            case .slowCaches: cache.slowness = isBeginning ? 10 : 1
            case .lyingHandlers: cache.manner = isBeginning ? .lying : .honest
            case .throwingHandlers: cache.manner = isBeginning ? .throwing : .honest
            case .hangingHandlers: cache.manner = isBeginning ? .hanging(until: disturbance.end) : .honest
            default: break
            }
        }
    }

    // MARK: Looking

    private func look() {
        for server in servers { server.look() }
        if !servers.isEmpty || !isOver {
            conductor.after(Self.lookInterval) { [self] in look() }
        }
    }

    func note(_ event: WorldEvent, _ server: SimulatedServer) {
        digest.add(event, at: conductor.now)
        record.count(event)
        if let onEvent, let text = event.text { onEvent("\(server.plan.name): \(text)") }
        for invariant in invariants { invariant.observe(event, of: server) }
    }

    /// An episode of releases is over.
    func ended(_ figures: ReleaseAccount.Figures, _ server: SimulatedServer) {
        record.add(figures)
        onEvent?(
            "\(server.plan.name): episode: released \(figures.releasedBytes >> 20) of needed \(figures.neededBytes >> 20) MiB"
        )
        for invariant in invariants { invariant.episodeEnded(figures, of: server) }
    }

    func violate(_ name: InvariantName, _ text: @autoclosure () -> String) {
        let text = text()
        onEvent?("VIOLATION of \(name): \(text)")
        record.violate(name, during: lastKind, at: conductor.now - World.start, text)
    }
}
