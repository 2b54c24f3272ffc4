import Jetsam
import JetsamTesting
import Logging
import MemoryPressure
import Testing

struct ResourceManagerTests {
    @Test("The level rises at the reading that crosses and falls a step at a time after its delays")
    func levels() async throws {
        let fixture = try Fixture()
        try await fixture.run { fixture in
            var changes = fixture.manager.levelChanges.makeAsyncIterator()
            fixture.set(used: 480 * mebibyte)
            fixture.machine.advance(by: .milliseconds(200))
            #expect(fixture.manager.level == .critical)
            fixture.set(used: 100 * mebibyte)
            fixture.machine.advance(by: .seconds(1))
            #expect(fixture.manager.level == .critical)
            fixture.machine.advance(by: .seconds(1.5))
            #expect(fixture.manager.level == .warning)
            fixture.machine.advance(by: .seconds(5.1))
            #expect(fixture.manager.level == .normal)
            var found: [PressureLevel?] = []
            for _ in 0..<3 { found.append(await changes.next(isolation: nil)?.level) }
            #expect(found == [.critical, .warning, .normal])
        }
    }

    @Test("An observer that is slower than the changes misses the oldest, and is told how many")
    func missedChanges() async throws {
        let fixture = try Fixture()
        try await fixture.run { fixture in
            var changes = fixture.manager.levelChanges.makeAsyncIterator()
            fixture.manager.simulate(.warning)
            _ = await changes.next(isolation: nil)
            for round in 0..<20 {
                fixture.manager.simulate(round % 2 == 0 ? .critical : .normal)
                fixture.machine.advance(by: .seconds(10))
                await fixture.toldEverything()
            }
            let first = try #require(await changes.next(isolation: nil))
            #expect(first.missedBefore > 0)
            let second = try #require(await changes.next(isolation: nil))
            #expect(second.missedBefore == 0)
            #expect(second.sequence > first.sequence)
        }
    }

    @Test("A handler hears each change in order on the executor that it named")
    func observers() async throws {
        let fixture = try Fixture()
        let heard = Lock<[PressureLevel]>([])
        let gate = Gate()
        try await fixture.run { fixture in
            let observation = fixture.manager.observeLevel(on: nil) { change in
                heard.withLock { $0.append(change.level) }
                gate.arrive()
            }
            fixture.manager.simulate(.warning)
            fixture.manager.simulate(.critical)
            await gate.waitForArrivals(2)
            observation.cancel()
        }
        #expect(heard.withLock { $0 } == [.warning, .critical])
    }

    @Test("A second manager on one registry, and a second run, are thrown errors")
    func oneManager() async throws {
        let fixture = try Fixture()
        let second = try ResourceManager(
            registry: fixture.registry, backgroundTasks: BackgroundTaskRegistry(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            environment: fixture.machine.environment)
        try await fixture.run { _ in
            _ = await #expect(throws: ResourceManagerError.registryInUse) { try await second.run() }
        }
        await #expect(throws: ResourceManagerError.hasRunBefore) { try await fixture.manager.run() }
    }

    @Test("A configuration that contradicts itself is refused with the setting's name")
    func badConfiguration() {
        var configuration = ManagerConfiguration()
        configuration.headroom.criticalPercent = 50
        let error = #expect(throws: ConfigurationError.self) { try Fixture(configuration: configuration) }
        #expect(error?.setting == "headroom.criticalPercent")
    }

    @Test(
        "Where nothing says how much room is left and there is no budget, there is no manager, and it says what is missing",
        arguments: [false, true])
    func nothingToWatch(hasBudget: Bool) throws {
        let machine = SimulatedMachine(tree: try KernelTree(.bare))
        defer { machine.tree.remove() }
        machine.tree.damage("/proc/meminfo", .missing)
        var configuration = ManagerConfiguration()
        if hasBudget { configuration.footprint = .init(budgetBytes: 100 << 20) }
        func make() throws -> ResourceManager {
            try ResourceManager(
                configuration: configuration, registry: CacheRegistry(),
                backgroundTasks: machine.makeBackgroundTaskRegistry(),
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, environment: machine.environment)
        }
        if hasBudget {
            let budget = try make().status.footprintBudget
            #expect(budget?.bytes == 100 << 20)
            #expect(budget?.warningBytes == 80 << 20)
            #expect(budget?.criticalBytes == 92 << 20)
            return
        }
        let error = #expect(throws: MemoryPressureError.self) { try make() }
        #expect(error?.description.contains("/proc/meminfo") == true)
    }

    @Test("Where no limit is set and the machine's memory cannot be read either, there is no manager")
    func noLimit() throws {
        for limit in [nil, 512 * mebibyte] {
            let machine = SimulatedMachine(tree: try .v2(limit: limit))
            defer { machine.tree.remove() }
            machine.tree.damage("/proc/meminfo", .missing)
            func make() throws -> ResourceManager {
                try ResourceManager(
                    registry: CacheRegistry(), backgroundTasks: machine.makeBackgroundTaskRegistry(),
                    logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, environment: machine.environment)
            }
            guard limit == nil else {
                _ = try make()
                continue
            }
            let error = #expect(throws: MemoryPressureError.self) { try make() }
            #expect(error?.description.contains("/proc/meminfo") == true)
        }
    }

    @Test("Whether there is a limit is said not to be known where the cgroup cannot be found, and is known else")
    func unknownLimit() async throws {
        let logs = LogRecord()
        let fixture = try Fixture(logger: logs.logger)
        try await fixture.run { _ in }
        #expect(!logs.lines.contains { $0.text.contains("whether there is a memory limit") })
        let machine = SimulatedMachine(tree: try .v2(limit: 512 * mebibyte))
        machine.tree.damage("/proc/self/mountinfo", .missing)
        let manager = try ResourceManager(
            registry: CacheRegistry(), backgroundTasks: machine.makeBackgroundTaskRegistry(), logger: logs.logger,
            environment: machine.environment)
        let running = Task { try await manager.run() }
        await machine.waitUntilStarted()
        running.cancel()
        try await running.value
        machine.tree.remove()
        let lines = logs.lines.filter { $0.text.contains("whether there is a memory limit") }
        #expect(lines.map(\.level) == [.warning])
        #expect(
            lines.first?.text.contains("/proc/self/mountinfo") == true || lines.first?.text.contains("ENOENT") == true)
    }

