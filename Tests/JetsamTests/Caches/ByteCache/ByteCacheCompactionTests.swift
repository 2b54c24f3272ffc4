import JetsamTesting
import Synchronization
import Testing

@testable import Jetsam
@testable import PurgeableCaches

/// What is removed or replaced one by one.
struct ByteCacheCompactionTests {
    private static func value(_ number: Int, _ round: Int = 0) -> [UInt8] {
        [UInt8](repeating: UInt8(truncatingIfNeeded: number &* 31 &+ round), count: 16 + number % 1000)
    }

    private static func isWithinBounds(_ cache: PurgeableByteCache) -> Bool {
        let statistics = cache.statistics
        return statistics.residentBytes * 10 <= statistics.liveBytes * 12
    }

    @Test("Where nine tenths are removed one by one at random, hardly more stays resident than lives")
    func removedAtRandom() {
        let cache = makeByteCache(shards: 2)
        let count = 60_000
        for number in 0..<count { #expect(cache.insert(Self.value(number), for: "\(number)")) }
        var random = SeededGenerator(seed: 5)
        var numbers = Array(0..<count).shuffled(using: &random)
        let left = numbers.suffix(count / 10)
        numbers.removeLast(count / 10)
        for number in numbers { #expect(cache.removeValue(for: "\(number)")) }
        #expect(Self.isWithinBounds(cache))
        #expect(left.allSatisfy { cache.bytes(for: "\($0)") == Self.value($0) })
        #expect(cache.count == left.count)
        #expect(cache.memory.discardedBytes.load(ordering: .relaxed) == cache.statistics.releasedBytes)
        #expect(cache.contradictions.isEmpty)
    }

    @Test("A cache without a limit whose values are replaced over and over grows no larger than they are")
    func replaced() {
        let cache = makeByteCache(shards: 1)
        var random = SeededGenerator(seed: 6)
        var rounds = [Int](repeating: 0, count: 10_000)
        for number in rounds.indices { cache.insert(Self.value(number), for: "\(number)") }
        for step in 1...100_000 {
            let number = Int.random(in: rounds.indices, using: &random)
            rounds[number] = step
            #expect(cache.insert(Self.value(number, step), for: "\(number)"))
            if step % 10_000 == 0 { #expect(Self.isWithinBounds(cache)) }
        }
        #expect(cache.statistics.evictions == 0)
        #expect(rounds.indices.allSatisfy { cache.bytes(for: "\($0)") == Self.value($0, rounds[$0]) })
        #expect(cache.contradictions.isEmpty)
    }

    @Test("A segment that is read is not emptied under its readers")
    func read() {
        let cache = makeByteCache(shards: 1)
        for number in 0..<5_000 { cache.insert(Self.value(number), for: "\(number)") }
        let isUnchanged = cache.withValue(for: "1") { span in
            for number in 0..<5_000 where number % 50 != 1 { cache.removeValue(for: "\(number)") }
            #expect(Self.isWithinBounds(cache) || cache.statistics.residentBytes < 8 << 16)
            return unsafe span.withUnsafeBytes { unsafe Array($0) } == Self.value(1)
        }
        #expect(isUnchanged == true)
        #expect(cache.statistics.deferredBytes == 0)
        #expect(stride(from: 1, to: 5_000, by: 50).allSatisfy { cache.bytes(for: "\($0)") == Self.value($0) })
        #expect(cache.contradictions.isEmpty)
    }

    @Test("It takes no memory beyond a limit, and loses nothing where it has no room")
    func limited() {
        let cache = makeByteCache(shards: 1)
        for number in 0..<4_000 { cache.insert(Self.value(number), for: "\(number)") }
        let size = cache.bytes
        cache.limit = 0
        for number in 0..<4_000 where number % 3 != 0 { cache.removeValue(for: "\(number)") }
        #expect(cache.bytes <= size)
        #expect(cache.statistics.evictions == 0)
        #expect(stride(from: 0, to: 4_000, by: 3).allSatisfy { cache.bytes(for: "\($0)") == Self.value($0) })
        #expect(cache.contradictions.isEmpty)
    }
}
