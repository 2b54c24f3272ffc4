import AllocationCounter
import JetsamTesting
import Logging
import MemoryPressure
import SystemPackage
import Testing

@testable import BackgroundTasks
@testable import Jetsam
@testable import PurgeableCaches

/// The sampler decides when memory is short, so it may not need any.
@Suite(.enabled(if: allocation_counter_works(), "jemalloc serves the process, and counts, but not under a sanitizer"))
struct SamplerAllocationTests {
    /// Hands the sampler's work to the test.
    private final class CapturingTicker: Ticker {
        let tick = Lock<(@Sendable () -> Duration)?>(nil)
        private let started: AsyncStream<Void>.Continuation
        let starts: AsyncStream<Void>

        init() {
            (starts, started) = AsyncStream.makeStream()
        }

        func start(_ tick: @escaping @Sendable () -> Duration) throws(Errno) {
            self.tick.withLock { $0 = tick }
            started.yield()
        }

        func wake() {}

        func stop() async {
            tick.withLock { $0 = nil }
        }
    }

    /// Settings of every rule that are other than the defaults, near enough for the levels to come as they do by these.
    private static let changed: ManagerConfiguration = {
        var configuration = ManagerConfiguration()
        configuration.headroom.exitPoints = 6
        configuration.timeToLimit.warning = .seconds(9)
        configuration.leadTime.safetyPercent = 210
        configuration.stall.warningPercent = 8
        configuration.events.hold = .milliseconds(1900)
        configuration.distanceToHigh.warningPercent = 4
        configuration.footprint = .init(budgetBytes: 4 << 30)
        return configuration
    }()

    @Test(
        "From normal to critical and back, with steps and limits posted, the sampler's work allocates nothing",
        arguments: [ManagerConfiguration(), changed])
    func nothing(_ configuration: ManagerConfiguration) async throws {
        let tree = try KernelTree.v2(limit: 512 * mebibyte)
        let clock = ManualClock()
        let ticker = CapturingTicker()
        var environment = ResourceManager.Environment()
        environment.kernelRoot = tree.root
        environment.clock = clock
        environment.ticker = ticker
        environment.listensToKernel = false
        let registry = CacheRegistry()
        let registration = registry.register("cache") { $0.bytes }
        registration.update(bytes: 100 * mebibyte)
        let manager = try ResourceManager(
            configuration: configuration, registry: registry, backgroundTasks: BackgroundTaskRegistry(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            environment: environment)
        let task = Task { try await manager.run() }
        for await _ in ticker.starts { break }
        let tick = try #require(ticker.tick.withLock { $0 })
        let spot = ParkingSpot()

        var levels: Set<PressureLevel> = []
        var allocated: UInt64 = 0
        // The first turn through all levels instantiates generic types, once in the life of the process.
        let turn = 300
        for round in 0..<turn * 7 {
            let used = [100, 420, 430, 480, 200, 100][round / 50 % 6] + round % 50 / 10
            tree.setUnreclaimable(bytes: used * mebibyte)
            tree.setFootprint(bytes: used * mebibyte)
            tree.addEvents(max: 1)
            clock.advance(by: .milliseconds(round % 3 == 0 ? 200 : 3))
            let bytes = measure { _ = tick() } + measure { spot.wait(for: .nanoseconds(1)) }
            if round >= turn { allocated += bytes }
            levels.insert(manager.level)
        }
        #expect(allocated == 0)
        #expect(levels == [.normal, .warning, .critical])
        task.cancel()
        try await task.value
    }

    /// What `body` allocates on this thread, in bytes.
    private func measure(_ body: () -> Void) -> UInt64 {
        let before = allocation_counter_thread_bytes()
        body()
        return allocation_counter_thread_bytes() - before
    }
}
