import JetsamTesting
import MemoryPressure
import Testing

@testable import Jetsam
@testable import PurgeableCaches

/// What a release gave up and what is put in again soon.
struct PurgeableCacheRefetchTests {
    private let clock = ManualClock()
    private let registry = CacheRegistry()

    private func cache(_ count: Int, cost: Int = 1000) -> PurgeableCache<Int, Int> {
        let cache = PurgeableCache<Int, Int>(name: "values", registry: registry, clock: clock)
        for key in 0..<count { cache.insert(key, for: key, cost: cost) }
        return cache
    }

    @Test("What was given up counts for what it took, when it is put in again, once")
    func counts() throws {
        let cache = cache(100)
        _ = try registry.releaseFromFirst(.max)
        #expect(cache.count == 0)
        #expect(cache.statistics.refetchedBytes == 0)
        for key in 0..<40 { cache.insert(key, for: key, cost: 5) }
        let expected = 40 * (1000 + cache.overhead)
        #expect(cache.statistics.refetchedBytes == expected)
        for key in 0..<40 { cache.insert(key, for: key, cost: 5) }
        for key in 100..<200 { cache.insert(key, for: key, cost: 5) }
        #expect(cache.statistics.refetchedBytes == expected)
        #expect(registry.refetchedBytes == expected)
    }

    @Test("What stayed in the cache is not fetched again by being replaced")
    func stayed() {
        let cache = cache(100)
        let given = cache.release(bytes: 50 * (1000 + cache.overhead))
        for key in 0..<100 { cache.insert(key, for: key, cost: 1000) }
        #expect(cache.statistics.refetchedBytes == given)
    }

    @Test("After ten seconds it does not count")
    func late() {
        let cache = cache(100)
        cache.release(bytes: .max)
        clock.advance(by: .seconds(10))
        cache.insert(0, for: 0, cost: 1000)
        let inTime = cache.statistics.refetchedBytes
        #expect(inTime == 1000 + cache.overhead)
        clock.advance(by: .microseconds(1))
        for key in 1..<100 { cache.insert(key, for: key, cost: 1000) }
        #expect(cache.statistics.refetchedBytes == inTime)
    }

    @Test("What made room for others, was removed or had expired does not count")
    func ordinary() {
        let cache = cache(0)
        cache.limit = 20_000
        for round in 0..<3 {
            for key in 0..<100 { cache.insert(round, for: key, cost: 1000) }
        }
        for key in 0..<100 { cache.removeValue(for: key) }
        for key in 0..<10 { cache.insert(0, for: key, cost: 1000) }
        cache.removeAll()
        for key in 0..<10 { cache.insert(0, for: key, cost: 1000, expiresAfter: .seconds(1)) }
        clock.advance(by: .seconds(2))
        cache.release(bytes: .max)
        for key in 0..<10 { cache.insert(0, for: key, cost: 1000) }
        #expect(cache.statistics.refetchedBytes == 0)
    }

    @Test("A load that puts it in again counts too")
    func load() async throws {
        let cache = cache(10)
        cache.release(bytes: .max)
        _ = try await cache.value(for: 3) { _ in 7 }
        #expect(cache.statistics.refetchedBytes == 1000 + cache.overhead)
    }

    @Test("Of very many a sample tells, while the cache spreads over more shards too", arguments: [3000, 200_000])
    func samples(count: Int) {
        let cache = cache(count, cost: 50)
        let all = cache.statistics.reportedBytes
        #expect(cache.release(bytes: .max) == all)
        for key in 0..<count where key % 2 == 0 { cache.insert(key, for: key, cost: 50) }
        let refetched = cache.statistics.refetchedBytes
        #expect(abs(refetched - all / 2) < all / 8, "\(refetched) of \(all)")
    }

    @Test("The registry's sum has what caches that are gone have fetched again")
    func gone() {
        do {
            let cache = cache(10)
            cache.release(bytes: .max)
            cache.insert(1, for: 1, cost: 1000)
        }
        #expect(registry.clients.isEmpty)
        #expect(registry.refetchedBytes > 1000)
    }
}
