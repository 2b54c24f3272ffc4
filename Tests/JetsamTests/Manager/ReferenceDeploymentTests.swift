import JetsamTesting
import Logging
import MemoryPressure
import Testing

@testable import BackgroundTasks
@testable import Jetsam
@testable import PurgeableCaches

/// An ordinary container: cgroup v2 mounted read-only, no privilege, no swap. In a virtual machine `tools/test-vm` does the
/// same with a real one.
@Suite("The reference deployment: read-only cgroup v2, unprivileged, no swap")
struct ReferenceDeploymentTests {
    private func container() throws -> (SimulatedMachine, ResourceManager, CacheRegistry) {
        let machine = SimulatedMachine(tree: try .readOnly(limit: 512 * mebibyte))
        let registry = CacheRegistry()
        var environment = machine.environment
        // Its own triggers are tried for real, and refused as the kernel refuses them there.
        environment.listensToKernel = true
        let manager = try ResourceManager(
            registry: registry, backgroundTasks: BackgroundTaskRegistry(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            environment: environment)
        return (machine, manager, registry)
    }

    private func running(
        _ machine: SimulatedMachine, _ manager: ResourceManager, _ body: () async throws -> Void
    ) async throws {
        let task = Task { try await manager.run() }
        await machine.waitUntilStarted()
        let result = await Result { try await body() }
        task.cancel()
        try await task.value
        try result.get()
    }

    @Test("No trigger can be armed, which is said with its reason, and the rest is used")
    func sources() async throws {
        let (machine, manager, _) = try container()
        try await running(machine, manager) {
            let sources = manager.status.sources
            let trigger = try #require(sources.first { $0.source == .pressureTrigger })
            #expect(!trigger.isUsed)
            #expect(trigger.description.contains("EROFS") || trigger.description.contains("EACCES"))
            for source in [MemorySignalSource.usage, .limits, .footprint, .memoryInfo, .pressureTotals, .memoryEvents] {
                #expect(sources.contains { $0.source == source && $0.isUsed }, "\(source)")
            }
        }
    }

    @Test("Short headroom is seen by the sampler alone, and caches give back what is missing")
    func headroom() async throws {
        let (machine, manager, registry) = try container()
        let registration = registry.register("cache") { request in
            machine.tree.setUnreclaimable(bytes: 300 * mebibyte)
            machine.tree.setFootprint(bytes: 300 * mebibyte)
            return request.bytes
        }
        registration.update(bytes: 200 * mebibyte)
        try await running(machine, manager) {
            var steps = manager.reclaimSteps.makeAsyncIterator()
            machine.tree.setUnreclaimable(bytes: 480 * mebibyte)
            machine.tree.setFootprint(bytes: 480 * mebibyte)
            machine.advance(by: .milliseconds(200))
            let step = try #require(await steps.next())
            #expect(step.level == .critical)
            #expect(step.headroomAfter == 212 * mebibyte)
        }
    }

    @Test("Without a trigger stall is read as deltas of the total, and warns with evidence of reclaim")
    func stall() async throws {
        let (machine, manager, _) = try container()
        machine.tree.setUnreclaimable(bytes: 300 * mebibyte)
        machine.tree.setPageCache(bytes: 150 * mebibyte)
        try await running(machine, manager) {
            for step in 1...30 {
                machine.tree.setStall(some: .milliseconds(20 * step))
                machine.tree.addEvents(max: 3)
                machine.advance(by: .milliseconds(100))
            }
            #expect(manager.level == .normal, "whoever writes files waits too")
            for step in 31...60 {
                machine.tree.setStall(some: .milliseconds(20 * step))
                machine.tree.addRefaults(pages: 100)
                machine.advance(by: .milliseconds(100))
            }
            #expect(manager.level == .warning)
            #expect(manager.status.reason?.rule == .stall)
            #expect(manager.status.reason?.cause == .sampler)
        }
    }

    @Test("Without a trigger and without PSI the headroom still leads")
    func withoutPSI() async throws {
        let machine = SimulatedMachine(tree: try .readOnly(limit: 512 * mebibyte))
        machine.tree.damage(machine.tree.pressurePath, .missing)
        machine.tree.damage("/proc/pressure/memory", .missing)
        let manager = try ResourceManager(
            registry: CacheRegistry(), backgroundTasks: BackgroundTaskRegistry(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            environment: machine.environment)
        try await running(machine, manager) {
            let totals = manager.status.sources.first { $0.source == .pressureTotals }
            #expect(totals?.isUsed == false)
            machine.tree.setUnreclaimable(bytes: 420 * mebibyte)
            machine.advance(by: .milliseconds(200))
            #expect(manager.level == .warning)
        }
    }
}

extension Result where Failure == any Error {
    /// What an asynchronous body gives or throws.
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
