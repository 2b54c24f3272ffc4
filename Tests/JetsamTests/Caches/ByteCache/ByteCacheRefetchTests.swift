import JetsamTesting
import MemoryPressure
import Testing

@testable import Jetsam
@testable import PurgeableCaches

/// What a release gave up and what is put in again soon.
struct ByteCacheRefetchTests {
    private let clock = ManualClock()

    private func fill(_ cache: PurgeableByteCache, _ keys: Range<Int>, bytes: Int) {
        let value = [UInt8](repeating: 1, count: bytes)
        for key in keys { cache.insert(value, for: "\(key)") }
    }

    @Test("Of few entries all are known: they count for what they took, when they are put in again, once")
    func few() {
        let cache = makeByteCache(clock: clock)
        fill(cache, 0..<100, bytes: 1000)
        let live = cache.statistics.liveBytes
        cache.release(bytes: .max)
        #expect(cache.statistics.refetchedBytes == 0)
        fill(cache, 0..<100, bytes: 1000)
        #expect(cache.statistics.refetchedBytes == live)
        fill(cache, 0..<300, bytes: 1000)
        #expect(cache.statistics.refetchedBytes == live)
        #expect(cache.contradictions == [])
    }

    @Test("Of many a sample tells, in many segments and in few", arguments: [(40_000, 64), (40_000, 1024)])
    func many(count: Int, kibibytes: Int) {
        let cache = makeByteCache(segmentBytes: kibibytes << 10, clock: clock)
        fill(cache, 0..<count, bytes: 100)
        let live = cache.statistics.liveBytes
        cache.release(bytes: .max)
        for key in 0..<count where key % 2 == 0 { fill(cache, key..<(key + 1), bytes: 100) }
        let refetched = cache.statistics.refetchedBytes
        #expect(abs(refetched - live / 2) < live / 6, "\(refetched) of \(live)")
    }

    @Test("What is large and copied outside the lock, and what a body writes, counts too")
    func large() {
        let cache = makeByteCache(clock: clock)
        fill(cache, 0..<10, bytes: 4000)
        let live = cache.statistics.liveBytes
        cache.release(bytes: .max)
        fill(cache, 0..<5, bytes: 4000)
        for key in 5..<10 {
            cache.insert(byteCount: 10, for: "\(key)") { span in
                for index in 0..<10 { span.storeBytes(of: 1, toByteOffset: index, as: UInt8.self) }
            }
        }
        #expect(cache.statistics.refetchedBytes == live)
    }

    @Test("What was removed or replaced before the release, and what comes after ten seconds, does not count")
    func others() {
        let cache = makeByteCache(clock: clock)
        fill(cache, 0..<100, bytes: 500)
        for key in 0..<50 { cache.removeValue(for: "\(key)") }
        cache.release(bytes: .max)
        fill(cache, 0..<50, bytes: 500)
        #expect(cache.statistics.refetchedBytes == 0)
        clock.advance(by: .seconds(11))
        fill(cache, 50..<100, bytes: 500)
        #expect(cache.statistics.refetchedBytes == 0)
    }

    @Test("What makes room for others does not count")
    func evicted() {
        let cache = makeByteCache(limit: 1 << 20, clock: clock)
        for _ in 0..<3 { fill(cache, 0..<5000, bytes: 500) }
        #expect(cache.statistics.evictions > 5000)
        #expect(cache.statistics.refetchedBytes == 0)
    }

    @Test("A release that may not wait, and one of what is being read, are remembered as well")
    func otherReleases() {
        let cache = makeByteCache(clock: clock)
        fill(cache, 0..<100, bytes: 500)
        let live = cache.statistics.liveBytes
        _ = cache.releaseWithoutWaiting(bytes: .max)
        fill(cache, 0..<100, bytes: 500)
        #expect(cache.statistics.refetchedBytes == live)
        cache.withValue(for: "7") { _ in
            cache.release(bytes: .max)
            #expect(cache.count == 0)
        }
        fill(cache, 0..<100, bytes: 500)
        #expect(cache.statistics.refetchedBytes == 2 * live)
    }

    @Test("A registered cache counts for its registry")
    func registered() throws {
        let registry = CacheRegistry()
        let cache = PurgeableByteCache(name: "bytes", registry: registry)
        fill(cache, 0..<10, bytes: 500)
        _ = try registry.releaseFromFirst(.max)
        fill(cache, 0..<10, bytes: 500)
        #expect(registry.refetchedBytes == cache.statistics.refetchedBytes)
        #expect(registry.refetchedBytes > 5000)
    }
}
