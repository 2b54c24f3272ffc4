import JetsamTesting
import MemoryPressure
import Testing

@testable import Jetsam
@testable import PurgeableCaches

struct PurgeableCacheExpiryTests {
    private let clock = ManualClock()
    private let cache: PurgeableCache<Int, Int>

    init() {
        cache = PurgeableCache(name: "test", limit: 1000, registry: CacheRegistry(), clock: clock)
    }

    @Test(
        "A value is given out until its time is over, never shorter and hardly longer",
        arguments: [.microseconds(1), .milliseconds(1), .milliseconds(20), .seconds(3600), .seconds(86_400 * 3650)]
            as [Duration])
    func life(life: Duration) {
        cache.insert(1, for: 1, cost: 1, expiresAfter: life)
        clock.advance(by: life - .nanoseconds(1))
        #expect(cache.value(for: 1) == 1)
        clock.advance(by: .microseconds(1050))
        #expect(cache.value(for: 1) == nil)
        #expect(cache.count == 0 && cache.totalCost == 0)
        #expect(cache.statistics.expirations == 1 && cache.statistics.hits == 1 && cache.statistics.misses == 1)
    }

    @Test(
        "What expires at once is not kept, and takes with it what there was",
        arguments: [.zero, .seconds(-1)] as [Duration])
    func atOnce(life: Duration) {
        cache.insert(1, for: 1)
        cache.insert(2, for: 1, expiresAfter: life)
        #expect(cache.value(for: 1) == nil && cache.count == 0)
    }

    @Test(
        "A time beyond all counting is for ever",
        arguments: [.seconds(Int64.max), .nanoseconds(Int64.max)] as [Duration])
    func forEver(life: Duration) {
        cache.insert(1, for: 1, expiresAfter: life)
        clock.advance(by: .seconds(86_400 * 365 * 30))
        #expect(cache.value(for: 1) == 1)
    }

    @Test("A successor's time counts, not that of what it replaced")
    func replaced() {
        cache.insert(1, for: 1, expiresAfter: .seconds(1))
        cache.insert(2, for: 1, expiresAfter: .seconds(10))
        clock.advance(by: .seconds(5))
        #expect(cache.value(for: 1) == 2)
        cache.insert(3, for: 1)
        clock.advance(by: .seconds(50))
        #expect(cache.value(for: 1) == 3)
        #expect(cache.removeValue(for: 1) == 3)
    }

    @Test("What has expired goes first when room is made, even where it was asked for")
    func eviction() {
        for key in 0..<500 { cache.insert(key, for: key, cost: 1, expiresAfter: .seconds(1)) }
        for key in 0..<500 { #expect(cache.value(for: key) == key) }
        for key in 500..<1000 { cache.insert(key, for: key, cost: 1) }
        for key in 500..<1000 { #expect(cache.value(for: key) == key) }
        clock.advance(by: .seconds(2))
        for key in 1000..<1400 { cache.insert(key, for: key, cost: 1) }
        let statistics = cache.statistics
        #expect(statistics.expirations > 250 && statistics.evictions + statistics.expirations == 400)
    }

    @Test("A value that is taken out after its time is not given")
    func removedLate() {
        cache.insert(1, for: 1, expiresAfter: .seconds(1))
        clock.advance(by: .seconds(2))
        #expect(cache.removeValue(for: 1) == nil)
        #expect(cache.count == 0)
    }
}
