import JetsamTesting
import Logging
import MemoryPressure
import Testing

@testable import BackgroundTasks
@testable import Jetsam
@testable import JetsamPolicy
@testable import PurgeableCaches

/// Caches that promise what never comes back, throw, or say nothing at all.
struct PoorHandlerTests {
    private let logs = LogRecord()

    private func lines(_ part: String) -> [LogRecord.Line] { logs.lines.filter { $0.text.contains(part) } }

    private func pass(
        _ times: Int, of time: Duration = .milliseconds(100), _ fixture: Fixture,
        until isDone: @Sendable () -> Bool = { false }
    ) async {
        for _ in 0..<times where !isDone() {
            fixture.machine.advance(by: time)
            await fixture.settle()
        }
    }

    @Test(
        "Handlers that lie or throw are asked a few times, and then what is left of the ladder goes on",
        arguments: [true, false])
    func asksFewTimes(lies: Bool) async throws {
        struct Broken: Error {}
        let resorts = Lock(0)
        let fixture = try Fixture(logger: logs.logger) { _ in resorts.withLock { $0 += 1 } }
        // The registry of the fixture holds the handler, which must not hold the fixture.
        let clock = fixture.machine.clock
        let cache = FakeCache("poor", bytes: 200 * mebibyte, in: fixture) { _, request in
            // Time passes with every call, or a fault would show as a test that never ends.
            clock.advance(by: .microseconds(100))
            if lies { return request.bytes }
            throw Broken()
        }
        try await fixture.run { fixture in
            fixture.set(used: 505 * mebibyte)
            await pass(80, fixture)
            #expect(fixture.manager.level == .critical)
            #expect(cache.requests.count < 30, "asked \(cache.requests.count) times")
            let totals = fixture.manager.status.caches.first
            #expect(totals?.name == "poor")
            await pass(180, of: .milliseconds(500), fixture) { resorts.withLock { $0 } > 0 }
            #expect(resorts.withLock { $0 } == 1)
            await fixture.toldEverything()
        }
        let named = lines("Cache 'poor' promised ")
        #expect(named.count == (lies ? 1 : 0))
        if lies { #expect(named.first?.text.contains(", returned nothing: ") == true) }
        #expect(logs.lines.count { $0.text.hasPrefix("Reclaim step ") } < 40)
        cache.end()
    }

    @Test("A cache whose bytes growth took up that began while it gave is not taken for one that gives nothing")
    func growthBeginsInStep() async throws {
        let resorts = Lock(0)
        let fixture = try Fixture(logger: logs.logger) { _ in resorts.withLock { $0 += 1 } }
        let calls = Lock(0)
        // Less than half of what it promises: that alone is no reason to doubt what the step shows.
        fixture.set(used: 425 * mebibyte)
        let cache = FakeCache("honest", bytes: 150 * mebibyte, in: fixture) { cache, request in
            let given = cache.give(request.bytes)
            calls.withLock { $0 += 1 }
            if calls.withLock({ $0 }) == 1 {
                cache.fixture.change(used: given)
                cache.fixture.machine.clock.advance(by: .milliseconds(80))
            }
            return given
        }
        try await fixture.run { fixture in
            fixture.set(used: 440 * mebibyte)
            try await fixture.advance(until: "it has given") { !cache.requests.isEmpty && !cache.isBusy }
            await fixture.settle()
            // One step seemed to show it, unless a reading came while it gave, and told the growth.
            let wasSeen = fixture.manager.status.recentSteps.contains { $0.step.isDisturbed }
            #expect(fixture.registry.hollowBytes == (wasSeen ? 0 : fixture.registry.reportedBytes))
            // The growth goes on.
            for _ in 0..<12 {
                fixture.change(used: 5 * mebibyte)
                await pass(1, of: .milliseconds(10), fixture)
            }
            // Later steps may show that growth goes on to hide a part.
            #expect(fixture.registry.hollowBytes <= fixture.registry.reportedBytes / 2)
            #expect(cache.requests.count > 1)
            #expect(resorts.withLock { $0 } == 0)
        }
        cache.end()
    }

    @Test("A name and an error of several lines stay on one line of the log")
    func onOneLine() async throws {
        struct Broken: Error, CustomStringConvertible { let description = "first\nsecond\u{1B}[2J" }
        let fixture = try Fixture(logger: logs.logger)
        let clock = fixture.machine.clock
        let cache = FakeCache("po\nor", bytes: 200 * mebibyte, in: fixture) { _, _ in
            clock.advance(by: .microseconds(100))
            throw Broken()
        }
        try await fixture.run { fixture in
            fixture.set(used: 505 * mebibyte)
            await pass(80, fixture) { !lines("threw").isEmpty }
            await fixture.toldEverything()
        }
        #expect(lines("threw").first?.text == #"Cache 'po\nor' threw: first\nsecond\u{1B}[2J"#)
        #expect(logs.lines.allSatisfy { !$0.text.contains("\n") || $0.text.hasPrefix("Memory signal") })
        let late = LateObserver(name: "a\nb", callback: "didEnterBackground", deadline: .seconds(1))
        #expect(late.line == #"'a\nb' in didEnterBackground"#)
        cache.end()
    }

    @Test("A liar does not keep honest caches from being asked for all that is missing")
    func honestBesideLiar() async throws {
        let fixture = try Fixture()
        let liar = FakeCache("liar", bytes: 100 * mebibyte, priority: .low, in: fixture) { _, request in request.bytes }
        let honest = FakeCache("honest", bytes: 200 * mebibyte, priority: .high, in: fixture)
        try await fixture.run { fixture in
            fixture.set(used: 490 * mebibyte)
            await pass(600, fixture) { honest.state.withLock { $0.bytes } < 110 * mebibyte }
            #expect(fixture.registry.reportedBytes >= 100 * mebibyte)
            #expect(honest.state.withLock { $0.bytes } < 110 * mebibyte)
        }
        liar.end()
    }

    @Test(
        "A cache that never reports is named once, and so is a critical level with nobody to ask",
        arguments: [true, false])
    func silent(isRegistered: Bool) async throws {
        let fixture = try Fixture(logger: logs.logger)
        let registration = isRegistered ? fixture.registry.register("mute") { _ in 0 } : nil
        try await fixture.run { fixture in
            for _ in 0..<2 {
                fixture.set(used: 505 * mebibyte)
                await pass(50, fixture)
                fixture.set(used: 100 * mebibyte)
                await pass(100, fixture)
            }
            await fixture.toldEverything()
        }
        #expect(lines("Cache 'mute' has never reported bytes").count == (isRegistered ? 1 : 0))
        #expect(lines("no cache is registered").count == (isRegistered ? 0 : 1))
        registration?.end()
    }

    @Test("A cache keeps a quarter at warning and nothing at critical; ten minutes of warning are told once")
    func lastingWarning() async throws {
        let fixture = try Fixture(logger: logs.logger)
        let cache = FakeCache("cache", bytes: 40 * mebibyte, in: fixture)
        try await fixture.run { fixture in
            fixture.set(used: 460 * mebibyte)
            await pass(100, fixture)
            #expect(fixture.manager.level == .warning)
            #expect(fixture.registry.reportedBytes == 10 * mebibyte)
            let asks = cache.requests.count
            await pass(500, of: .seconds(1), fixture)
            #expect(cache.requests.count == asks, "nobody is asked for what is kept")
            await pass(150, of: .seconds(1), fixture)
            #expect(fixture.manager.level == .warning)
            await fixture.toldEverything()
            let told = lines("Memory has been short for ten minutes")
            #expect(told.count == 1)
            #expect(told.first?.text.contains("larger would do") == true)
            fixture.set(used: 505 * mebibyte)
            await pass(20, fixture)
            #expect(fixture.registry.reportedBytes == 0)
        }
        cache.end()
    }

    @Test("Of many handlers that fail in one step the first ten have a line, and the others one together")
    func manyProblems() async throws {
        struct Broken: Error {}
        let fixture = try Fixture(logger: logs.logger)
        let caches = (0..<30).map { number in
            FakeCache("poor \(number)", bytes: 4 * mebibyte, in: fixture) { _, _ in throw Broken() }
        }
        try await fixture.run { fixture in
            await fixture.manager.releaseCaches(bytes: 200 * mebibyte)
            await fixture.toldEverything()
            #expect(lines("' threw: ").count == 10)
            #expect(lines("20 more calls of caches threw or missed the deadline").count == 1)
        }
        for cache in caches { cache.end() }
    }

    @Test("Of a heap cache it is found out at normal what comes back, for less than a mebibyte at a time, and said")
    func probe() async throws {
        let fixture = try Fixture(logger: logs.logger)
        let asks = Lock<[Int]>([])
        let returns = Lock(false)
        let held = Lock(64 * mebibyte)
        let registration = fixture.registry.registerValues(
            "values", priority: .normal, rebuildCost: nil, traits: [], scene: nil, refetched: RefetchedBytes(),
            limit: { _ in },
            release: { [unowned fixture] request in
                asks.withLock { $0.append(request.bytes) }
                held.withLock { $0 -= request.bytes }
                if returns.withLock({ $0 }) { fixture.change(used: -request.bytes) }
                return request.bytes
            }, bytes: { held.withLock { $0 } })
        registration.update(bytes: 64 * mebibyte)
        try await fixture.run { fixture in
            await pass(3000, fixture) { asks.withLock { $0.count { $0 > 0 } } == 2 }
            await pass(300, fixture)
            let asked = asks.withLock { $0.filter { $0 > 0 } }
            #expect(asked.count == 2)
            #expect(asked.allSatisfy { $0 > 0 && $0 <= mebibyte })
            #expect(fixture.manager.level == .normal)
            #expect(fixture.registry.hollowBytes == registration.reportedBytes)
            await fixture.toldEverything()
            #expect(lines("Cache 'values' promised ").count == 1)
            #expect(logs.lines.filter { $0.text.hasPrefix("Reclaim probe") }.allSatisfy { $0.level == .debug })

            // What is known of it is looked at again after a while.
            returns.withLock { $0 = true }
            for _ in 0..<1200 where fixture.registry.hollowBytes == registration.reportedBytes {
                fixture.machine.advance(by: .seconds(1))
                await fixture.settle()
            }
            #expect(fixture.registry.hollowBytes < registration.reportedBytes)
        }
        registration.end()
    }

    @Test("A cache is probed also where somebody else than the sampler was the first to look at the paths")
    func probeBesideOthers() async throws {
        let fixture = try Fixture()
        try await fixture.run { fixture in
            let asks = Lock(0)
            let registration = fixture.registry.registerValues(
                "values", priority: .normal, rebuildCost: nil, traits: [], scene: nil, refetched: RefetchedBytes(),
                limit: { _ in },
                release: { request in
                    if request.bytes > 0 { asks.withLock { $0 += 1 } }
                    return 0
                }, bytes: { 64 * mebibyte })
            registration.update(bytes: 64 * mebibyte)
            fixture.machine.clock.advance(by: ManagerConfiguration().sampling.pathsInterval)
            fixture.manager.governor.judge(.request)
            fixture.manager.governor.judge(.sampler)
            for _ in 0..<100 where asks.withLock({ $0 }) == 0 { await fixture.settle() }
            #expect(asks.withLock { $0 } == 1)
            registration.end()
        }
    }

    @Test("A dry run probes nobody, and neither are handlers of the application's asked at normal")
    func noProbe() async throws {
        for isDryRun in [true, false] {
            var configuration = ManagerConfiguration()
            configuration.isDryRun = isDryRun
            let fixture = try Fixture(configuration: configuration)
            let asks = Lock(0)
            let ours = fixture.registry.registerValues(
                "values", priority: .normal, rebuildCost: nil, traits: [], scene: nil, refetched: RefetchedBytes(),
                limit: { _ in },
                release: { _ in
                    asks.withLock { $0 += 1 }; return 0
                })
            if isDryRun { ours.update(bytes: 64 * mebibyte) }
            let theirs = FakeCache("theirs", bytes: 64 * mebibyte, in: fixture)
            try await fixture.run { fixture in
                for _ in 0..<60 { fixture.machine.advance(by: .seconds(1)) }
            }
            #expect(asks.withLock { $0 } == 0)
            #expect(theirs.requests.isEmpty)
            ours.end()
        }
    }
}

struct HollowBytesTests {
    @Test("What is not expected to come back follows what a cache reports, and is gone with it")
    func follows() throws {
        let registry = CacheRegistry()
        let registration = registry.register("cache") { _ in 0 }
        let other = registry.register("other") { _ in 0 }
        other.update(bytes: 500)
        registration.update(bytes: 1000 * mebibyte)
        #expect(registry.hollowBytes == 0)
        let client = try #require(registry.clients.first)
        registry.expect(share: 0, of: client)
        #expect(registry.hollowBytes == 1000 * mebibyte)
        registration.update(bytes: 400 * mebibyte)
        #expect(registry.hollowBytes == 400 * mebibyte)
        registry.expect(share: 0.25, of: client)
        #expect(registry.hollowBytes == 300 * mebibyte)
        registry.expect(share: 1, of: client)
        #expect(registry.hollowBytes == 0)
        registry.expect(share: 0, of: client)
        registration.end()
        #expect(registry.hollowBytes == 0)
    }
}

struct ReturnedSharesTests {
    @Test("Who frees nothing has no part in what others gave; where nobody can tell, all share by their promises")
    func shares() {
        typealias Part = (promised: Int, proven: Int)?
        func shares(_ bytes: Int, _ parts: [Part]) -> [Int] { ReclaimMeasurement.shares(of: bytes, parts) }
        #expect(shares(50, [(50, 50), (50, 0)]) == [50, 0])
        #expect(shares(100, [(50, 50), (50, 0)]) == [50, 50])
        #expect(shares(50, [(50, 0), (50, 0)]) == [25, 25])
        #expect(shares(500, [(50, 0), nil]) == [50, 0])
        #expect(shares(0, [(50, 50)]) == [0])
    }
}
