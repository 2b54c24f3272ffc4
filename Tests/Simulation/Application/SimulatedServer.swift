import Jetsam
import JetsamTesting
import Logging
import MemoryPressure
import ServiceLifecycle

/// One process of a world: a manager as in production, with caches, background tasks and scenes, until it ends or is killed.
final class SimulatedServer: @unchecked Sendable {
    /// What a server is made with.
    struct Plan {
        var name: String
        /// Memory that no cache holds and that is always there, in bytes.
        var baseBytes: Int
        var caches: [SimulatedCache.Plan]
        var sceneCount: Int
        var sceneBytes: Int
        var retainedShare: Double
        var hasCheapAllocator: Bool
        var hasLastResort: Bool
        var configuration = ManagerConfiguration()
        var seed: UInt64
    }

    enum Life {
        case running
        /// It was told to end.
        case leaving
        case gone
    }

    let plan: Plan
    let world: World
    let allocator: RetainingAllocator
    private(set) var caches: [SimulatedCache] = []
    private(set) var manager: ResourceManager!
    private(set) var tasks: SimulatedTasks?
    private(set) var scenes: SimulatedScenes?
    private(set) var life = Life.running
    /// When it began, in nanoseconds.
    let began: Int64
    /// When it was told to end, in nanoseconds.
    private(set) var leavingSince: Int64?
    /// Memory of disturbances, in bytes.
    var extraBytes = 0
    /// What its releases brought and what they would have needed.
    private(set) var account = ReleaseAccount()
    private var before: ReleaseAccount.Sample?

    private let registry = CacheRegistry()
    private let ticker: ConductedTicker
    private var group: ServiceGroup!
    private var running: Task<Void, Never>?

    init(_ plan: Plan, in world: World) throws {
        self.plan = plan
        self.world = world
        let conductor = world.conductor
        began = conductor.now
        allocator = RetainingAllocator(
            retainedShare: plan.retainedShare, isCheap: plan.hasCheapAllocator, in: world)
        ticker = ConductedTicker(conductor)
        caches = plan.caches.map { SimulatedCache($0, of: self) }
        let clock = conductor.clock
        var environment = ResourceManager.Environment()
        environment.kernelRoot =
            SimulatedKernelFiles(in: world.cgroup, tree: world.tree) { [self] in footprintBytes }.root
        environment.clock = clock
        environment.wallClock = { clock.now.nanoseconds }
        environment.variables = [:]
        environment.ticker = ticker
        environment.allocator = allocator
        _ = recount()
        environment.listensToKernel = false
        environment.threads = ConductedThreads(conductor: conductor)
        let backgroundTasks = BackgroundTaskRegistry(clock: clock, isAutomatic: false)
        ticker.attach(backgroundTasks)
        let logger = Logger(label: "simulation") { _ in SwiftLogNoOpLogHandler() }
        var lastResort: (@Sendable (LevelReason) -> Void)?
        if plan.hasLastResort { lastResort = { [self] reason in isEndNear(reason) } }
        manager = try ResourceManager(
            configuration: plan.configuration, registry: registry, backgroundTasks: backgroundTasks, logger: logger,
            environment: environment, lastResort: lastResort)
        group = ServiceGroup(services: [manager], logger: logger)
        tasks = SimulatedTasks(of: self, registry: backgroundTasks, seed: plan.seed &+ 1)
        scenes = SimulatedScenes(manager.scenes, of: self, seed: plan.seed &+ 2)
    }

    func start() {
        world.conductor.add(ticker)
        for cache in caches { cache.register(in: registry) }
        tasks?.start()
        scenes?.start(count: plan.sceneCount, bytesEach: plan.sceneBytes)
        let changes = manager.levelChanges
        let steps = manager.reclaimSteps
        Task { [self] in for await change in changes { note(.levelChanged(change)) } }
        Task { [self] in for await step in steps { note(.step(step)) } }
        running = Task { [self] in
            try? await group.run()
            hasEnded()
        }
    }

    var heldTasks: [SimulatedTasks.Work] { tasks?.held ?? [] }
    var rooms: [SimulatedScenes.Room] { scenes?.rooms ?? [] }

    // MARK: Memory

    var cacheBytes: Int { caches.reduce(0) { $0 + $1.bytes } }

    /// What it costs, in bytes, as of the last count.
    private(set) var footprintBytes = 0

    /// A limit above which nothing is killed: the process's own budget or `memory.high`, and what is left of it.
    struct SoftLimit {
        var limitBytes: Int
        var leftBytes: Int
        /// Where its warning ends, in bytes that are left.
        var exit: Int
        /// Whether it makes the level `critical`.
        var isCritical: Bool
    }

