import CLinuxShims
import JetsamTesting
import MemoryPressure
import Synchronization
import Testing

@testable import Jetsam
@testable import PurgeableCaches

struct ByteCacheTests {
    private struct Broken: Error {}

    @Test("Keys and values without bytes are ordinary ones")
    func empty() {
        let cache = makeByteCache()
        #expect(cache.bytes(for: "") == nil)
        #expect(cache.insert([], for: ""))
        #expect(cache.bytes(for: "") == [])
        #expect(cache.insert([1], for: ""))
        #expect(cache.insert([], for: [2]))
        #expect(cache.bytes(for: "") == [1])
        #expect(cache.bytes(for: [2]) == [])
        #expect(cache.count == 2)
        #expect(cache.removeValue(for: ""))
        #expect(!cache.removeValue(for: ""))
    }

    @Test(
        "What is larger than a segment is refused, and leaves what its key had", arguments: [65_600, 1 << 20, 1 << 24])
    func tooLarge(count: Int) {
        let cache = makeByteCache(segmentBytes: 64 << 10)
        #expect(cache.insert([1], for: "a"))
        #expect(!cache.insert([UInt8](repeating: 2, count: count), for: "a"))
        #expect(!cache.insert([1], for: [UInt8](repeating: 3, count: count)))
        #expect(!cache.insert(byteCount: count, for: "a") { _ in Issue.record("called without room") })
        #expect(!cache.insert(byteCount: .max, for: "a") { _ in Issue.record("called without room") })
        #expect(!cache.insert(byteCount: -1, for: "a") { _ in Issue.record("called without room") })
        #expect(cache.bytes(for: "a") == [1])
        #expect(cache.statistics.refusals == 5)
        #expect(cache.contradictions.isEmpty)
    }

