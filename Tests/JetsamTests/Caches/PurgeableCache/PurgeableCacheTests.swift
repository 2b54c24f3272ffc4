import JetsamTesting
import MemoryPressure
import Testing

@testable import BackgroundTasks
@testable import Jetsam
@testable import PurgeableCaches

struct PurgeableCacheTests {
    private let registry = CacheRegistry()

    private func cache(limit: Int? = nil) -> PurgeableCache<Int, String> {
        PurgeableCache(name: "test", limit: limit, registry: registry)
    }

    @Test("A value is found until it is taken out or replaced")
    func basics() {
        let cache = cache()
        #expect(cache.value(for: 1) == nil)
        cache.insert("one", for: 1, cost: 10)
        cache.insert("two", for: 2, cost: 20)
        #expect(cache.value(for: 1) == "one" && cache.value(for: 2) == "two")
        #expect(cache.count == 2 && cache.totalCost == 30)
        cache.insert("uno", for: 1, cost: 5)
        #expect(cache.value(for: 1) == "uno" && cache.totalCost == 25)
        #expect(cache.removeValue(for: 1) == "uno" && cache.removeValue(for: 1) == nil)
        cache.removeAll()
        #expect(cache.count == 0 && cache.totalCost == 0 && cache.value(for: 2) == nil)
        #expect(registry.reportedBytes == 0)
    }

