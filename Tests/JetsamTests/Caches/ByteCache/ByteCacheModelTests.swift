import JetsamTesting
import MemoryPressure
import Synchronization
import Testing

@testable import Jetsam
@testable import PurgeableCaches

/// A cache beside a plain dictionary: it may have forgotten, but what it has must be what was put in last.
@Suite struct ByteCacheModelTests {
    @Test(arguments: seedBatches)
    func aCacheNeverHasAnythingButWhatWasPutInLast(seeds: ClosedRange<UInt64>) {
        for seed in seeds {
            var model = ByteCacheModel(seed: seed)
            let problem = model.run(steps: 400)
            #expect(problem == nil, "seed \(seed): \(problem ?? "")")
            if problem != nil { return }
        }
    }
}

private struct ByteCacheModel {
    private struct Value {
        var bytes: [UInt8]
        var end: MonotonicInstant?
    }

    private var random: SeededGenerator
    private let cache: PurgeableByteCache
    private let clock = ManualClock()
    private var values: [[UInt8]: Value] = [:]
    private var limit: Int?
    private let keys: Int
    private let largest: Int

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        limit = [nil, 256 << 10, 1 << 20, 0].randomElement(using: &random)!
        keys = [10, 300, 5000].randomElement(using: &random)!
        largest = [0, 40, 700, 9000, 70_000].randomElement(using: &random)!
        cache = makeByteCache(limit: limit, shards: [1, 2, 4].randomElement(using: &random)!, clock: clock)
    }

    mutating func run(steps: Int) -> String? {
        for step in 0..<steps {
            if let problem = self.step() { return "step \(step): \(problem)" }
            guard step % 200 == 199 || step == steps - 1 else { continue }
            if let problem = check() { return "after step \(step): \(problem)" }
        }
        cache.release(bytes: .max)
        if cache.bytes != 0 || cache.count != 0 {
            return "\(cache.bytes) bytes, \(cache.count) values after all was released"
        }
        return check()
    }

    private mutating func step() -> String? {
        let key = makeKey()
        switch Int.random(in: 0..<1000, using: &random) {
        case 0..<450: return insert(key)
        case 450..<850: return look(key)
        case 850..<950:
            let isThere = cache.removeValue(for: key)
            let expected = values.removeValue(forKey: key)
            if isThere, expected.map(isLongOver) ?? true { return "removed what was not there" }
        case 950..<970: clock.advance(by: .milliseconds(Int.random(in: 0...400, using: &random)))
        case 970..<985:
            let bytes = Int.random(in: 0...200_000, using: &random)
            let (before, size) = (cache.memory.discardedBytes.load(ordering: .relaxed), cache.bytes)
            let given = cache.release(bytes: bytes)
            let discarded = cache.memory.discardedBytes.load(ordering: .relaxed) - before
            if given != discarded || cache.bytes != size - given { return "promised \(given), gave \(discarded)" }
            if given < min(bytes, size) { return "gave \(given) of \(bytes) where there were \(size)" }
        case 985..<988:
            cache.removeAll()
            values = [:]
        case 988..<992:
            limit = [nil, 0, 128 << 10, 2 << 20].randomElement(using: &random)!
            let size = cache.bytes
            cache.limit = limit
            if cache.bytes != size { return "a limit freed something" }
        default: return lookLong(key)
        }
        return nil
    }

    private mutating func makeKey() -> [UInt8] {
        let number = Int.random(in: 0..<keys, using: &random) * Int.random(in: 0...1, using: &random)
        let length = number == 1 ? 300 : number % 19
        return number == 0
            ? [] : (0..<length).map { UInt8(truncatingIfNeeded: number >> ($0 % 3 * 8)) } + Array("\(number)".utf8)
    }

    /// Values are taken out of it: to make each byte by byte would take most of the test's time.
    private static let rising = (0..<(256 + 70_000)).map { UInt8(truncatingIfNeeded: $0) }

    private mutating func insert(_ key: [UInt8]) -> String? {
        let count = Int.random(in: 0...largest, using: &random)
        let seed = UInt8.random(in: 0...255, using: &random)
        let bytes = Array(Self.rising[Int(seed)..<(Int(seed) + count)])
        let life: Duration? =
            Int.random(in: 0..<4, using: &random) > 0
            ? nil : .milliseconds(Int.random(in: -1...900, using: &random))
        let sizes = cache.shardSizes
        guard cache.insert(bytes, for: key, expiresAfter: life) else {
            return limit == nil && count + key.count < 60_000 ? "refused \(count) bytes" : nil
        }
        let limits = cache.shardLimits
        let fits =
            zip(zip(sizes, limits), cache.shardSizes).allSatisfy { $1 <= max($0.0, $0.1) }
            && (limit == nil || limits.reduce(0, +) <= limit ?? 0)
        values[key] = Value(bytes: bytes, end: life.map { clock.now.advanced(by: $0) })
        if let life, life <= .zero { values[key] = nil }
        return fits ? nil : "grew from \(sizes) to \(cache.shardSizes) bytes, beyond \(limits)"
    }

    private func isOver(_ value: Value) -> Bool { value.end.map { $0 <= clock.now } ?? false }

    /// Expiry is never early, and late by less than a tick.
    private func isLongOver(_ value: Value) -> Bool {
        value.end.map { $0.advanced(by: .milliseconds(8)) <= clock.now } ?? false
    }

    private func look(_ key: [UInt8]) -> String? {
        guard let bytes = cache.bytes(for: key) else { return nil }
        guard let value = values[key] else { return "found what was never put in, or removed" }
        if isLongOver(value) { return "found what has expired" }
        return bytes == value.bytes ? nil : "found other bytes"
    }

    /// A body that does everything else meanwhile.
    private mutating func lookLong(_ key: [UInt8]) -> String? {
        var copy = self
        let problem = cache.withValue(for: key) { span -> String? in
            let before = unsafe span.withUnsafeBytes { unsafe Array($0) }
            for _ in 0..<Int.random(in: 0..<40, using: &copy.random) {
                let number = Int.random(in: 0..<20, using: &copy.random)
                if number > 1 {
                    if let problem = copy.insert(copy.makeKey()) { return copy.limit == nil ? problem : nil }
                } else if number == 1 {
                    copy.cache.release(bytes: 100_000)
                } else {
                    copy.cache.removeAll()
                    copy.values = [:]
                }
            }
            let after = unsafe span.withUnsafeBytes { unsafe Array($0) }
            return before == after ? nil : "bytes changed under a body"
        }
        self = copy
        return problem ?? nil
    }

    private func check() -> String? {
        if let problem = cache.contradictions.first { return problem }
        for (key, value) in values where !isOver(value) {
            guard let bytes = cache.bytes(for: key) else { continue }
            if bytes != value.bytes { return "other bytes" }
        }
        return nil
    }
}
