import Testing

@testable import Jetsam
@testable import PurgeableCaches

/// The index is memory of the cache as segments are: it is in `bytes` and stays within the limit.
struct ByteCacheIndexBytesTests {
    private static func total(_ cache: PurgeableByteCache) -> Int {
        let statistics = cache.statistics
        return statistics.residentBytes + statistics.deferredBytes + statistics.indexBytes
    }

    /// Puts in so many small values; the most bytes that there were, and how many values there were on an average of the second half.
    private static func fill(_ cache: PurgeableByteCache, _ count: Int) -> (bytes: Int, count: Int) {
        var (most, sum, looks, refused) = (0, 0, 0, 0)
        for number in 0..<count {
            if !cache.insert([1, 2, 3, 4], for: "\(number)") { refused += 1 }
            guard number % 256 == 0 else { continue }
            most = max(most, total(cache))
            guard number > count / 2 else { continue }
            sum += cache.count
            looks += 1
        }
        #expect(refused == 0)
        return (most, sum / looks)
    }

    @Test("Segments and index together stay within a limit", arguments: [128 << 10, 1 << 20, 4 << 20])
    func limit(bytes: Int) {
        let cache = PurgeableByteCache(name: "limited", limit: bytes, registry: CacheRegistry())
        let most = Self.fill(cache, 300_000)
        #expect(most.bytes <= bytes)
        #expect(most.bytes > bytes / 4 * 3)
        // An entry takes about 27 bytes here; a limit of two segments has room for one of them and its index.
        #expect(most.count > bytes / (bytes > 128 << 10 ? 40 : 100))
        #expect(cache.contradictions.isEmpty)
    }

    @Test("Where large values have taken the limit, small ones that come after them get an index")
    func smallAfterLarge() {
        let limit = 16 << 20
        let cache = makeByteCache(limit: limit, shards: 1)
        for number in 0..<500 { #expect(cache.insert([UInt8](repeating: 1, count: 50_000), for: "large \(number)")) }
        let most = Self.fill(cache, 700_000)
        #expect(most.bytes <= limit)
        #expect(most.count > limit / 50)
        #expect(cache.contradictions.isEmpty)
    }

    @Test("What the cache reports and gives back counts its index")
    func reported() {
        let registry = CacheRegistry()
        let cache = PurgeableByteCache(name: "bytes", segmentBytes: 64 << 10, registry: registry)
        for number in 0..<100_000 { cache.insert([UInt8(truncatingIfNeeded: number)], for: "\(number)") }
        let statistics = cache.statistics
        #expect(statistics.indexBytes >= 800_000)
        #expect(cache.bytes == statistics.residentBytes + statistics.indexBytes)
        #expect(abs(registry.reportedBytes - cache.bytes) <= cache.sizes.shardCount * (64 << 10) / 16)
        let given = cache.release(bytes: cache.bytes / 10 * 9)
        #expect(given == statistics.residentBytes + statistics.indexBytes - cache.bytes)
        #expect(given == cache.statistics.releasedBytes)
        #expect(cache.statistics.indexBytes < statistics.indexBytes / 3)
        #expect(registry.reportedBytes == cache.bytes)
        let rest = cache.bytes
        #expect(cache.release(bytes: .max) == rest)
        #expect(cache.bytes == 0)
        #expect(registry.reportedBytes == 0)
    }

    @Test("What the sampler has a cache give takes the index of what is empty then along", arguments: [false, true])
    func lastResort(isEmptyBefore: Bool) {
        let cache = makeByteCache()
        for number in 0..<20_000 { cache.insert([1], for: "\(number)") }
        if isEmptyBefore {
            #expect(cache.release(bytes: cache.statistics.residentBytes / 2) > 0)
            cache.removeAll()
            // Of what is left the segments went, and only an index is still there.
            for index in 0..<cache.sizes.shardCount {
                cache.shard(index).withLock { shard in while shard.discardSpare() {} }
            }
            #expect(cache.bytes == cache.statistics.indexBytes)
        }
        let bytes = cache.bytes
        #expect(bytes > 0)
        #expect(cache.releaseWithoutWaiting(bytes: .max) == bytes)
        #expect(cache.bytes == 0)
        #expect(cache.insert([2], for: "a"))
        #expect(cache.bytes(for: "a") == [2])
    }
}
