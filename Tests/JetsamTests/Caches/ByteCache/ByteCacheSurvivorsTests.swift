import Testing

@testable import Jetsam
@testable import PurgeableCaches

/// What was used stays, also where there is no memory to move it to: then it moves together in its own segment.
struct ByteCacheSurvivorsTests {
    /// A cache that was filled, of which `used` are asked for once.
    private static func fill(
        _ cache: PurgeableByteCache, count: Int, valueBytes: Int, used: (Int) -> Bool
    ) -> Bool {
        let value = [UInt8](repeating: 7, count: valueBytes)
        for number in 0..<count {
            guard cache.insert(value, for: "\(number)") else { return false }
        }
        return (0..<count).allSatisfy { !used($0) || cache.bytes(for: "\($0)") == value }
    }

    @Test(
        "Where a full cache goes on with new entries, all that were asked for stay, in many segments and in few",
        arguments: [(4 << 20, 1), (4 << 20, 4), (1 << 20, 4), (512 << 10, 2)])
    func filling(limit: Int, shards: Int) {
        let cache = makeByteCache(limit: limit, shards: shards)
        let value = [UInt8](repeating: 7, count: 500)
        // No more than fit, whatever their hashes are.
        let count = limit / 8 * 5 / 512
        #expect(Self.fill(cache, count: count, valueBytes: 500) { $0 % 4 == 0 })
        #expect(cache.count == count)
        for number in 0..<(limit / 8 * 5 / 512) { #expect(cache.insert(value, for: "new \(number)")) }
        #expect(cache.statistics.evictions > 0)
        #expect((0..<count).allSatisfy { $0 % 4 != 0 || cache.bytes(for: "\($0)") == value })
        #expect(cache.contradictions.isEmpty)
    }

    /// Of many sizes, so that what is moved to the wrong place is no entry there.
    private static func value(_ number: Int) -> [UInt8] {
        [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 20 + number % 50)
    }

    /// Inserts entries, and asks for every other one, until some of a segment have moved together and others of it wait for that.
    private static func insertUntilSomeMovedTogether(_ cache: PurgeableByteCache) -> Bool {
        for number in 0..<100_000 {
            guard cache.insert(value(number), for: "\(number)") else { return false }
            if number % 2 == 0, cache.bytes(for: "\(number)") == nil { return false }
            let eviction = cache.shard(0).withLock { $0.eviction }
            if let kept = eviction.keptEnd, kept > 0, eviction.offset > kept + 512 { return true }
        }
        return false
    }

    /// Numbers of entries of the segment that is gone through: the last that was moved, and the first that waits.
    private static func numbers(_ cache: PurgeableByteCache) -> (moved: Int, waiting: Int)? {
        cache.shard(0).withLock { shard in
            var places: [(number: Int, offset: Int)] = []
            for number in stride(from: 0, to: 100_000, by: 2) {
                var key = "\(number)"
                key.withUTF8 { bytes in
                    let key = UnsafeRawBufferPointer(bytes)
                    let hash = unsafe ByteHash(key, shard.seeds).index
                    guard let slot = unsafe shard.find(hash, key)?.slot else { return }
                    guard shard.segments.view.id(of: slot) == shard.eviction.segment else { return }
                    let mask = UInt64(1) << shard.segments.view.shift - 1
                    places.append((number, Int(slot.location & mask) * ByteSlot.unitBytes))
                }
            }
            places.sort { $0.offset < $1.offset }
            let kept = shard.eviction.keptEnd ?? 0
            guard let moved = places.last(where: { $0.offset < kept }),
                let waiting = places.first(where: { $0.offset >= kept })
            else { return nil }
            return (moved.number, waiting.number)
        }
    }

    @Test(
        "Whoever reads a segment whose entries are being moved together finds them in their place",
        arguments: [true, false])
    func reading(readsMoved: Bool) throws {
        let cache = makeByteCache(limit: 1 << 20, shards: 1)
        try #require(Self.insertUntilSomeMovedTogether(cache))
        #expect(cache.contradictions.isEmpty)
        let numbers = try #require(Self.numbers(cache))
        let number = readsMoved ? numbers.moved : numbers.waiting
        let before = cache.shard(0).withLock { $0.eviction }
        let isRight = cache.withValue(for: "\(number)") { span in
            for new in 100_000..<120_000 { #expect(cache.insert(Self.value(new), for: "\(new)")) }
            return unsafe span.withUnsafeBytes { unsafe Array($0) == Self.value(number) }
        }
        #expect(isRight == true)
        #expect(cache.shard(0).withLock { $0.eviction.segment != before.segment || $0.eviction.keptEnd == nil })
        #expect(cache.contradictions.isEmpty)
        for new in 120_000..<140_000 { #expect(cache.insert(Self.value(new), for: "\(new)")) }
        #expect(cache.contradictions.isEmpty)
    }

    @Test("A segment whose entries are being moved together can be released, emptied and compacted", arguments: 0..<4)
    func interrupted(by way: Int) throws {
        let cache = makeByteCache(limit: 1 << 20, shards: 1)
        try #require(Self.insertUntilSomeMovedTogether(cache))
        switch way {
        case 0: #expect(cache.release(bytes: .max) > 0)
        case 1: #expect(cache.release(bytes: 700 << 10) >= 700 << 10)
        case 2: cache.removeAll()
        default: for number in 0..<100_000 where number % 8 != 0 { cache.removeValue(for: "\(number)") }
        }
        #expect(cache.contradictions.isEmpty)
        for new in 100_000..<130_000 { #expect(cache.insert(Self.value(new), for: "\(new)")) }
        #expect(
            (100_000..<130_000).allSatisfy {
                cache.bytes(for: "\($0)").map { $0.count } ?? 20 + $0 % 50 == 20 + $0 % 50
            })
        #expect(cache.contradictions.isEmpty)
    }

    @Test("Of secrets that do not stay nothing is left where others move over them")
    func secrets() {
        let cache = makeByteCache(limit: 256 << 10, shards: 1, memory: SegmentMemory(isSensitive: true))
        let secret = [UInt8](repeating: 0xA5, count: 40)
        var (movedTogether, left, before) = (0, 0, ByteShard.Eviction())
        for number in 0..<8000 {
            if number < 4000 { #expect(cache.insert(secret, for: "secret \(number)")) }
            let plain = [UInt8](repeating: 0, count: number % 60)
            #expect(cache.insert(plain, for: "\(number)"))
            #expect(cache.bytes(for: "\(number)") == plain)
            cache.shard(0).withLock { shard in
                if let kept = shard.eviction.keptEnd, shard.eviction.offset > kept {
                    movedTogether += 1
                    if Self.holds(0xA5, shard, shard.eviction.segment, kept..<shard.eviction.offset) { left += 1 }
                } else if before.keptEnd != nil, before.segment == shard.fillingKept {
                    // It takes more now: behind what was moved there is nothing.
                    let record = unsafe shard.segments.record(before.segment)
                    let rest = unsafe Int(record.pointee.used)..<Int(record.pointee.resident)
                    if Self.holds(0xA5, shard, before.segment, rest) { left += 1 }
                }
                before = shard.eviction
            }
        }
        #expect(movedTogether > 0)
        #expect(left == 0)
        #expect((0..<4000).allSatisfy { cache.bytes(for: "secret \($0)") == nil })
        #expect(!cache.holds(0xA5))
        #expect(cache.contradictions.isEmpty)
    }

    private static func holds(_ byte: UInt8, _ shard: borrowing ByteShard, _ id: UInt32, _ range: Range<Int>) -> Bool {
        let base = unsafe shard.segments.record(id).pointee.base
        return unsafe UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count).holds(byte)
    }

    @Test(
        "A gap is passed over exactly, whatever its size",
        arguments: [
            0, 4, 8, 12, 16, 20, 1 << 20 - 8, 1 << 20 - 4, 1 << 20, 1 << 20 + 4, 1 << 20 + 8, 1 << 20 + 12, 2 << 20,
        ],
        [false, true])
    func gaps(byteCount: Int, overwrites: Bool) {
        let size = byteCount + 64
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
        defer { unsafe memory.deallocate() }
        unsafe memory.initializeMemory(as: UInt8.self, repeating: 0xA5)
        let start = memory.baseAddress!
        unsafe ByteEntry.writeGap(at: start, byteCount: byteCount, overwrites: overwrites)
        var (offset, entries) = (0, 0)
        while offset < byteCount {
            let entry = unsafe ByteEntry(at: start + offset)
            #expect(entry.keyCount == 0)
            offset += entry.byteCount
            entries += 1
        }
        #expect(offset == byteCount)
        #expect(entries <= 2)
        #expect(unsafe memory[byteCount...].allSatisfy { $0 == 0xA5 })
        if overwrites { #expect(unsafe !memory[..<byteCount].contains(0xA5)) }
    }
}