    /// The soft limit that it has; no world has two.
    var softLimit: SoftLimit? {
        if let rule = plan.configuration.footprint {
            let bytes = rule.budgetBytes
            return SoftLimit(
                limitBytes: bytes, leftBytes: bytes - footprintBytes, exit: bytes / 4, isCritical: true)
        }
        guard let bytes = world.cgroup.highBytes else { return nil }
        return SoftLimit(
            limitBytes: bytes, leftBytes: bytes - world.cgroup.unreclaimableBytes, exit: bytes / 10, isCritical: false)
    }

    /// Whether one part in so many of the soft limit is left beyond where its warning ends, and `bytes` more; true without one.
    func hasSoftRoom(ofPart part: Int, and bytes: Int = 0) -> Bool {
        softLimit.map { $0.leftBytes >= $0.exit + $0.limitBytes / part + bytes } ?? true
    }

    /// Counts anew what it costs.
    func recount() -> Int {
        let held = (tasks?.bytes ?? 0) + (scenes?.bytes ?? 0)
        footprintBytes =
            life == .gone ? 0 : plan.baseBytes + extraBytes + cacheBytes + allocator.retainedBytes + held
        return footprintBytes
    }

    func move(by nanoseconds: Int64) {
        guard life != .gone else { return }
        for cache in caches { cache.move(by: nanoseconds) }
    }

    /// Files that are needed all the time take room, too: with less than they need, that much is missing as well.
    func sample() -> ReleaseAccount.Sample {
        let cgroup = world.cgroup
        func files(_ limit: Int) -> Int {
            max(0, cgroup.hotFileBytes - ReleaseAccount.reserveBytes(limitBytes: limit))
        }
        var reading = MemoryReading()
        reading.limitBytes = cgroup.limitBytes
        reading.headroomBytes = max(0, cgroup.headroomBytes) - files(cgroup.limitBytes)
        reading.footprintBytes = footprintBytes
        reading.highBytes = cgroup.highBytes
        reading.distanceToHighBytes = cgroup.highBytes.map { $0 - cgroup.unreclaimableBytes - files($0) }
        return ReleaseAccount.Sample(
            reading, at: world.conductor.clock.now, budget: plan.configuration.footprint, cacheBytes: cacheBytes,
            refetchedBytes: caches.reduce(0) { $0 + $1.refetchedBytes })
    }

    /// - Parameter asked: What there was when the cache was asked: what was missing then was needed, as far as anybody could know.
    func beforeRelease(_ asked: ReleaseAccount.Sample?) {
        before = asked ?? sample()
    }

    /// - Parameter isLate: It missed its deadline long ago: it was needed then or not, and says nothing of now.
    func afterRelease(_ bytes: Int, of cache: SimulatedCache, isLate: Bool) {
        note(.gave(cache, bytes: bytes))
        guard let before, !isLate else { return }
        if let figures = account.add(releasedBytes: bytes, before: before, after: sample()) {
            world.ended(figures, self)
        }
    }

    /// Looks what has become of things that nobody tells of.
    func look() {
        guard life != .gone else { return }
        scenes?.look()
        if account.current != nil, let figures = account.look(at: sample()) { world.ended(figures, self) }
        note(.look)
    }

    // MARK: Life

    func note(_ event: WorldEvent) {
        if life != .gone { world.note(event, self) }
    }

    private func isEndNear(_ reason: LevelReason) {
        note(.lastResort(reason))
        leave()
    }

    /// Shuts down in order.
    func leave() {
        guard life == .running else { return }
        life = .leaving
        leavingSince = world.conductor.now
        Task { [group] in await group?.triggerGracefulShutdown() }
    }

    /// The kernel ends it: nothing of it is left.
    func kill() {
        guard life != .gone else { return }
        note(.killed)
        vanish()
        running?.cancel()
    }

    private func hasEnded() {
        world.conductor.remove(ticker)
        guard life != .gone else { return }
        note(.left)
        vanish()
    }

    private func vanish() {
        if let figures = account.end() { world.ended(figures, self) }
        life = .gone
        tasks?.drop()
        scenes?.drop()
        for cache in caches { cache.drop() }
        allocator.drop()
        world.hasGone(self)
    }

    /// Lets go of everything that refers to it again.
    func dismantle() {
        manager = nil
        group = nil
        running = nil
        tasks = nil
        scenes = nil
        caches = []
    }
}
