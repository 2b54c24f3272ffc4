import Testing

@testable import Jetsam
@testable import PurgeableCaches

struct ByteCacheLimitTests {
    @Test("A limit at what a cache holds lets no part of it grow, however unevenly it is filled")
    func stopsGrowing() {
        let cache = PurgeableByteCache(name: "limited", segmentBytes: 64 << 10, registry: CacheRegistry())
        let value = [UInt8](repeating: 7, count: 40 << 10)
        for key in 0..<100 { cache.insert(value, for: "\(key)") }
        let limit = cache.statistics.residentBytes
        cache.limit = limit
        for key in 100..<500 { cache.insert(value, for: "\(key)") }
        #expect(cache.statistics.residentBytes <= limit)
        #expect(cache.statistics.insertions > 300)
    }

    @Test(
        "The parts of a limit are no more than it in all, and differ by what is held",
        arguments: [
            (0, [5, 5]), (100, [0, 0, 0, 0]), (100, [10, 50, 0]), (100, [100, 100]), (100, [300, 0, 100]),
            (1 << 40, [1 << 30, 0]),
        ])
    func shares(limit: Int, held: [Int]) {
        let shares = PurgeableByteCache.shares(of: limit, held: held)
        #expect(shares.count == held.count)
        #expect(shares.reduce(0, +) <= limit)
        #expect(shares.allSatisfy { $0 >= 0 })
        let grows = held.reduce(0, +) < limit
        for (share, held) in zip(shares, held) { #expect(grows ? share >= held : share <= held) }
        if grows { #expect(shares.reduce(0, +) > limit - held.count) }
    }
}
