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
        set(used: 200 * mebibyte)
        let manager = try ResourceManager(
            registry: CacheRegistry(), backgroundTasks: machine.makeBackgroundTaskRegistry(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, environment: machine.environment)
        let governor = manager.governor
        governor.judge(.sampler)
        governor.noteArmed(usageBytes: 256 * mebibyte, limitBytes: 512 * mebibyte)
        machine.clock.advance(by: .milliseconds(1100))
        // A kernel threshold keeps watch: the longest sleep there is.
        #expect(governor.judge(.sampler) == ManagerConfiguration().sampling.maximumInterval)

        machine.clock.advance(by: .milliseconds(100))
        set(used: 300 * mebibyte)
        let decided = governor.judge(.event(.usageThreshold))
        #expect(decided < .milliseconds(500) && manager.level == .normal)
        // It is woken, reads the same, and must look again as soon as the event said.
        #expect(governor.judge(.sampler) <= decided)
    }
}