    @Test("Where nothing runs, a call for bytes is answered with nil: before the first run and after the last")
    func notRunning() async throws {
        let fixture = try Fixture()
        #expect(await fixture.manager.releaseCaches(bytes: 1) == nil)
        try await fixture.run { fixture in
            #expect(await fixture.manager.releaseCaches(bytes: 1) != nil)
        }
        #expect(await fixture.manager.releaseCaches(bytes: 1) == nil)
    }

    @Test("The last resort is called once, when nothing is left to take and headroom stays critical for too long")
    func lastResort() async throws {
        let calls = Lock<[LevelReason]>([])
        let gate = Gate()
        let fixture = try Fixture { reason in
            calls.withLock { $0.append(reason) }
            gate.arrive()
        }
        try await fixture.run { fixture in
            fixture.set(used: 480 * mebibyte)
            for _ in 0..<58 {
                fixture.machine.advance(by: .seconds(1))
                await fixture.settle()
            }
            #expect(calls.withLock { $0.isEmpty })
            for _ in 0..<5 {
                fixture.machine.advance(by: .seconds(1))
                await fixture.settle()
            }
            await gate.waitForArrivals(1)
            fixture.machine.advance(by: .seconds(100))
            await fixture.settle()
        }
        #expect(calls.withLock { $0.count } == 1)
    }

    @Test("Neither a simulation nor stall leads to the last resort")
    func lastResortNeedsHeadroom() async throws {
        let calls = Lock(0)
        let fixture = try Fixture { _ in calls.withLock { $0 += 1 } }
        try await fixture.run { fixture in
            fixture.manager.simulate(.critical)
            for _ in 0..<100 {
                fixture.machine.advance(by: .seconds(1))
                await fixture.settle()
            }
            #expect(fixture.manager.level == .critical)
        }
        #expect(calls.withLock { $0 } == 0)
    }

    @Test("When the cgroup's files vanish the manager goes on with what is left, and says so")
    func vanishedFiles() async throws {
        let fixture = try Fixture()
        try await fixture.run { fixture in
            fixture.machine.advance(by: .seconds(1))
            let directory = try #require(fixture.machine.tree.directory())
            for file in ["memory.current", "memory.stat", "memory.max", "memory.events"] {
                fixture.machine.tree.damage("\(directory)/\(file)", .empty)
            }
            fixture.machine.advance(by: .seconds(30))
            #expect(fixture.manager.level == .normal)
            let usage = fixture.manager.status.sources.first { $0.source == .usage }
            #expect(usage?.isUsed == false)
            #expect(fixture.manager.status.reading.availableBytes != nil)
        }
    }

    @Test("Far from the limit the sampler runs once in two seconds")
    func idleRate() async throws {
        let fixture = try Fixture(used: 10 * mebibyte)
        fixture.machine.tree.setLimit(bytes: 16 << 30)
        try await fixture.run { fixture in
            let before = fixture.machine.samplerRuns
            fixture.machine.advance(by: .seconds(60))
            #expect(fixture.machine.samplerRuns - before <= 31)
        }
    }

    @Test("A limit that is resized in place is seen within a second")
    func resizedLimit() async throws {
        let fixture = try Fixture(used: 200 * mebibyte)
        try await fixture.run { fixture in
            fixture.machine.advance(by: .seconds(1))
            #expect(fixture.manager.level == .normal)
            fixture.machine.tree.setLimit(bytes: 220 * mebibyte)
            fixture.machine.advance(by: .seconds(1.1))
            #expect(fixture.manager.level == .critical)
        }
    }
}
