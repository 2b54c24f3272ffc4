import MemoryPressure
import Testing

@testable import Jetsam
@testable import JetsamPolicy
@testable import PurgeableCaches

/// The samples of what releases gave up, without a cache.
struct GhostSamplesTests {
    private static let window = ReleaseAccount.window.nanoseconds

    /// Adds entries of so many bytes each, and gives their hashes.
    private func add(
        _ count: Int, bytes: Int, to samples: inout GhostSamples, at now: Int64, _ random: inout SeededGenerator
    ) -> [UInt64] {
        (0..<count).map { _ in
            let hash = max(1, random.next())
            samples.add(hash, bytes: bytes, now: now, expiry: now + Self.window)
            return hash
        }
    }

    @Test("As few as there is room for are all remembered, each once and for its bytes")
    func few() {
        var samples = GhostSamples()
        defer { samples.deallocate() }
        var random = SeededGenerator(seed: 1)
        let hashes = add(700, bytes: 10, to: &samples, at: 0, &random)
        // A bucket may be full by chance.
        #expect(samples.count >= 690 && samples.shift == 0)
        let taken = hashes.map { samples.remove($0, now: Self.window) }
        #expect(taken.reduce(0, +) == samples.count * 10 + taken.count { $0 == 10 } * 10 && samples.count == 0)
        #expect(hashes.allSatisfy { samples.remove($0, now: 0) == 0 })
    }

    @Test(
        "Of many a bounded number is kept, which stand for all of them to within a sixth",
        arguments: [5000, 100_000, 300_000])
    func many(count: Int) {
        var samples = GhostSamples()
        defer { samples.deallocate() }
        var random = SeededGenerator(seed: 2)
        let hashes = add(count, bytes: 3, to: &samples, at: 0, &random)
        #expect(samples.count <= GhostSamples.mostSamples / 2)
        #expect(samples.shift > 0)
        let bytes = hashes.reduce(0) { $0 + samples.remove($1, now: 1) }
        #expect(abs(bytes - 3 * count) < 3 * count / 6, "\(bytes)")
    }

    @Test("What came before the samples were thinned out stands for as much as what came after")
    func thinned() {
        var samples = GhostSamples()
        defer { samples.deallocate() }
        var random = SeededGenerator(seed: 3)
        let first = add(900, bytes: 1000, to: &samples, at: 0, &random)
        let second = add(20_000, bytes: 10, to: &samples, at: 1, &random)
        let early = first.reduce(0) { $0 + samples.remove($1, now: 2) }
        let late = second.reduce(0) { $0 + samples.remove($1, now: 2) }
        #expect(abs(early - 900_000) < 900_000 / 2)
        #expect(abs(late - 200_000) < 200_000 / 5)
    }

    @Test("Nothing is remembered for longer than ten seconds")
    func expires() {
        var samples = GhostSamples()
        defer { samples.deallocate() }
        var random = SeededGenerator(seed: 4)
        let hashes = add(20, bytes: 10, to: &samples, at: 0, &random)
        #expect(samples.remove(hashes[0], now: Self.window) == 10)
        #expect(samples.remove(hashes[1], now: Self.window + 64) == 0)
        #expect(samples.latestExpiry == Self.window)
        samples.removeAll()
        #expect(samples.count == 0 && hashes.allSatisfy { samples.remove($0, now: 0) == 0 })
    }

    @Test(
        "After a large release, smaller ones are soon remembered in full again, though there is one every five seconds")
    func recovers() {
        var samples = GhostSamples()
        defer { samples.deallocate() }
        var random = SeededGenerator(seed: 5)
        _ = add(100_000, bytes: 1, to: &samples, at: 0, &random)
        #expect(samples.shift > 3)
        var last: [UInt64] = []
        for round in 1...20 {
            last = add(20, bytes: 1, to: &samples, at: Int64(round) * Self.window / 2, &random)
        }
        #expect(samples.shift == 0)
        #expect(last.map { samples.remove($0, now: 0) } == last.map { _ in 1 })
    }

    @Test(
        "Where there is no room for a hash, that which expires first makes room, and the same hash takes no second place"
    )
    func full() {
        var samples = GhostSamples()
        defer { samples.deallocate() }
        // The low bits choose the bucket: all meet in one.
        for round in UInt64(1)...12 {
            samples.add(round << 40 | 5, bytes: 1, now: Int64(round), expiry: Int64(round) * 1000)
        }
        #expect(samples.count == 8)
        #expect((UInt64(1)...12).map { samples.remove($0 << 40 | 5, now: 0) } == [0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1])
        samples.add(77, bytes: 1, now: 20, expiry: 20_000)
        samples.add(77, bytes: 2, now: 20, expiry: 20_000)
        #expect(samples.count == 1 && samples.remove(77, now: 20) == 2)
    }

    @Test("Sizes beyond all that can be are held to what a sum can bear")
    func sizes() {
        var samples = GhostSamples()
        defer { samples.deallocate() }
        samples.add(9, bytes: .max, now: 0, expiry: 1000)
        samples.add(10, bytes: -5, now: 0, expiry: 1000)
        #expect(samples.remove(9, now: 0) == 1 << 50)
        #expect(samples.remove(10, now: 0) == 0)
    }
}
