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
}
