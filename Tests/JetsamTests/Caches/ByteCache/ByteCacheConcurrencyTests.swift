import CLinuxShims
import JetsamTesting
import MemoryPressure
import Synchronization
import Testing

@testable import Jetsam
@testable import PurgeableCaches

/// Everything at once from several tasks; what a value is can be told from its key.
@Suite struct ByteCacheConcurrencyTests {
    @Test(
        "Readers see whole values of their key while others write, remove, release and limit",
        arguments: [jetsam_has_barrier_everywhere(), false])
    func hammer(isAsymmetric: Bool) async {
        let cache = makeByteCache(
            limit: 1 << 20, segmentBytes: 64 << 10, shards: 4, clock: SystemMonotonicClock(),
            isAsymmetric: isAsymmetric)
        let counts = Counts()
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<6 {
                group.addTask {
                    var random = SeededGenerator(seed: UInt64(worker))
                    for step in 0..<4000 {
                        let key = Int.random(in: 0..<400, using: &random)
                        Self.act(step, key, cache, &random, counts)
                    }
                }
            }
        }
        #expect(counts.wrong.load(ordering: .relaxed) == 0)
        #expect(counts.read.load(ordering: .relaxed) > 1000)
        #expect(cache.statistics.deferredBytes == 0)
        #expect(cache.contradictions.isEmpty)
        cache.release(bytes: .max)
        #expect(cache.bytes == 0)
    }

    private final class Counts: Sendable {
        let wrong = Atomic<Int>(0)
        let read = Atomic<Int>(0)
    }

    private static func act(
        _ step: Int, _ key: Int, _ cache: PurgeableByteCache, _ random: inout SeededGenerator, _ counts: Counts
    ) {
        let byte = UInt8(truncatingIfNeeded: key)
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<45:
            let isWhole = cache.withValue(for: "\(key)") { span in
                unsafe span.withUnsafeBytes { bytes in
                    if key % 7 == 0 { cache.insert([byte], for: "\(key + 1000)") }
                    return unsafe bytes.allSatisfy { $0 == byte }
                }
            }
            if isWhole == true { counts.read.add(1, ordering: .relaxed) }
            if isWhole == false { counts.wrong.add(1, ordering: .relaxed) }
        case 45..<75:
            let count = [0, 10, 300, 1000, 3000].randomElement(using: &random)!
            cache.insert([UInt8](repeating: byte, count: count), for: "\(key)")
        case 75..<85:
            cache.insert(byteCount: 500, for: "\(key)") { span in
                for index in 0..<500 { span.storeBytes(of: byte, toByteOffset: index, as: UInt8.self) }
            }
        case 85..<88: cache.removeValue(for: "\(key)")
        case 88: if step % 8 == 0 { cache.release(bytes: 100_000) }
        case 89: if step % 8 == 0 { _ = cache.releaseWithoutWaiting(bytes: 100_000) }
        case 90: cache.setManagerLimit(step % 2 == 0 ? nil : 400_000)
        case 91: if step % 10 == 0 { cache.removeAll() }
        default: cache.insert([byte], for: "\(key)", expiresAfter: .milliseconds(key % 3))
        }
    }
}