    @Test(
        "Costs are held to what can be counted, and what costs more than the limit is not kept",
        arguments: [
            (cost: 0, limit: Int?.none, counted: Int?(0)), (-5, nil, 0), (.min, nil, 0), (7, nil, 7),
            (.max, nil, 1 << 40 - 1), (100, 100, 100), (101, 100, nil), (.max, 100, nil), (0, 0, 0), (1, 0, nil),
            (1, -3, nil),
        ])
    func costs(cost: Int, limit: Int?, counted: Int?) {
        let cache = cache(limit: limit)
        cache.insert("first", for: 1)
        cache.insert("value", for: 1, cost: cost)
        #expect(cache.totalCost == counted ?? 0)
        #expect(
            cache.peek(1) == (counted == nil ? nil : "value"),
            "what there was goes also where its successor is not kept")
        cache.removeValue(for: 1)
        #expect(cache.totalCost == 0 && cache.statistics.reportedBytes == 0)
    }

    @Test("A few large values share one limit, wherever their hashes put them", arguments: [1, 2, 10, 64, 200])
    func fewLargeValues(capacity: Int) {
        let cache = cache(limit: capacity * 1000)
        for key in 0..<capacity { cache.insert("", for: key, cost: 1000) }
        #expect(cache.count == capacity)
        for key in capacity..<3 * capacity {
            cache.insert("", for: key, cost: 1000)
            #expect(cache.peek(key) != nil)
            #expect(cache.count == capacity)
        }
    }

    @Test("What is asked for again outlives a scan of what is asked for once")
    func scan() {
        let cache = PurgeableCache<Int, Int>(name: "test", limit: 10_000, registry: registry)
        for round in 0..<3 {
            for key in 0..<4000 where cache.value(for: key) == nil { cache.insert(round, for: key, cost: 1) }
        }
        for key in 10_000..<100_000 where cache.value(for: key) == nil { cache.insert(0, for: key, cost: 1) }
        let left = (0..<4000).filter { cache.peek($0) != nil }.count
        #expect(left > 3600)
    }

    @Test("When other keys become popular they take the place of those that were")
    func shift() {
        let cache = PurgeableCache<Int, Int>(name: "test", limit: 10_000, registry: registry)
        for round in 0..<10 {
            for key in 0..<9000 where cache.value(for: key) == nil { cache.insert(round, for: key, cost: 1) }
        }
        for round in 0..<10 {
            for key in 10_000..<19_000 where cache.value(for: key) == nil { cache.insert(round, for: key, cost: 1) }
        }
        let found = (10_000..<19_000).filter { cache.peek($0) != nil }.count
        #expect(found > 6000)
    }

    @Test("Lowering the limit evicts at once; the registry's limit frees nothing but stops growth")
    func limits() throws {
        let cache = cache()
        for key in 0..<1000 { cache.insert("", for: key, cost: 100) }
        #expect(cache.limit == nil && cache.totalCost == 100_000)
        cache.limit = 60_000
        #expect(cache.totalCost == 60_000 && cache.limit == 60_000)
        let bytes = cache.statistics.reportedBytes
        try registry.limitFirst(to: bytes / 2)
        #expect(cache.statistics.reportedBytes == bytes)
        for key in 1000..<3000 {
            cache.insert("", for: key, cost: 30)
            #expect(cache.statistics.reportedBytes <= bytes)
        }
        try registry.limitFirst(to: nil)
        cache.limit = nil
        for key in 0..<10_000 { cache.insert("", for: key, cost: 100) }
        #expect(cache.totalCost > 900_000)
    }

    @Test("A release gives at least what is asked for, and says exactly what", arguments: [0, 1, 5000, 99_999, .max])
    func release(bytes: Int) throws {
        let cache = cache()
        for key in 0..<1000 { cache.insert("", for: key, cost: 100) }
        let before = cache.statistics.reportedBytes
        let given = try registry.releaseFromFirst(bytes)
        #expect(
            given >= min(bytes, before) && given <= min(before, bytes == .max ? before : bytes + 100 + cache.overhead))
        #expect(cache.statistics.reportedBytes == before - given)
        #expect(bytes != .max || cache.count == 0)
    }

    @Test("What a release gives of small entries has left the cache's own memory as well", arguments: [0.3, 0.9, 1])
    func places(share: Double) {
        let cache = PurgeableCache<Int, Int>(name: "test", registry: registry)
        for key in 0..<200_000 { cache.insert(key, for: key) }
        let before = cache.statistics.reportedBytes
        let given = cache.release(bytes: Int(Double(before) * share))
        var places = 0
        cache.table.forEachShard { places += $0.count + $0.emptyPlaces }
        #expect(given >= Int(Double(before) * share))
        #expect(places <= cache.count + cache.count / 8 + 64 * 256)
        #expect((0..<200_000).count { cache.peek($0) == $0 } == cache.count)
        cache.table.forEachShard { $0.expectConsistent() }
        if share == 1 { #expect(cache.count == 0 && cache.table.memory.slabCount == 0) }
    }

    @Test(
        "Entries that leave without a release leave no memory behind that is not reported",
        arguments: ["removed", "expired", "below a lower limit", "for large values"])
    func places(of way: String) {
        let clock = ManualClock()
        let cache = PurgeableCache<Int, Int>(name: "test", limit: 1_000_000, registry: registry, clock: clock)
        for key in 0..<200_000 {
            cache.insert(key, for: key, cost: 5, expiresAfter: way == "expired" ? .seconds(1) : nil)
        }
        switch way {
        case "removed": for key in 0..<200_000 where key % 100 != 0 { cache.removeValue(for: key) }
        case "expired":
            clock.advance(by: .seconds(2))
            for key in 0..<200_000 { #expect(cache.value(for: key) == nil) }
        case "below a lower limit": cache.limit = 10_000
        default: for key in 200_000..<201_000 { cache.insert(key, for: key, cost: 10_000) }
        }
        var places = 0
        cache.table.forEachShard {
            $0.expectConsistent()
            places += $0.count + $0.emptyPlaces
        }
        #expect(cache.count < 3000)
        #expect(places <= 2 * cache.count + 64 * (256 + 128))
    }

    @Test("After a release by the manager the registry knows what is left, without another call")
    func reportsAfterRelease() async throws {
        let fixture = try Fixture()
        let cache = PurgeableCache<Int, Int>(name: "values", registry: fixture.registry)
        for key in 0..<1000 { cache.insert(key, for: key, cost: 10_000) }
        try await fixture.run { fixture in
            await fixture.manager.releaseCaches(bytes: 5_000_000)
            #expect(cache.count < 1000)
            #expect(fixture.registry.reportedBytes == cache.statistics.reportedBytes)
        }
    }

    @Test("What it reports follows what it holds, to within a half per cent")
    func reporting() {
        let cache = cache()
        #expect(registry.reportedBytes == 0)
        for key in 0..<2000 {
            cache.insert("", for: key, cost: 1000)
            let bytes = cache.statistics.reportedBytes
            #expect(abs(registry.reportedBytes - bytes) <= bytes / 200)
        }
        cache.release(bytes: 500_000)
        #expect(registry.reportedBytes == cache.statistics.reportedBytes)
        for key in 0..<2000 { cache.removeValue(for: key) }
        #expect(registry.reportedBytes == 0)
    }

    @Test("A value whose deinit uses the cache finds it unlocked", arguments: [false, true])
    func reentrantDeinit(atOnce: Bool) {
        let counter = CountedValue.Counter()
        let cache = PurgeableCache<Int, CountedValue>(name: "test", limit: 100, registry: registry)
        for key in 0..<1000 {
            let value = CountedValue(key, counter) { [weak cache] in
                cache?.removeValue(for: key + 1)
                cache?.insert(CountedValue(-1, counter), for: key / 2, cost: 1)
                _ = cache?.value(for: key)
            }
            cache.insert(value, for: key, cost: 1 + key % 7)
        }
        #expect(cache.totalCost <= 100)
        if atOnce { cache.removeAll() } else { cache.release(bytes: .max) }
        #expect(cache.count == counter.now)
    }

    @Test("Its registration ends with the cache")
    func registration() {
        var cache: PurgeableCache<Int, String>? = cache()
        cache?.insert("", for: 1, cost: 1 << 20)
        #expect(registry.clients.map(\.name) == ["test"])
        #expect(registry.reportedBytes > 1 << 20)
        cache = nil
        #expect(registry.clients.isEmpty && registry.reportedBytes == 0)
    }

    @Test("Under pressure the manager has it give memory back")
    func pressure() async throws {
        var configuration = ManagerConfiguration()
        // The made-up time goes on while the cache works.
        configuration.reclaim.criticalDeadline = .seconds(1)
        let fixture = try Fixture(configuration: configuration)
        let cache = PurgeableCache<Int, String>(name: "values", registry: fixture.registry)
        for key in 0..<3000 { cache.insert("", for: key, cost: 1 << 16) }
        try await fixture.run { fixture in
            var steps = fixture.manager.reclaimSteps.makeAsyncIterator()
            fixture.set(used: 480 * mebibyte)
            fixture.advanceUntilCritical()
            let step = try #require(await steps.next())
            #expect(step.parts.map(\.name) == ["values"])
            #expect(step.promisedBytes >= step.missingBytes && step.promisedBytes < step.missingBytes + 1 << 17)
        }
        #expect(cache.totalCost < 3000 << 16 - 32 * mebibyte)
    }
}
