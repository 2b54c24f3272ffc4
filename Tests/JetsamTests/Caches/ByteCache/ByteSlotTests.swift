import Testing

@testable import Jetsam
@testable import PurgeableCaches

struct ByteSlotTests {
    @Test(
        "A slot gives back what it was made of, at both ends of each range",
        arguments: [(0, 0, 1, 0), (1 << 21 - 1, 7, 63, 1 << 34 - 1), (0x1234, 3, 5, 0x2_3456_789A)])
    func packs(hash: UInt64, frequency: UInt8, generation: UInt8, location: UInt64) {
        let slot = ByteSlot(hash: hash, frequency: frequency, generation: generation, location: location)
        #expect(slot.hash == hash)
        #expect(slot.frequency == frequency)
        #expect(slot.generation == generation)
        #expect(slot.location == location)
        #expect(!slot.isEmpty)
    }

    @Test("Uses are counted up to the most, and change nothing else")
    func counts() {
        var slot = ByteSlot(hash: 77, frequency: 0, generation: 9, location: 1234)
        let first = slot
        for use in 1...10 {
            slot = slot.touched
            #expect(slot.frequency == min(UInt8(use), ByteSlot.mostFrequency))
            #expect(slot.isOf(first))
        }
        #expect(slot.moved(to: 5, generation: 2, frequency: 1).hash == 77)
        #expect(!slot.isOf(slot.moved(to: 5, generation: 9, frequency: 7)))
    }

    @Test("A segment that is read more, or more lately, has a higher score")
    func scores() {
        #expect(SegmentScores.score(hits: 0, lookups: 1) == 0)
        let rising = [1, 2, 4, 5, 6, 100, 10_000, 4_000_000_000].map { SegmentScores.score(hits: $0, lookups: 1 << 20) }
        #expect(rising == rising.sorted())
        #expect(rising.first! > 0)
        #expect(rising.last! < SegmentScores.count)
        #expect(SegmentScores.score(hits: 10, lookups: 2000) > SegmentScores.score(hits: 10, lookups: 200_000))
    }

    @Test("Keys that differ in one bit, or in length alone, hash apart")
    func hashes() {
        let seeds = ByteHash.Seeds()
        var seen: Set<UInt64> = []
        var count = 0
        for length in 0...40 {
            for flipped in -1..<length * 8 {
                var key = [UInt8](repeating: 0, count: length)
                if flipped >= 0 { key[flipped / 8] ^= 1 << (flipped % 8) }
                let hash = unsafe key.withUnsafeBytes { unsafe ByteHash($0, seeds) }
                seen.insert(hash.index << 8 | hash.shard & 0xFF)
                count += 1
            }
        }
        // 6,601 keys in 29 bits: about 0.04 pairs would meet by chance.
        #expect(seen.count >= count - 2)
    }

    @Test(
        "Shards and segments suit the limit",
        arguments: [
            (nil, nil, 8, 1 << 20), (1 << 30, nil, 8, 1 << 20), (64 << 20, nil, 8, 512 << 10),
            (1 << 20, nil, 1, 64 << 10),
            (0, nil, 1, 64 << 10), (1 << 30, 5 << 20, 8, 8 << 20), (nil, 0, 8, 64 << 10), (nil, .max, 8, 64 << 20),
        ] as [(Int?, Int?, Int, Int)])
    func sizes(limit: Int?, wanted: Int?, shards: Int, segment: Int) {
        let sizes = ByteCacheSizes(limit: limit, wanted: wanted, hugePageBytes: nil, processors: 2)
        #expect(sizes.shardCount == shards)
        #expect(sizes.segmentBytes == segment)
    }
}