    @Test("Keys and values of every size up to a segment come back as they were")
    func sizes() {
        let cache = makeByteCache(segmentBytes: 4 << 20)
        for count in [1, 3, 254, 255, 256, 4096, 1 << 16, 1 << 20 - 1, 1 << 20, 3 << 20] {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 8) }
            #expect(cache.insert(bytes, for: [UInt8(truncatingIfNeeded: count), 1]))
            #expect(cache.insert([5], for: bytes))
            #expect(cache.insert([6], for: bytes, expiresAfter: .seconds(1)))
            #expect(cache.bytes(for: [UInt8(truncatingIfNeeded: count), 1]) == bytes)
            #expect(cache.bytes(for: bytes) == [6])
        }
        #expect(cache.contradictions.isEmpty)
    }

    @Test("A value is found until its time is over, and not more than 8 ms longer", arguments: [1, 7, 100, 3_600_000])
    func expiry(milliseconds: Int) {
        let clock = ManualClock()
        let cache = makeByteCache(clock: clock)
        clock.advance(by: .nanoseconds(123_456_789))
        #expect(cache.insert([1], for: "a", expiresAfter: .milliseconds(milliseconds)))
        clock.advance(by: .milliseconds(milliseconds) - .nanoseconds(1))
        #expect(cache.bytes(for: "a") == [1])
        clock.advance(by: .milliseconds(8))
        #expect(cache.bytes(for: "a") == nil)
        #expect(cache.statistics.expirations == 1)
        #expect(cache.count == 0)
    }

    @Test("No time at all removes, and more than a year is for ever")
    func oddExpiry() {
        let clock = ManualClock()
        let cache = makeByteCache(clock: clock)
        #expect(cache.insert([1], for: "a"))
        #expect(cache.insert([2], for: "a", expiresAfter: .zero))
        #expect(cache.bytes(for: "a") == nil)
        #expect(cache.insert([3], for: "a", expiresAfter: .seconds(1 << 40)))
        #expect(cache.insert([4], for: "b", expiresAfter: .nanoseconds(Int64.min)))
        clock.advance(by: .seconds(400 * 86_400))
        #expect(cache.bytes(for: "a") == [3])
        #expect(cache.bytes(for: "b") == nil)
    }

    @Test("A body may throw, and nothing is held afterwards")
    func bodyThrows() {
        let cache = makeByteCache()
        cache.insert([1], for: "a")
        #expect(throws: Broken.self) { try cache.withValue(for: "a") { _ in throw Broken() } }
        #expect(throws: Broken.self) { try cache.insert(byteCount: 9, for: "a") { _ in throw Broken() } }
        #expect(cache.bytes(for: "a") == [1])
        #expect(cache.release(bytes: .max) > 0)
        #expect(cache.bytes == 0)
        #expect(cache.statistics.deferredBytes == 0)
    }

    @Test("A value can be written in place, and is lost where everything is removed meanwhile")
    func inPlace() {
        let cache = makeByteCache()
        let isKept = cache.insert(byteCount: 3, for: "a") { span in
            for index in 0..<3 { span.storeBytes(of: UInt8(index), toByteOffset: index, as: UInt8.self) }
            #expect(cache.bytes(for: "a") == nil)
            cache.insert([9], for: "b")
        }
        #expect(isKept)
        #expect(cache.bytes(for: "a") == [0, 1, 2])
        #expect(!cache.insert(byteCount: 3, for: "a") { _ in cache.removeAll() })
        #expect(cache.count == 0)
        #expect(cache.contradictions.isEmpty)
    }

    @Test("A segment that is read goes from the cache at once and from memory with its last reader")
    func deferred() {
        let cache = makeByteCache(shards: 1)
        cache.insert([1, 2, 3], for: "a")
        let value = cache.withValue(for: "a") { span in
            // Only the index, a page, goes at once.
            #expect(cache.release(bytes: .max) == cache.memory.pageBytes)
            #expect(cache.bytes(for: "a") == nil)
            #expect(cache.statistics.deferredBytes == cache.memory.pageBytes)
            #expect(cache.bytes == 0)
            cache.insert([4], for: "a")
            #expect(cache.release(bytes: .max) == 2 * cache.memory.pageBytes)
            return unsafe span.withUnsafeBytes { unsafe Array($0) }
        }
        #expect(value == [1, 2, 3])
        #expect(cache.statistics.deferredBytes == 0)
        #expect(cache.statistics.releasedBytes == 4 * cache.memory.pageBytes)
        #expect(cache.contradictions.isEmpty)
    }

    @Test(
        "Bodies may stand in one another, more than a stripe has room for, and the last to end gives the segment back",
        arguments: [1, 2, ByteStripe.pinCount, ByteStripe.pinCount + 1, 3 * ByteStripe.pinCount], [true, false])
    func nested(depth: Int, isAsymmetric: Bool) {
        let cache = makeByteCache(shards: 1, isAsymmetric: isAsymmetric && jetsam_has_barrier_everywhere())
        cache.insert([1, 2, 3], for: "a")
        func read(_ left: Int) {
            let bytes = cache.withValue(for: "a") { span in
                let isInnermost = left == 1
                if !isInnermost { read(left - 1) }
                if isInnermost { #expect(cache.release(bytes: .max) == cache.memory.pageBytes) }
                #expect(cache.statistics.deferredBytes == cache.memory.pageBytes)
                return unsafe span.withUnsafeBytes { unsafe Array($0) }
            }
            #expect(bytes == [1, 2, 3])
        }
        read(depth)
        #expect(cache.statistics.deferredBytes == 0)
        #expect(cache.statistics.releasedBytes == 2 * cache.memory.pageBytes)
        #expect(cache.statistics.hits == depth)
        #expect(cache.contradictions.isEmpty)
    }

    @Test("A segment is used over and over without its old entries coming back")
    func generations() {
        let cache = makeByteCache(limit: 192 << 10, shards: 1)
        for round in 0..<4000 {
            #expect(cache.insert([UInt8](repeating: UInt8(truncatingIfNeeded: round), count: 9000), for: "\(round)"))
        }
        #expect(cache.contradictions.isEmpty)
        #expect(cache.bytes <= 192 << 10)
        let found = (0..<4000).filter { cache.bytes(for: "\($0)") != nil }
        #expect(found.count == cache.count)
        #expect(found.count >= 5)
        for round in found { #expect(cache.bytes(for: "\(round)")?.first == UInt8(truncatingIfNeeded: round)) }
    }

    @Test(
        "An entry takes at most 16 bytes beside key and value, at any number of them",
        arguments: [20_000, 23_000, 40_000])
    func metadata(count: Int) {
        let cache = makeByteCache(segmentBytes: 1 << 20, shards: 1)
        var own = 0
        for number in 0..<count {
            let key = Array("\(number)".utf8)
            let value = [UInt8](repeating: 1, count: 16 + number % 48)
            own += key.count + value.count
            #expect(cache.insert(value, for: key))
        }
        let statistics = cache.statistics
        #expect(statistics.entries == count)
        #expect(statistics.liveBytes + statistics.indexBytes - own <= 16 * count)
    }

    @Test("What is used again outlives what is not")
    func policy() {
        let cache = makeByteCache(limit: 2 << 20, shards: 1)
        let value = [UInt8](repeating: 1, count: 500)
        for round in 0..<20_000 {
            cache.insert(value, for: "once \(round)")
            for hot in 0..<4 where cache.bytes(for: "hot \((round * 4 + hot) % 400)") == nil {
                cache.insert(value, for: "hot \((round * 4 + hot) % 400)")
            }
        }
        #expect((0..<400).filter { cache.bytes(for: "hot \($0)") != nil }.count > 380)
    }
}
