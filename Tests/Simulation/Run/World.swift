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
    var servers: [SimulatedServer] = []
    /// Those that are gone: what is late in them may still come.
    private var gone: [SimulatedServer] = []
    var digest = Digest()
    var record = WorldRecord()
    private var invariants: [any Invariant] = []
    var disturbances: [Disturbance]
    /// Those that are under way, by number.
    var active: [Int] = []
    var neighbours: [Int: NeighbourServers] = [:]
    private var isOver = false
    private var generation: UInt64 = 0

    /// Since when there is less headroom than is to be kept free, in nanoseconds; nil while there is enough.
    var shortSince: Int64?
    /// From then until caches can be asked, in nanoseconds.
    var reaction: Int64 = 0
    /// The headroom when there last was enough, in bytes.
    var easyHeadroomBytes = 0
    /// Since when each server's level has been `critical` without a break, in nanoseconds.
    var criticalSince: [ObjectIdentifier: Int64] = [:]
    /// How memory beside all caches comes and goes, at every move: a spike may be over before anybody looks again.
    var rise = LargestUnmanagedRise()
    /// Memory beside all caches, looked at each millisecond at most.
    var lately: [(instant: Int64, bytes: Int)] = []
    /// When there last was an emergency, in nanoseconds; nil before the first.
    var emergencyAt: Int64?
    /// What each cache had given until then, in bytes.
    var givenUntilShort: [ObjectIdentifier: Int] = [:]
    /// When the level that somebody holds ends, in nanoseconds.
    var heldUntil = Int64.min
    /// When a disturbance was under way last, in nanoseconds.
    var disturbedAt = World.start
    /// When the kernel ended somebody last, in nanoseconds.
    var killedAt = Int64.min
    /// What is under way, or was last.
    var lastKind = Disturbance.Kind.calm

    /// Called with each event, for those who want to follow a world.
    var onEvent: ((String) -> Void)?

    init(_ plan: WorldPlan, tree: KernelTree) throws {
        self.plan = plan
        self.tree = tree
        cgroup = SimulatedCgroup(limitBytes: plan.limitBytes)
        cgroup.highBytes = plan.highBytes
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
        for held in plan.heldLevels { schedule(held) }
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
    func dismantle() {
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
