import JetsamTesting
import MemoryPressure
import Testing

@testable import Jetsam
@testable import PurgeableCaches

/// A cache beside a plain dictionary that never forgets: the cache may have lost a value, but never has another one.
/// How keys are spread is the process's own: `SWIFT_DETERMINISTIC_HASHING=1` beside `JETSAM_SEED` replays that too.
@Suite(.timeLimit(.minutes(10)))
struct PurgeableCacheModelTests {
    private struct Entry {
        var number: Int
        var cost: Int
        var end: MonotonicInstant?
    }

    private final class Run<Key: Hashable & Sendable> {
        let clock = ManualClock()
        let counter = CountedValue.Counter()
        let registry = CacheRegistry()
        let keys: [Key]
        var limit: Int?
        var managerLimit: Int?
        /// Nothing has been evicted so far: what is in the model must be in the cache.
        var isComplete = true
        var random: SeededGenerator
        var model: [Key: Entry] = [:]
        var cache: PurgeableCache<Key, CountedValue>
        var number = 0
        var lookups = 0

        init(seed: UInt64, keys: [Key]) {
            random = SeededGenerator(seed: seed)
            self.keys = keys
            limit = seed % 3 == 0 ? nil : [0, 1, 40, 700, 5000].randomElement(using: &random)
            cache = PurgeableCache(name: "model", limit: limit, registry: registry, clock: clock)
        }

        func step() throws {
            let key = keys.randomElement(using: &random)!
            switch Int.random(in: 0..<1000, using: &random) {
            case 0..<400: insert(key)
            case 400..<700: lookUp(key)
            case 700..<850: remove(key)
            case 850..<900: clock.advance(by: .milliseconds(Int.random(in: 0..<400, using: &random)))
            case 900..<960: release(Int.random(in: 0..<3000, using: &random))
            case 960..<970:
                cache.removeAll()
                model = [:]
                isComplete = true
            case 970..<980:
                managerLimit = Bool.random(using: &random) ? nil : number % 4000
                try registry.limitFirst(to: managerLimit)
            case 980..<990 where limit != nil: setLimit()
            default: check()
            }
        }

        func insert(_ key: Key) {
            let cost = [0, 1, 1, 7, 30, 90, 600].randomElement(using: &random)!
            let life: Duration? = [nil, nil, .milliseconds(100), .seconds(2), .zero].randomElement(using: &random)!
            number += 1
            cache.insert(CountedValue(number, counter), for: key, cost: cost, expiresAfter: life)
            model[key] = Entry(number: number, cost: cost, end: life.map { clock.now.advanced(by: $0) })
            isComplete = isComplete && limit == nil && managerLimit == nil
        }

        func lookUp(_ key: Key) {
            lookups += 1
            let value = cache.value(for: key)
            check(value?.number, key)
        }

        func check(_ number: Int?, _ key: Key) {
            let entry = model[key]
            let isOver = entry?.end.map { clock.now >= $0.advanced(by: .microseconds(2100)) } ?? false
            let isYoung = entry?.end.map { clock.now < $0 } ?? true
            if let number {
                #expect(number == entry?.number && !isOver, "another value than was put in last, or too late")
            }
            if isComplete, let entry, isYoung { #expect(number == entry.number, "lost although nothing was evicted") }
        }

        func remove(_ key: Key) {
            check(cache.removeValue(for: key)?.number, key)
            #expect(cache.peek(key) == nil)
            model[key] = nil
        }

        func release(_ bytes: Int) {
            let before = cache.table.budget.bytes
            let given = cache.release(bytes: bytes)
            #expect(given == before - cache.table.budget.bytes)
            #expect(given >= min(bytes, before))
            if given > 0 { isComplete = false }
        }

        func setLimit() {
            limit = Int.random(in: 0..<3000, using: &random)
            cache.limit = limit
            isComplete = false
        }

        func check() {
            var statistics = PurgeableCacheStatistics()
            cache.table.forEachShard { $0.expectConsistent() }
            statistics = cache.statistics
            let kept = keys.filter { cache.peek($0) != nil }
            for key in keys { check(cache.peek(key)?.number, key) }
            // Those that have expired but that nobody has met are still there.
            #expect(kept.count <= statistics.entries)
            #expect(kept.reduce(0) { $0 + model[$1]!.cost } <= statistics.costBytes)
            #expect(counter.now == statistics.entries)
            #expect(cache.count == statistics.entries && cache.totalCost == statistics.costBytes)
            #expect(statistics.costBytes <= limit ?? .max)
            #expect(statistics.reportedBytes == statistics.costBytes + statistics.entries * cache.overhead)
            #expect(statistics.hits + statistics.misses == lookups)
        }
    }

    @Test(
        "Whatever is done to it, a cache has the value that was put in last or none, and its figures add up",
        arguments: seedBatches)
    func agrees(seeds: ClosedRange<UInt64>) throws {
        for seed in seeds {
            try run(Run(seed: seed, keys: (0..<200).map { "key \($0)" }))
        }
    }

    @Test("It does so too where hash values meet", arguments: seedBatches)
    func agreesWithCollisions(seeds: ClosedRange<UInt64>) throws {
        for seed in seeds {
            let distinct = [1, 3, 20][Int(seed % 3)]
            try run(Run(seed: seed, keys: (0..<60).map { CollidingKey(number: $0, distinct: distinct) }))
        }
    }

    private func run<Key>(_ run: Run<Key>) throws {
        for _ in 0..<600 { try run.step() }
        run.check()
        run.cache = PurgeableCache(name: "another", registry: run.registry)
        #expect(run.counter.now == 0, "values outlived their cache")
        #expect(run.registry.clients.count == 1)
    }
}

extension CacheShard {
    /// Index, queues and records tell the same.
    func expectConsistent() {
        var seen: Set<UInt32> = []
        for queue in [queues.small, queues.main] {
            var entry = queue.head
            var previous = CacheEntryHeader.none
            var cost = 0
            var count = 0
            while entry != CacheEntryHeader.none {
                let header = unsafe entries.header(entry).pointee
                #expect(header.previous == previous)
                #expect(seen.insert(entry).inserted)
                cost += header.cost
                count += 1
                previous = entry
                entry = header.next
            }
            #expect(queue.tail == previous && queue.cost == cost && queue.count == count)
        }
        var indexed = (0..<Int(index.slots.count)).map { unsafe index.slots.base[$0] }.filter { $0 != 0 }.map {
            ($0 & CacheIndex.numberMask) - 1
        }
        if let old = index.old {
            indexed += (0..<Int(old.count)).map { unsafe old.base[$0] & CacheIndex.numberMask }.filter {
                $0 != 0 && $0 != CacheIndex.movedSlot
            }.map { $0 - 1 }
        }
        #expect(Set(indexed) == seen && indexed.count == seen.count)
        let slots = index.slots
        for place in 0..<CacheStripe.mirrored {
            #expect(unsafe slots.base[Int(slots.count) + place] == slots.base[place])
        }
        var free = 0
        var entry = entries.firstFree
        while entry != CacheEntryHeader.none {
            free += 1
            #expect(!seen.contains(entry))
            entry = unsafe entries.header(entry).pointee.next
        }
        #expect(free + seen.count == Int(entries.highWater))
    }
}
