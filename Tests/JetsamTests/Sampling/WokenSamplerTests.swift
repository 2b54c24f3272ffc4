import JetsamTesting
import Logging
import MemoryPressure
import Testing

@testable import Jetsam

/// What the sampler does when an event has wakened it.
struct WokenSamplerTests {
    @Test("A sampler that was woken and finds nothing new sleeps for as long as the event decided, not as before it")
    func afterThreshold() throws {
        let machine = SimulatedMachine(tree: try .v1(limit: 512 * mebibyte))
        defer { machine.tree.remove() }
        func set(used bytes: Int) {
            machine.tree.setUnreclaimable(bytes: bytes)
            machine.tree.setFootprint(bytes: bytes)
        }
        set(used: 255 * mebibyte)
        let manager = try ResourceManager(
            registry: CacheRegistry(), backgroundTasks: machine.makeBackgroundTaskRegistry(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, environment: machine.environment)
        let governor = manager.governor
        governor.judge(.sampler)
        governor.noteArmed(usageBytes: 256 * mebibyte, limitBytes: 512 * mebibyte)
        let longest = ManagerConfiguration().sampling.maximumInterval
        for _ in 0..<5 {
            machine.clock.advance(by: longest)
            // A kernel threshold keeps watch: the longest sleep there is.
            #expect(governor.judge(.sampler) == longest)
        }
        machine.clock.advance(by: .milliseconds(100))
        set(used: 257 * mebibyte)
        let decided = governor.judge(.event(.usageThreshold))
        #expect(decided < longest / 2 && manager.level == .normal)
        // Nobody tells it here; and as long as there is something to tell, every reading counts as new.
        _ = governor.collectTimeNews()
        // It is woken, reads the same, and must look again as soon as the event said.
        #expect(governor.judge(.sampler) <= decided)
    }

    @Test("At critical it hurries for what somebody can give, and not for empty caches")
    func emptyCaches() throws {
        let machine = SimulatedMachine(tree: try .v1(limit: 400 * mebibyte))
        defer { machine.tree.remove() }
        func set(used bytes: Int) {
            machine.tree.setUnreclaimable(bytes: bytes)
            machine.tree.setFootprint(bytes: bytes)
        }
        set(used: 340 * mebibyte)
        let registry = CacheRegistry()
        let cache = registry.register("cache", release: { _ in 0 })
        let manager = try ResourceManager(
            registry: registry, backgroundTasks: machine.makeBackgroundTaskRegistry(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, environment: machine.environment)
        func interval(reporting bytes: Int) -> Duration {
            cache.update(bytes: bytes)
            var last = Duration.zero
            // Growth is measured over the last second.
            for _ in 0..<20 {
                machine.clock.advance(by: .milliseconds(100))
                last = manager.governor.judge(.sampler)
            }
            return last
        }
        #expect(interval(reporting: 0) < .milliseconds(15), "critical is still to be announced in time")
        #expect(manager.level == .warning)
        set(used: 372 * mebibyte)
        #expect(interval(reporting: 1 * mebibyte) == .milliseconds(25))
        #expect(manager.level == .critical)
        #expect(interval(reporting: 100 * mebibyte) < .milliseconds(10))
        #expect(interval(reporting: 0) == .milliseconds(25))
    }

    private final class WakeCount: Ticker {
        let wakes = Lock(0)

        func start(_ tick: @escaping @Sendable () -> Duration) {}
        func wake() { wakes.withLock { $0 += 1 } }
        func stop() async {}
        var drivesDeadlines: Bool { true }
        func attach(_ work: any TimeDriven) {}
    }

    @Test("An event that wakes nobody does not keep the next one from doing so")
    func afterAnotherEvent() throws {
        let (clock, ticker) = (ManualClock(), WakeCount())
        let tree = try KernelTree.v1(limit: 512 * mebibyte)
        defer { tree.remove() }
        tree.setUnreclaimable(bytes: 60 * mebibyte)
        let governor = Governor(
            reader: try KernelReader(root: tree.root), clock: clock, wallClock: { 0 },
            backgroundTasks: BackgroundTaskRegistry(), registry: CacheRegistry(), channel: ReclaimChannel(),
            ticker: ticker, bell: Bell(), stock: NoVictims(), setup: Decider.Setup())
        governor.judge(.sampler)
        governor.noteArmed(usageBytes: 256 * mebibyte, limitBytes: 512 * mebibyte)
        clock.advance(by: .seconds(2))
        #expect(governor.judge(.sampler) == .seconds(2))

        clock.advance(by: .milliseconds(1950))
        governor.forgetThresholds()
        let decided = governor.judge(.event(.memoryEvents))
        #expect(decided > .milliseconds(50) && decided < .seconds(1) && ticker.wakes.withLock { $0 } == 0)

        clock.advance(by: .milliseconds(20))
        tree.setUnreclaimable(bytes: 440 * mebibyte)
        governor.judge(.event(.memoryEvents))
        #expect(ticker.wakes.withLock { $0 } == 1)
    }
}
