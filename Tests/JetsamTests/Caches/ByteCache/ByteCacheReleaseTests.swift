import AllocationCounter
import JetsamTesting
import MemoryPressure
import Synchronization
import Testing

@testable import Jetsam

struct ByteCacheReleaseTests {
    private func makeFull(_ cache: PurgeableByteCache, segments: Int) {
        var number = 0
        while cache.bytes < segments * cache.sizes.segmentBytes {
            cache.insert([UInt8](repeating: 3, count: 1000), for: "\(number)")
            number += 1
        }
    }

    @Test(
        "A release gives whole segments, each in one call, and answers exactly what went",
        arguments: [1, 300_000, 900_000])
    func exact(bytes: Int) {
        let cache = makeByteCache()
        makeFull(cache, segments: 20)
        let size = cache.bytes
        let given = cache.release(bytes: bytes)
        #expect(given >= bytes)
        #expect(given < bytes + cache.sizes.segmentBytes)
        #expect(given == cache.memory.discardedBytes.load(ordering: .relaxed))
        #expect(cache.bytes == size - given)
        let calls = cache.memory.discards.load(ordering: .relaxed)
        #expect(calls <= (given + cache.sizes.segmentBytes - 1) / cache.sizes.segmentBytes + 1)
        #expect(cache.contradictions.isEmpty)
    }

    @Test("What is read most is released last")
    func order() {
        let cache = makeByteCache(shards: 1)
        makeFull(cache, segments: 20)
        let hot = (500..<600).map { "\($0)" }
        for _ in 0..<50 { for key in hot { #expect(cache.bytes(for: key) != nil) } }
        cache.release(bytes: cache.bytes / 10 * 8)
        #expect(hot.filter { cache.bytes(for: $0) != nil }.count == hot.count)
    }

    @Test("A limit frees nothing, and stops growth", arguments: [0, 100_000, 640 << 10])
    func limits(limit: Int) {
        let cache = makeByteCache()
        makeFull(cache, segments: 10)
        let size = cache.bytes
        let sizes = cache.shardSizes
        cache.setManagerLimit(limit)
        #expect(cache.bytes == size)
        for number in 0..<2000 { cache.insert([UInt8](repeating: 4, count: 1000), for: "new \(number)") }
        #expect(cache.shardSizes.reduce(0, +) <= max(sizes.reduce(0, +), limit))
        #expect(cache.memory.discards.load(ordering: .relaxed) == 0)
        cache.setManagerLimit(nil)
        for number in 0..<2000 { #expect(cache.insert([4], for: "new \(number)")) }
        #expect(cache.contradictions.isEmpty)
    }

    @Test("The sampler's release allocates nothing and passes over a shard that somebody is in")
    func lastResort() throws {
        let registry = CacheRegistry()
        let cache = makeByteCache()
        cache.register("bytes", .normal, nil, [], nil, registry)
        makeFull(cache, segments: 40)
        // What the runtime makes once, at the first call of each kind, is not meant.
        #expect(registry.releaseSegmentsWithoutHandlers(bytes: 300_000) > 0)
        let before = allocation_counter_thread_bytes()
        let given = registry.releaseSegmentsWithoutHandlers(bytes: 300_000)
        let after = allocation_counter_thread_bytes()
        #expect(after == before)
        #expect(given >= 300_000)
        cache.shard(0).withLock { _ in #expect(registry.releaseSegmentsWithoutHandlers(bytes: .max) > 0) }
        #expect(cache.shardSizes[1] == 0)
        #expect(cache.shardSizes[0] > 0)
        #expect(cache.contradictions.isEmpty)
    }

    @Test("The registry knows the size, and a cache that is dropped is gone from it")
    func registered() {
        let registry = CacheRegistry()
        do {
            let cache = PurgeableByteCache(name: "bytes", priority: .low, segmentBytes: 64 << 10, registry: registry)
            makeFull(cache, segments: 30)
            #expect(
                abs(registry.reportedBytes - cache.bytes) <= cache.sizes.shardCount * (cache.sizes.segmentBytes / 16))
            cache.release(bytes: .max)
            #expect(registry.reportedBytes == 0)
            #expect(registry.clients.map(\.name) == ["bytes"])
        }
        #expect(registry.clients.isEmpty)
    }

    @Test("Under pressure the manager has it give memory back, and the ledger has what went to the kernel as freed")
    func ledger() async throws {
        let fixture = try Fixture()
        let cache = PurgeableByteCache(name: "bytes", registry: fixture.registry)
        try await fixture.run { fixture in
            makeFull(cache, segments: 12)
            var steps = fixture.manager.reclaimSteps.makeAsyncIterator()
            await fixture.manager.releaseCaches(bytes: 5 << 20)
            let step = try #require(await steps.next())
            let part = try #require(step.parts.first)
            #expect(part.promisedBytes >= 5 << 20)
            #expect(part.freedBytes == part.promisedBytes)
            #expect(part.freedBytes == cache.memory.discardedBytes.load(ordering: .relaxed))
        }
    }

    @Test("Where there is no memory nothing is kept, nothing is lost, and it goes on once there is some again")
    func noMemory() {
        let memory = SegmentMemory()
        let cache = makeByteCache(memory: memory)
        memory.budget.store(0, ordering: .relaxed)
        #expect(!cache.insert([1], for: "first"))
        memory.budget.store(64 << 20, ordering: .relaxed)
        makeFull(cache, segments: 20)
        let count = cache.count
        memory.budget.store(0, ordering: .relaxed)
        var kept = 0
        for number in 0..<100_000 where cache.insert([5], for: "new \(number)") { kept += 1 }
        #expect(cache.count == count + kept)
        #expect(kept < 100_000)
        #expect((0..<1000).allSatisfy { cache.bytes(for: "\($0)")?.count == 1000 })
        #expect(cache.release(bytes: 1 << 20) >= 1 << 20)
        memory.budget.store(.max, ordering: .relaxed)
        #expect(cache.insert([1], for: "first"))
        #expect(cache.contradictions.isEmpty)
    }

    @Test("A sensitive cache overwrites what is removed or replaced")
    func sensitive() {
        let cache = makeByteCache(shards: 1, memory: SegmentMemory(isSensitive: true))
        let secret = [UInt8](repeating: 0xA5, count: 40)
        cache.insert(secret, for: "a")
        cache.insert(secret, for: "b")
        cache.insert([1], for: "a")
        cache.removeValue(for: "b")
        let isThere = cache.shard(0).withLock { shard in
            let base = unsafe shard.segments.record(shard.fillingYoung).pointee.base
            return unsafe UnsafeRawBufferPointer(start: base, count: 4096).contains(0xA5)
        }
        #expect(!isThere)
        #expect(cache.bytes(for: "a") == [1])
    }
}
