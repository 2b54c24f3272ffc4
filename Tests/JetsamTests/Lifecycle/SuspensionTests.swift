import JetsamTesting
import MemoryPressure
import ServiceLifecycle
import Testing

@testable import BackgroundTasks
@testable import Jetsam
@testable import JetsamPolicy
@testable import PurgeableCaches

struct SuspensionTests {
    /// A process in the background that suspends itself when nothing was held for ten seconds.
    private static func fixture(
        _ configure: (inout ManagerConfiguration.Lifecycle) -> Void = { _ in }
    ) throws -> LifecycleFixture {
        try LifecycleFixture {
            $0.launchesIntoBackground = true
            $0.idleDelay = .seconds(10)
            configure(&$0)
        }
    }

    @Test(
        "An idle process suspends itself after the delay, gives back what it has, and announces nothing",
        arguments: [0, 64])
    func idle(mebibytes: Int) async throws {
        let fixture = try Self.fixture()
        let cache = PlainCache(bytes: mebibytes * mebibyte, in: fixture.registry)
        try await fixture.run { fixture in
            fixture.machine.advance(by: .milliseconds(9900))
            await fixture.settle()
            #expect(fixture.manager.processState == .background)
            // Time stands still while the cache gives: it would miss its deadline else.
            for _ in 0..<20 where fixture.manager.processState == .background {
                fixture.machine.advance(by: .milliseconds(100))
                await fixture.settle()
            }
            #expect(fixture.manager.processState == .suspended)
            try await fixture.until("all is given back") { cache.bytes == 0 && fixture.allocator.trims > 0 }
            let process = fixture.manager.status.process
            #expect(process.cause == .idle && process.transition?.from == .background)
            #expect(fixture.record.events == ["willFinishLaunching", "didFinishLaunching"])
        }
        #expect(fixture.record.events.count == 2, "a suspended process is not told that it ends")
    }

    @Test("Without a delay a process idles for ever")
    func never() async throws {
        let fixture = try Self.fixture { $0.idleDelay = nil }
        try await fixture.run { fixture in
            fixture.machine.advance(by: .seconds(3600))
            await fixture.settle()
            #expect(fixture.manager.processState == .background)
        }
    }

    @Test("A held background task, and a background mode, bar suspension until they end", arguments: [false, true])
    func barred(isMode: Bool) async throws {
        let fixture = try Self.fixture()
        try await fixture.run { fixture in
            let mode = isMode ? fixture.manager.beginBackgroundMode("replication") : nil
            let task = isMode ? nil : try fixture.tasks.begin("work").intoIdentifier()
            #expect(fixture.manager.status.process.backgroundModes == (isMode ? ["replication"] : []))
            fixture.machine.advance(by: .seconds(60))
            await fixture.settle()
            #expect(fixture.manager.processState == .background)
            mode?.end()
            if let task { fixture.tasks.endBackgroundTask(task) }
            #expect(fixture.manager.status.process.backgroundModes == [])
            fixture.machine.advance(by: .milliseconds(9900))
            await fixture.settle()
            #expect(fixture.manager.processState == .background, "the delay begins anew")
            fixture.machine.advance(by: .milliseconds(2100))
            try await fixture.until("it is suspended") { fixture.manager.processState == .suspended }
        }
    }

    @Test("A configured background mode bars suspension for good, and one that is dropped ends")
    func modes() async throws {
        let fixture = try Self.fixture { $0.backgroundModes = ["sync"] }
        try await fixture.run { fixture in
            do {
                let mode = fixture.manager.beginBackgroundMode("replication")
                #expect(fixture.manager.status.process.backgroundModes == ["sync", "replication"])
                _ = mode
            }
            #expect(fixture.manager.status.process.backgroundModes == ["sync"])
            fixture.machine.advance(by: .seconds(600))
            await fixture.settle()
            #expect(fixture.manager.processState == .background)
        }
    }

