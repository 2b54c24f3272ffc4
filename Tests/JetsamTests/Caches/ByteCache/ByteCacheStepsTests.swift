import Testing

@testable import Jetsam
@testable import PurgeableCaches

/// What takes long is done some at a time, so that nobody waits for all of it.
struct ByteCacheStepsTests {
    private static let value = [UInt8](repeating: 7, count: 32)

    private static func insert(_ number: Int, into cache: PurgeableByteCache) -> Bool {
        var value = value
        for place in 0..<4 { value[place] = UInt8(truncatingIfNeeded: number >> (8 * place)) }
        return cache.insert(value, for: "\(number)")
    }

    private static func isThere(_ number: Int, in cache: PurgeableByteCache) -> Bool? {
        cache.withValue(for: "\(number)") { span in
            unsafe span.unsafeLoadUnaligned(as: UInt32.self) == UInt32(number)
        }
    }

    @Test("An index that grows moves a few slots with each insertion, and all is found, replaced and removed meanwhile")
    func growing() {
        let cache = makeByteCache(segmentBytes: 1 << 20, shards: 1)
        let shard = cache.shard(0)
        var (moves, most, before) = (0, 0, 0)
        for number in 0..<60_000 {
            guard Self.insert(number, into: cache) else {
                Issue.record("no room for entry \(number)")
                return
            }
            let unmoved = shard.withLock { $0.index.isMoving ? $0.index.unmoved : 0 }
            if unmoved > before { moves += 1 }
            if before > unmoved { most = max(most, before - unmoved) }
            before = unmoved
            guard unmoved > 0, number % 16 == 0 else { continue }
            for other in stride(from: number % 17, to: number, by: number / 20 + 1) {
                #expect(Self.isThere(other, in: cache) == true)
            }
            if number % 512 == 0 {
                #expect(cache.removeValue(for: "\(number / 2)"))
                #expect(Self.isThere(number / 2, in: cache) == nil)
                #expect(Self.insert(number / 2, into: cache))
                #expect(Self.insert(number / 3, into: cache))
                if number % 4096 == 0 { #expect(cache.contradictions.isEmpty) }
            }
        }
        #expect(moves > 20)
        #expect(most <= 3 * ByteShard.slotsOfInsertion)
        #expect(cache.count == 60_000)
        #expect((0..<60_000).allSatisfy { Self.isThere($0, in: cache) == true })
        #expect(cache.contradictions.isEmpty)
    }

    @Test("A segment is gone through some entries at a time before its memory is needed, and what was used stays")
    func evicting() {
        let cache = makeByteCache(limit: 8 << 20, segmentBytes: 1 << 20, shards: 1)
        let shard = cache.shard(0)
        var (begun, most, before) = (0, 0, ByteShard.Eviction())
        var wrong = 0
        for number in 0..<400_000 {
            if !Self.insert(number, into: cache) { wrong += 1 }
            // These are asked for over and over, the others never.
            let isRight = Self.isThere(number % 1000, in: cache) ?? Self.insert(number % 1000, into: cache)
            if !isRight { wrong += 1 }
            let now = shard.withLock { $0.eviction }
            if now.segment == before.segment { most = max(most, now.offset - before.offset) }
            if now.segment != before.segment, now.segment != SegmentRecord.none { begun += 1 }
            before = now
        }
        // 17 MiB come in, for which 8 MiB less the index have room.
        #expect(begun >= 8)
        #expect(wrong == 0)
        // In bytes: 256 entries of 44.
        #expect(most < 12 << 10)
        #expect((0..<1000).count { Self.isThere($0, in: cache) == true } > 950)
        #expect(cache.contradictions.isEmpty)
    }

    @Test("An insertion that needs room at once goes through a segment of small values in several holds of the lock")
    func evictingAtOnce() {
        let cache = makeByteCache(limit: 4 << 20, segmentBytes: 256 << 10, shards: 1)
        #expect((0..<120_000).allSatisfy { Self.insert($0, into: cache) && Self.isThere($0, in: cache) == true })
        let shard = cache.shard(0)
        // So that what stays has somewhere to go.
        shard.withLock { $0.limit += 2 << 20 }
        var holds = 0
        for _ in 0..<5 {
            var work = ByteShard.EvictionWork()
            var isDone = false
            while !isDone, holds < 100 {
                shard.withLock { shard in
                    work.beginHold()
                    let before = shard.eviction
                    isDone = shard.makeSpare(&work)
                    #expect(isDone != work.isInterrupted)
                    if before.segment == shard.eviction.segment {
                        #expect(shard.eviction.offset - before.offset <= 1024 * 48)
                    }
                    if isDone { while shard.discardSpare() {} }
                }
                holds += 1
            }
        }
        // A segment has 5,900 entries.
        #expect(holds > 15)
        #expect(holds < 40)
        #expect(cache.contradictions.isEmpty)
    }

    @Test("A segment that has been through all generations waits until old slots are swept out")
    func sweeping() {
        let cache = makeByteCache(limit: 1 << 20, shards: 1)
        let shard = cache.shard(0)
        var waited = 0
        for round in 0..<200 {
            #expect((0..<400).allSatisfy { Self.insert(round * 400 + $0, into: cache) })
            cache.removeAll()
            waited += shard.withLock { $0.segments.unswept.count }
            #expect(cache.count == 0)
        }
        #expect(waited > 0)
        #expect(cache.contradictions.isEmpty)
        cache.release(bytes: .max)
        #expect(cache.bytes == 0)
        // What had its last generation in that release still waits, without memory; all others can be used again.
        #expect((0..<400).allSatisfy { Self.insert(80_000 + $0, into: cache) })
        #expect(cache.count == 400)
        #expect(cache.contradictions.isEmpty)
    }
}
