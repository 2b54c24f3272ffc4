import Testing

@testable import Jetsam
@testable import PurgeableCaches

/// What takes long is done some at a time, so that nobody waits for all of it.
struct PurgeableCacheStepsTests {
    private func cache() -> PurgeableCache<Int, Int> {
        PurgeableCache(name: "test", registry: CacheRegistry())
    }

    @Test("While an index moves to a larger table all is found, replaced and taken out")
    func growing() {
        let cache = cache()
        var moving = 0
        for key in 0..<300_000 {
            cache.insert(key, for: key)
            guard key % 64 == 0 else { continue }
            cache.table.forEachShard { if $0.index.isMoving { moving += 1 } }
            for other in stride(from: key % 61, to: key, by: key / 10 + 1) { #expect(cache.peek(other) == other) }
            cache.removeValue(for: key / 2)
            #expect(cache.peek(key / 2) == nil)
            cache.insert(key / 2, for: key / 2)
            cache.insert(key / 3, for: key / 3)
        }
        #expect(moving > 1000)
        cache.table.forEachShard { $0.expectConsistent() }
        #expect((0..<300_000).allSatisfy { cache.peek($0) == $0 })
    }

    @Test("A chunk is emptied into places of others in the order that there was, and with the index on its way")
    func chunks() {
        let cache = cache()
        for key in 0..<100_000 { cache.insert(key, for: key, cost: key % 7) }
        for key in 0..<100_000 where key % 3 != 0 { cache.removeValue(for: key) }
        var (chunks, moving) = (0, 0)
        for index in 0..<cache.table.shardCount {
            let shard = unsafe cache.table.shards + index
            let order = unsafe shard.pointee.order
            _ = cache.table.shrinkIndex(of: index)
            moving += unsafe shard.pointee.index.isMoving ? 1 : 0
            while cache.table.giveBackChunk(of: index) {
                chunks += 1
                unsafe shard.pointee.expectConsistent()
            }
            #expect(unsafe shard.pointee.order == order)
            #expect(unsafe shard.pointee.emptyPlaces < 64)
        }
        #expect(chunks > 64 * 10)
        #expect(moving > 0)
        #expect((0..<100_000).allSatisfy { cache.peek($0) == ($0 % 3 == 0 ? $0 : nil) })
        for key in 0..<100_000 { cache.insert(key, for: key) }
        cache.table.forEachShard { $0.expectConsistent() }
        #expect((0..<100_000).allSatisfy { cache.peek($0) == $0 })
    }

    @Test("Room for a large value is made, and a limit is lowered, some entries at a time")
    func paying() {
        let cache = PurgeableCache<Int, Int>(name: "test", limit: 100_000, registry: CacheRegistry())
        for key in 0..<50_000 { cache.insert(key, for: key, cost: 2) }
        let table = cache.table
        var remains = CacheRemains<Int, Int>()
        var debt = CacheBudget.Debt(cost: 1000, bytes: 0)
        unsafe table.lock(table.shards)
        let isPaid = unsafe table.pay(&debt, from: table.shards, now: 0, &remains)
        unsafe table.unlock(table.shards)
        #expect(!isPaid)
        #expect(debt.cost == 1000 - 2 * CacheTable<Int, Int>.mostPaid)
        cache.insert(0, for: -1, cost: 90_000)
        #expect(cache.value(for: -1) == 0)
        #expect(cache.totalCost <= 100_000)
        cache.limit = 10
        #expect(cache.totalCost <= 10)
        cache.table.forEachShard { $0.expectConsistent() }
    }

    @Test("A release takes no memory to remember what it evicts, and gives some of that memory back")
    func remembering() {
        let cache = cache()
        for key in 0..<20_000 { cache.insert(key, for: key, cost: 1) }
        #expect(cache.release(bytes: 100_000) >= 100_000)
        #expect(cache.table.sum { $0.ghosts.capacity } == 0)
        // An entry that makes room for another is remembered.
        cache.limit = cache.totalCost
        for key in 20_000..<22_000 { cache.insert(key, for: key, cost: 1) }
        let remembered = cache.table.sum { $0.ghosts.capacity }
        #expect(remembered > 15_000)
        // What a release takes out now is remembered, too: it comes back to the main queue.
        let present = (0..<22_000).filter { cache.peek($0) != nil }
        cache.release(bytes: 100_000)
        let released = present.filter { cache.peek($0) == nil }
        let before = cache.table.sum { $0.queues.main.count }
        for key in released { cache.insert(key, for: key, cost: 1) }
        #expect(cache.table.sum { $0.queues.main.count } > before + released.count / 2)
        cache.release(bytes: cache.statistics.reportedBytes / 10 * 9)
        #expect(cache.table.sum { $0.ghosts.capacity } < remembered / 2)
        cache.table.forEachShard { $0.expectConsistent() }
    }
}

extension CacheShard {
    /// The hash values of the entries, queue by queue.
    fileprivate var order: [UInt32] {
        var order: [UInt32] = []
        for queue in [queues.small, queues.main] {
            var entry = queue.head
            while entry != CacheEntryHeader.none {
                order.append(unsafe entries.header(entry).pointee.hash)
                entry = unsafe entries.header(entry).pointee.next
            }
        }
        return order
    }
}