    @Test("Modes that began and ended at the same time bar nothing once all have ended", arguments: seedBatches)
    func manyModes(seeds: ClosedRange<UInt64>) async throws {
        let machine = SimulatedMachine(tree: try .v2(limit: 512 * mebibyte))
        defer { machine.tree.remove() }
        let tasks = machine.makeBackgroundTaskRegistry()
        let time = BackgroundTimeLimit(tasks: tasks)
        for seed in seeds {
            let watch = LifecycleWatch()
            watch.entered(.background)
            let modes = BackgroundModes([], watch: watch)
            await withTaskGroup(of: Void.self) { group in
                for thread in 0..<3 {
                    group.addTask {
                        for number in 0..<300 {
                            let id = modes.begin("\(thread)")
                            if number.isMultiple(of: 7) { #expect(modes.names.contains("\(thread)")) }
                            #expect(modes.end(id) && !modes.end(id))
                        }
                    }
                }
            }
            #expect(modes.isEmpty && modes.names.isEmpty)
            _ = watch.look(at: .seconds(100), idleDelay: 1_000_000_000, tasks: tasks, backgroundTime: time)
            let look = watch.look(at: .seconds(102), idleDelay: 1_000_000_000, tasks: tasks, backgroundTime: time)
            #expect(look.isDue, "batch of \(seed): it may idle")
        }
    }

    @Test("A task that came and went between two looks starts the delay anew")
    func shortTask() async throws {
        let fixture = try Self.fixture()
        try await fixture.run { fixture in
            fixture.machine.advance(by: .seconds(8))
            fixture.tasks.endBackgroundTask(try fixture.tasks.begin("short").intoIdentifier())
            fixture.machine.advance(by: .milliseconds(9900))
            await fixture.settle()
            #expect(fixture.manager.processState == .background)
            fixture.machine.advance(by: .milliseconds(2100))
            try await fixture.until("it is suspended") { fixture.manager.processState == .suspended }
        }
    }

    @Test(
        "A new task wakes a suspended process, even one that has ended again; then it may idle once more",
        arguments: [false, true])
    func wakes(endsAtOnce: Bool) async throws {
        let fixture = try Self.fixture()
        try await fixture.run { fixture in
            fixture.machine.advance(by: .seconds(12))
            try await fixture.until("it is suspended") { fixture.manager.processState == .suspended }
            fixture.machine.advance(by: .seconds(60))
            await fixture.settle()
            #expect(fixture.manager.processState == .suspended)
            let task = try fixture.tasks.begin("work").intoIdentifier()
            if endsAtOnce { fixture.tasks.endBackgroundTask(task) }
            fixture.machine.advance(by: .seconds(2))
            try await fixture.until("it is awake") { fixture.manager.processState == .background }
            #expect(fixture.manager.status.process.cause == .resume)
            fixture.tasks.endBackgroundTask(task)
            fixture.machine.advance(by: .seconds(14))
            try await fixture.until("it is suspended") { fixture.manager.processState == .suspended }
        }
    }

    @Test("A suspended process comes back by request: to the background, or all the way to active")
    func requests() async throws {
        let fixture = try LifecycleFixture()
        try await fixture.run { fixture in
            let manager = fixture.manager
            try await manager.didResume()
            #expect(manager.processState == .active, "nothing to resume")
            try await manager.suspend(cause: .pressure)
            #expect(manager.processState == .suspended && !manager.isReady)
            try await manager.didResume()
            #expect(manager.processState == .background && manager.status.process.cause == .resume)
            try await manager.suspend()
            try await manager.becomeActive()
            #expect(manager.isReady)
            #expect(
                fixture.record.events.dropFirst(3) == [
                    "willResignActive", "didEnterBackground", "willEnterForeground", "didBecomeActive",
                ])
        }
    }

    @Test("A suspended process that is told to end wakes for nobody, and nobody is told")
    func shutdown() async throws {
        let fixture = try Self.fixture()
        try await fixture.run(servers: []) { fixture, group in
            fixture.machine.advance(by: .seconds(12))
            try await fixture.until("it is suspended") { fixture.manager.processState == .suspended }
            await group.triggerGracefulShutdown()
        }
        #expect(fixture.manager.status.process.transition?.from == .suspended)
        #expect(fixture.manager.status.process.cause == .shutdown)
        #expect(fixture.record.events == ["willFinishLaunching", "didFinishLaunching"])
        #expect(fixture.seconds == 12)
    }

    @Test(
        "An idle process does not refill its caches before it is active again, and draining lifts nothing that is not there"
    )
    func limits() async throws {
        let fixture = try LifecycleFixture()
        let (limits, own) = (Lock<[Int?]>([]), Lock<CacheRegistration?>(nil))
        let made = fixture.registry.register(
            "cache", limit: { bytes in limits.withLock { $0.append(bytes) } },
            release: { request in
                own.withLock { $0 }?.update(bytes: 1000 - request.bytes)
                return request.bytes
            })
        own.withLock { $0 = made }
        made.update(bytes: 1000)
        try await fixture.run { fixture in
            try await fixture.manager.enterBackground()
            try await fixture.until("its limit is what is left") { limits.withLock { $0 } == [500] }
            fixture.machine.advance(by: .seconds(60))
            await fixture.settle()
            #expect(limits.withLock { $0 } == [500])
            try await fixture.manager.becomeActive()
            try await fixture.until("it may grow again") { limits.withLock { $0 } == [500, nil] }
        }
        own.withLock { $0.take() }?.end()
    }

    @Test("What is private is gone before the observers hear of the background", arguments: [false, true])
    func sensitive(isDraining: Bool) async throws {
        let fixture = try LifecycleFixture()
        let seen = Lock<Int?>(nil)
        let own = Lock<CacheRegistration?>(nil)
        let made = fixture.registry.register(
            "private", traits: .sensitive, limit: { _ in },
            release: { request in
                own.withLock { $0 }?.update(bytes: 0)
                return request.bytes
            })
        own.withLock { $0 = made }
        made.update(bytes: 1000)
        fixture.record.on("didEnterBackground") {
            let bytes = fixture.registry.reportedBytes
            seen.withLock { $0 = bytes }
        }
        try await fixture.run(servers: []) { fixture, group in
            await fixture.record.heard("didBecomeActive")
            if !isDraining { try await fixture.manager.enterBackground() }
            await group.triggerGracefulShutdown()
        }
        #expect(seen.withLock { $0 } == 0)
        own.withLock { $0.take() }?.end()
    }

    @Test("An idle process halves its caches; one that drains keeps what it needs to finish")
    func caches() async throws {
        let fixture = try LifecycleFixture()
        let cache = PlainCache(bytes: 64 * mebibyte, in: fixture.registry)
        try await fixture.run(servers: []) { fixture, group in
            await fixture.record.heard("didBecomeActive")
            try await fixture.manager.enterBackground()
            try await fixture.until("half is given back") { cache.bytes == 32 * mebibyte }
            try await fixture.manager.becomeActive()
            await group.triggerGracefulShutdown()
        }
        #expect(fixture.record.events.last == "willTerminate")
        #expect(cache.bytes == 32 * mebibyte)
    }
}
