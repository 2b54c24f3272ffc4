import Testing

@testable import Jetsam
@testable import PurgeableCaches

/// A cache of few entries keeps them in few shards, and uses all of its shards once there are more.
@Suite(.timeLimit(.minutes(10)))
struct PurgeableCacheSpreadingTests {
    /// Evicts the key that has not been asked for longest.
    private struct LRU {
        let capacity: Int
        var keys: [Int] = []

        mutating func find(_ key: Int) -> Bool {
            let place = keys.lastIndex(of: key)
            if let place { keys.remove(at: place) } else if keys.count == capacity { keys.removeFirst() }
            keys.append(key)
            return place != nil
        }
    }

    @Test("Also with few entries it finds popular keys as often as an LRU does", arguments: [24, 64, 100, 300])
    func fewEntries(capacity: Int) {
        let cache = PurgeableCache<Int, Int>(name: "test", limit: capacity << 10, registry: CacheRegistry())
        var lru = LRU(capacity: capacity)
        var random = SeededGenerator(seed: 9)
        var hits = (ours: 0, lru: 0)
        for _ in 0..<20_000 {
            // Each power of two is as likely as the next: a key is asked for about half as often as one half as large.
            let power = 1 << Int.random(in: 0..<13, using: &random)
            let key = power + Int.random(in: 0..<power, using: &random)
            if lru.find(key) { hits.lru += 1 }
            if cache.value(for: key) == nil { cache.insert(key, for: key, cost: 1 << 10) } else { hits.ours += 1 }
        }
        #expect(hits.ours > hits.lru)
        #expect(cache.count == capacity)
    }

    @Test("What fits into a small cache stays there, wherever its hashes put it")
    func fitting() {
        let cache = PurgeableCache<Int, Int>(name: "test", limit: 500, registry: CacheRegistry())
        for key in 0..<500 { cache.insert(key, for: key, cost: 1) }
        for key in 1000..<1480 { cache.insert(key, for: key, cost: 1) }
        #expect((1000..<1480).allSatisfy { cache.value(for: $0) == $0 })
        #expect(cache.count == 500)
    }

    @Test(
        "When more shards come into use, nothing is lost and nothing is held twice",
        arguments: [(1100, 4), (2000, 4), (5000, 64), (9000, 64)])
    func spreading(entries: Int, shards: Int) {
        let counter = CountedValue.Counter()
        let cache = PurgeableCache<String, CountedValue>(name: "test", registry: CacheRegistry())
        #expect(cache.table.stripes.mask == 0)
        for number in 0..<entries { cache.insert(CountedValue(number, counter), for: "\(number)", cost: number) }
        #expect(Int(cache.table.stripes.mask) + 1 == shards)
        #expect(cache.count == entries && counter.now == entries)
        #expect(cache.totalCost == entries * (entries - 1) / 2)
        for number in 0..<entries { #expect(cache.value(for: "\(number)")?.number == number) }
        cache.table.forEachShard { $0.expectConsistent() }
        cache.release(bytes: .max)
        #expect(cache.count == 0 && counter.now == 0)
        #expect(cache.statistics.evictions == entries)
    }

    @Test("What was put in first still goes first after it")
    func order() {
        let cache = PurgeableCache<Int, Int>(name: "test", registry: CacheRegistry())
        for key in 0..<8000 { cache.insert(key, for: key, cost: 100) }
        cache.release(bytes: 4000 * (100 + cache.overhead))
        let older = (0..<4000).filter { cache.peek($0) != nil }.count
        let newer = (2000..<8000).filter { cache.peek($0) != nil }.count
        #expect(newer > older * 4)
    }

    @Test("Whoever looks for something meanwhile finds it", arguments: seedBatches)
    func meanwhile(seeds: ClosedRange<UInt64>) async {
        for seed in seeds {
            let cache = PurgeableCache<Int, Int>(name: "test", registry: CacheRegistry())
            await withTaskGroup { group in
                for part in 0..<4 {
                    group.addTask {
                        var random = SeededGenerator(seed: seed &* 31 &+ UInt64(part))
                        let moment = Int.random(in: 0..<300, using: &random)
                        for number in 0..<300 {
                            if number == moment { cache.table.spread(from: Int(cache.table.stripes.mask) + 1) }
                            let key = number * 4 + part
                            cache.insert(key, for: key, cost: 1)
                            let other = Int.random(in: 0...number, using: &random) * 4 + part
                            #expect(cache.value(for: other) == other)
                        }
                    }
                }
            }
            #expect(cache.count == 1200 && cache.totalCost == 1200)
            cache.table.forEachShard { $0.expectConsistent() }
        }
    }
}
