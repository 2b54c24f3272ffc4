import Synchronization
import TestSupport
import Testing

@testable import Jetsam
@testable import PurgeableCaches

/// Many tasks on one cache. What each does follows from the seed; how they meet does not.
@Suite(.timeLimit(.minutes(20)))
struct PurgeableCacheConcurrencyTests {
    private static let keys = 300

    @Test(
        "Whatever threads do at once, a key has a value of its own, limits hold and nothing is lost or kept",
        arguments: seedBatches)
    func hammered(seeds: ClosedRange<UInt64>) async throws {
        for seed in seeds { try await hammer(seed) }
    }

    private func hammer(_ seed: UInt64) async throws {
        let counter = CountedValue.Counter()
        let registry = CacheRegistry()
        let limit = [nil, 50, 2000][Int(seed % 3)]
        do {
            let cache = PurgeableCache<Int, CountedValue>(name: "test", limit: limit, registry: registry)
            try await withThrowingTaskGroup { group in
                for part in 0..<6 {
                    group.addTask {
                        var random = SeededGenerator(seed: seed &* 31 &+ UInt64(part))
                        for _ in 0..<300 { try await step(cache, counter, registry, limit, &random) }
                    }
                }
                try await group.waitForAll()
            }
            cache.table.forEachShard { $0.expectConsistent() }
            let statistics = cache.statistics
            #expect(statistics.reportedBytes == statistics.costBytes + statistics.entries * cache.overhead)
            // The task of a load may still hold what it has handed over.
            try await eventually("only what is in the cache lives") { counter.now == statistics.entries }
            #expect(cache.flights.isEmpty)
            cache.release(bytes: .max)
            #expect(cache.count == 0 && registry.reportedBytes == 0)
        }
        try await eventually("the cache and its values are gone") { counter.now == 0 && registry.clients.isEmpty }
    }

    private func step(
        _ cache: PurgeableCache<Int, CountedValue>, _ counter: CountedValue.Counter, _ registry: CacheRegistry,
        _ limit: Int?,
        _ random: inout SeededGenerator
    ) async throws {
        let key = Int.random(in: 0..<Self.keys, using: &random)
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<45:
            if let value = cache.value(for: key) { #expect(value.number == key) }
        case 45..<70:
            let life: Duration? = [nil, nil, .microseconds(200)].randomElement(using: &random)!
            cache.insert(
                CountedValue(key, counter), for: key, cost: Int.random(in: 0..<20, using: &random), expiresAfter: life)
            if let limit { #expect(cache.totalCost <= limit + 20 * 6) }
        case 70..<80:
            if let value = cache.removeValue(for: key) { #expect(value.number == key) }
        case 80..<90:
            let value = try await cache.value(for: key, cost: { _ in 3 }) { CountedValue($0, counter) }
            #expect(value.number == key)
        case 90..<94: cache.release(bytes: Int.random(in: 0..<2000, using: &random))
        case 94..<96: try registry.limitFirst(to: Bool.random(using: &random) ? nil : 3000)
        case 96..<97: cache.removeAll()
        case 97..<99: if limit != nil { cache.limit = limit }
        default: _ = cache.statistics
        }
    }
}
