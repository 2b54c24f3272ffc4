public import Jetsam
internal import MemoryPressure
internal import Synchronization

/// A machine with made-up kernel files and a clock moved by hand, to test how an application answers memory pressure.
///
/// ```swift
/// let machine = try SimulatedMachine(tree: .v2(limit: 512 << 20))
/// let manager = try ResourceManager(registry: registry, logger: logger, environment: machine.environment)
/// async let running: Void = manager.run()
/// await machine.waitUntilStarted()
/// machine.tree.setUnreclaimable(bytes: 430 << 20)
/// machine.advance(by: .seconds(1))
/// ```
///
/// The sampler runs on the thread that moves the time. Cache handlers run on the manager's reclaim threads, as in production.
public final class SimulatedMachine: Sendable {
    /// The made-up kernel files.
    public let tree: KernelTree
    /// The clock.
    public let clock = ManualClock()
    /// The allocator: it retains what the test says, at first nothing.
    public let allocator: SimulatedAllocator
    private let ticker: ManualTicker
    private let wallClockShift = Atomic<Int64>(0)
    private let secondsFromUTC = Atomic<Int>(0)

    /// A machine with these files; it removes them when it is let go.
    public init(tree: KernelTree, allocator: SimulatedAllocator = SimulatedAllocator()) {
        self.tree = tree
        self.allocator = allocator
        ticker = ManualTicker(clock: clock)
    }

    /// The environment to give to a `ResourceManager`.
    public var environment: ResourceManager.Environment {
        var environment = ResourceManager.Environment()
        environment.kernelRoot = tree.root
        environment.clock = clock
        environment.wallClock = { [self] in clock.now.nanoseconds &+ wallClockShift.load(ordering: .relaxed) }
        environment.secondsFromUTC = { [self] _ in secondsFromUTC.load(ordering: .relaxed) }
        environment.variables = [:]
        environment.arguments = []
        environment.ticker = ticker
        environment.allocator = allocator
        environment.listensToKernel = false
        environment.later = { _, _ in }
        return environment
    }

    /// A registry of background tasks whose time is this machine's: handlers run on the thread that moves it.
    public func makeBackgroundTaskRegistry(
        configuration: BackgroundTaskConfiguration = .init()
    ) -> BackgroundTaskRegistry {
        let registry = BackgroundTaskRegistry(configuration: configuration, clock: clock, isAutomatic: false)
        ticker.attach(registry)
        return registry
    }

    /// Returns once the manager's `run()` has taken its first reading.
    public func waitUntilStarted() async {
        await ticker.waitUntilStarted()
    }

    /// Moves the time on; the sampler runs at each instant that it asked for in between.
    public func advance(by duration: Duration) {
        ticker.advance(to: clock.now.advanced(by: duration))
    }

    /// Sets the wall clock forward, or back where `change` is negative; the sampler sees it within two seconds.
    public func setWallClock(by change: Duration) {
        wallClockShift.add(change.nanoseconds, ordering: .relaxed)
    }

    /// Changes the time zone to one that is ahead of UTC by so many seconds, or behind it where that is negative. UTC at first.
    /// The manager sees it within a minute.
    public func setTimeZone(secondsFromUTC seconds: Int) {
        secondsFromUTC.store(seconds, ordering: .relaxed)
    }

    /// The number of times that the sampler has run.
    public var samplerRuns: Int { ticker.ticks }
}
