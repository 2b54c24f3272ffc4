import AllocationCounter
import JetsamTesting
import MemoryPressure
import Synchronization
import Testing

@testable import Jetsam
@testable import PurgeableCaches

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

    @Test(
        "Releases take from all parts alike, also when each of them is less than a segment of each part",
        arguments: [64 << 10, 300 << 10, 1 << 20], [false, true])
    func evenly(bytes: Int, waits: Bool) {
        let cache = makeByteCache(shards: 8)
        for number in 0..<16_000 { cache.insert([UInt8](repeating: 1, count: 1000), for: "\(number)") }
        let all = cache.bytes
        while cache.bytes > all / 4 {
            let before = cache.bytes
            let given = waits ? cache.release(bytes: bytes) : cache.releaseWithoutWaiting(bytes: bytes)
            #expect(given >= bytes)
            // No more than a segment too much, and what is left over of the index.
            #expect(given < bytes + 2 * cache.sizes.segmentBytes)
            #expect(cache.bytes == before - given)
        }
        let sizes = cache.shardSizes
        #expect(sizes.max()! - sizes.min()! <= 3 * cache.sizes.segmentBytes, "\(sizes)")
        #expect(cache.contradictions.isEmpty)
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

    @Test("A reader that is held up after its body leaves a segment alone that a release has taken since")
    func lateReader() throws {
        let cache = makeByteCache(shards: 1)
        makeFull(cache, segments: 6)
        let late = try #require(cache.lease(for: "0"))
        cache.removeAll()
        #expect(cache.statistics.deferredBytes > 0)
        // It has ended, and has seen that its segment waits for it. Before it goes on, another reader of that segment gives it back.
        let pin = unsafe late.pin!
        unsafe ByteStripe.atomic(pin).pointee.store(0, ordering: .sequentiallyConsistent)
        cache.finishDeferred(late)
        #expect(cache.statistics.deferredBytes == 0)
        makeFull(cache, segments: 6)
        let sampling = ReleaseSampling(segments: 6, now: 0, waits: true)
        let shard = cache.shard(0)
        let leaving = shard.withLock { $0.detach(.max, isExact: false, sampling) }
        let number = leaving.count
        #expect(number >= 6)
        cache.finishDeferred(late)
        let view = shard.withLock { $0.segments.view }
        var (count, id) = (0, leaving.first)
        while id != SegmentRecord.none, count < 100 {
            let record = unsafe view.record(id)
            unsafe record.pointee.used = UInt32(cache.memory.discard(record.pointee.base, Int(record.pointee.resident)))
            count += 1
            id = unsafe record.pointee.next
        }
        #expect(count == number)
        shard.handOver(leaving, view)
        #expect(cache.statistics.residentBytes == 0)
        #expect(cache.contradictions.isEmpty)
    }

    @Test("A release that may not wait does not wait to count out either: whoever comes next does")
    func countsOutLater() {
        let cache = makeByteCache(shards: 1)
        makeFull(cache, segments: 6)
        let size = cache.statistics.residentBytes
        let shard = cache.shard(0)
        let sampling = ReleaseSampling(segments: 6, now: 0, waits: false)
        let (leaving, view) = shard.withLock { ($0.detach(.max, isExact: false, sampling), $0.segments.view) }
        var id = leaving.first
        while id != SegmentRecord.none {
            let record = unsafe view.record(id)
            unsafe record.pointee.used = UInt32(cache.memory.discard(record.pointee.base, Int(record.pointee.resident)))
            id = unsafe record.pointee.next
        }
        #expect(shard.lock(waits: false))
        // Somebody is in there now.
        #expect(!shard.lock(waits: false))
        shard.handOver(leaving, view)
        #expect(unsafe shard.locked.pointee.segments.residentBytes == size)
        shard.unlock()
        #expect(cache.statistics.residentBytes == 0)
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

    private let secret = [UInt8](repeating: 0xA5, count: 400)

    @Test("Nothing of a secret is left after all was removed, also of what was read then")
    func sensitiveRemoveAll() throws {
        let cache = makeByteCache(memory: SegmentMemory(isSensitive: true))
        for number in 0..<100 { cache.insert(secret, for: "\(number)") }
        #expect(cache.holds(0xA5))
        cache.removeAll()
        #expect(!cache.holds(0xA5))
        for number in 0..<100 { cache.insert(secret, for: "\(number)") }
        cache.withValue(for: "7") { _ in cache.removeAll() }
        #expect(!cache.holds(0xA5))
        #expect(cache.contradictions.isEmpty)
    }

    @Test(
        "A secret that was removed or replaced while it was read goes with its last reader", arguments: [true, false])
    func sensitiveUnderPin(isAsymmetric: Bool) {
        let cache = makeByteCache(shards: 1, memory: SegmentMemory(isSensitive: true), isAsymmetric: isAsymmetric)
        cache.insert([1, 2, 3], for: "other")
        cache.insert(secret, for: "a")
        cache.insert(secret, for: "b")
        cache.withValue(for: "other") { _ in
            cache.withValue(for: "a") { span in
                cache.removeValue(for: "a")
                cache.insert([4], for: "b")
                // Who reads it still sees it.
                #expect(unsafe span.withUnsafeBytes { unsafe $0.allSatisfy { $0 == 0xA5 } })
            }
        }
        #expect(!cache.holds(0xA5))
        #expect(cache.bytes(for: "other") == [1, 2, 3])
        #expect(cache.bytes(for: "b") == [4])
        #expect(cache.contradictions.isEmpty)
    }

    @Test("Secrets removed while their segment is read are all overwritten after that, however many entries are in it")
    func manyUnderPin() {
        let cache = makeByteCache(shards: 1, memory: SegmentMemory(isSensitive: true))
        let (secret, plain) = ([UInt8](repeating: 0xA5, count: 8), [UInt8](repeating: 1, count: 8))
        cache.insert([1, 2, 3], for: "other")
        for number in 0..<6000 { cache.insert(number % 3 == 0 ? plain : secret, for: "\(number)") }
        cache.withValue(for: "other") { _ in
            for number in 0..<6000 where number % 3 != 0 { cache.removeValue(for: "\(number)") }
        }
        #expect(!cache.holds(0xA5))
        #expect((0..<6000).allSatisfy { (cache.bytes(for: "\($0)") == plain) == ($0 % 3 == 0) })
        #expect(cache.bytes(for: "other") == [1, 2, 3])
        #expect(cache.contradictions.isEmpty)
    }

    @Test("A secret whose writing failed is overwritten")
    func sensitiveThrown() {
        struct Failed: Error {}
        let cache = makeByteCache(shards: 1, memory: SegmentMemory(isSensitive: true))
        #expect(throws: Failed.self) {
            try cache.insert(byteCount: 400, for: "a") { (span: inout MutableRawSpan) throws(Failed) in
                unsafe span.withUnsafeMutableBytes { bytes in
                    for index in bytes.indices { unsafe bytes[index] = 0xA5 }
                }
                throw Failed()
            }
        }
        #expect(!cache.holds(0xA5))
    }

    @Test("Secrets that were evicted, moved or have expired are gone from memory as well")
    func sensitiveEviction() {
        let clock = ManualClock()
        let cache = makeByteCache(limit: 512 << 10, memory: SegmentMemory(isSensitive: true), clock: clock)
        for number in 0..<200 { cache.insert(secret, for: "\(number)", expiresAfter: .seconds(1)) }
        for number in 0..<20_000 {
            cache.insert([UInt8](repeating: 1, count: 300), for: "plain \(number)")
            if number % 7 == 0 { cache.removeValue(for: "plain \(number - 3)") }
        }
        clock.advance(by: .seconds(2))
        for number in 0..<200 { #expect(cache.bytes(for: "\(number)") == nil) }
        #expect(!cache.holds(0xA5))
        #expect(cache.contradictions.isEmpty)
    }

    @Test(
        "A value that expires does so in time, however long the cache has been there",
        arguments: [0, 193, 195, 389, 2900])
    func expiryOfOldCache(days: Int) {
        let clock = ManualClock()
        let cache = makeByteCache(clock: clock)
        clock.advance(by: .seconds(days * 86_400))
        cache.insert([1], for: "a", expiresAfter: .seconds(60))
        cache.insert([2], for: "b", expiresAfter: .seconds(300 * 86_400))
        #expect(cache.bytes(for: "a") == [1])
        clock.advance(by: .milliseconds(59_999))
        #expect(cache.bytes(for: "a") == [1])
        clock.advance(by: .milliseconds(136))
        #expect(cache.bytes(for: "a") == nil)
        clock.advance(by: .seconds(300 * 86_400 - 61))
        #expect(cache.bytes(for: "b") == [2])
        clock.advance(by: .seconds(2))
        #expect(cache.bytes(for: "b") == nil)
    }
}
