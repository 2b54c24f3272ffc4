import ComparisonSupport
import Glibc
import PurgeableCaches
import Synchronization

/// A cache of so many entries that more keep coming into.
package protocol StallingCache: Sendable, SendableMetatype {
    init(entries: Int, segmentBytes: Int)
    func put(_ key: Int)
    func find(_ key: Int) -> Bool
    func release(bytes: Int)
}

/// `PurgeableByteCache` with keys of 8 bytes and values of 32.
package struct StallingBytes: StallingCache {
    private let cache: PurgeableByteCache
    private let value = [UInt8](repeating: 1, count: 32)

    package init(entries: Int, segmentBytes: Int) {
        cache = PurgeableByteCache(
            name: "bench", limit: entries * 56, segmentBytes: segmentBytes, registry: CacheRegistry())
    }

    package func put(_ key: Int) {
        unsafe withUnsafeBytes(of: key) { _ = unsafe cache.insert(value.span.bytes, for: RawSpan(_unsafeBytes: $0)) }
    }

    package func find(_ key: Int) -> Bool {
        unsafe withUnsafeBytes(of: key) { name in
            unsafe cache.withValue(for: RawSpan(_unsafeBytes: name)) { $0.byteCount } != nil
        }
    }

    package func release(bytes: Int) { _ = cache.release(bytes: bytes) }
}

/// `PurgeableCache` of numbers.
package struct StallingValues: StallingCache {
    private let cache: PurgeableCache<Int, Int>

    package init(entries: Int, segmentBytes: Int) {
        cache = PurgeableCache(name: "bench", limit: entries, registry: CacheRegistry())
    }

    package func put(_ key: Int) { cache.insert(key, for: key, cost: 1) }
    package func find(_ key: Int) -> Bool { cache.value(for: key) != nil }
    package func release(bytes: Int) { _ = cache.release(bytes: bytes) }
}

/// How long the longest insertion takes.
///
/// The machine takes a processor away for longer than any of that: the time that a thread could have run and had none, as the kernel
/// counts it, is left out.
package enum Stalls {
    package static let entries = 2_000_000

    /// The longest insertion in milliseconds, while a cache is filled and while entries make room for others, half of which are asked
    /// for once more and stay.
    package static func worstInsertion<C: StallingCache>(_: C.Type, segmentBytes: Int = 1 << 20) -> Double {
        var worst: Int64 = 0
        let waiting = Waiting()
        churn(C(entries: entries, segmentBytes: segmentBytes)) { put in
            let waited = waiting.nanoseconds
            let start = monotonicNanoseconds()
            put()
            let time = monotonicNanoseconds() - start
            if time > worst { worst = max(worst, time - (waiting.nanoseconds - waited)) }
        }
        return Double(worst) * 1e-6
    }

    /// The longest first access to a huge page in milliseconds, among as many as the entries take: the kernel clears it, and where the
    /// machine is itself a guest, its host may have to find the memory first.
    package static func worstFirstAccess() -> Double {
        let page = 2 << 20
        let count = entries * 56 / page
        guard
            let start = unsafe mmap(
                nil, (count + 1) * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
            unsafe start != MAP_FAILED
        else { stop("memory cannot be mapped") }
        let first = unsafe start + (page - Int(bitPattern: start) % page) % page
        let madvHugePage: Int32 = 14
        guard unsafe madvise(first, count * page, madvHugePage) == 0 else { stop("huge pages cannot be asked for") }
        var worst: Int64 = 0
        let waiting = Waiting()
        for number in 0..<count {
            let waited = waiting.nanoseconds
            let begin = monotonicNanoseconds()
            unsafe first.storeBytes(of: 1, toByteOffset: number * page, as: UInt8.self)
            let time = monotonicNanoseconds() - begin
            worst = max(worst, time - (waiting.nanoseconds - waited))
        }
        return Double(worst) * 1e-6
    }

    /// Fills a cache of so many entries and goes on until three times as many have come; each insertion is given to `insertion`, which
    /// calls it.
    @inline(__always)
    package static func churn<C: StallingCache>(_ cache: C, insertion: (() -> Void) -> Void) {
        for key in 0..<3 * entries {
            insertion { cache.put(key) }
            if key % 2 == 0 { _ = cache.find(key) }
        }
    }

    /// The longest lookup in milliseconds, beside a thread that does the same as in ``worstInsertion(_:segmentBytes:)``: it waits for
    /// every lock that the other holds. What either had to wait for a processor is left out.
    package static func worstLookup<C: StallingCache>(_: C.Type, segmentBytes: Int = 1 << 20) -> Double {
        let cache = C(entries: entries, segmentBytes: segmentBytes)
        let other = Atomic<Int32>(-1)
        let isFilled = Atomic<Bool>(false)
        let worst = Atomic<Int64>(0)
        _ = onThreads(2) { thread in
            let waiting = Waiting()
            guard thread == 1 else {
                other.store(waiting.file, ordering: .releasing)
                churn(cache) { $0() }
                isFilled.store(true, ordering: .releasing)
                return
            }
            while other.load(ordering: .acquiring) < 0 {}
            let filler = Waiting(file: other.load(ordering: .acquiring))
            var longest: Int64 = 0
            var key = 0
            while !isFilled.load(ordering: .acquiring) {
                let waited = waiting.nanoseconds + filler.nanoseconds
                let start = monotonicNanoseconds()
                _ = cache.find(key % (3 * entries))
                let time = monotonicNanoseconds() - start
                // Far apart in order of insertion: all shards and segments come up.
                key += 7919
                if time > longest {
                    longest = max(longest, time - (waiting.nanoseconds + filler.nanoseconds - waited))
                }
            }
            worst.store(longest, ordering: .releasing)
        }
        return Double(worst.load(ordering: .acquiring)) * 1e-6
    }

    /// How long the thread that made it has waited for a processor while it could have run.
    @safe private struct Waiting {
        let file: Int32

        init(file: Int32) { self.file = file }

        init() {
            unsafe file = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)
            guard file >= 0 else { stop("/proc/thread-self/schedstat cannot be read") }
        }

        /// The second number of the file.
        var nanoseconds: Int64 {
            unsafe withUnsafeTemporaryAllocation(byteCount: 96, alignment: 1) { buffer in
                let count = unsafe pread(file, buffer.baseAddress, buffer.count, 0)
                var (number, field): (Int64, Int) = (0, 0)
                for index in 0..<max(0, count) {
                    let byte = unsafe buffer[index]
                    if byte == UInt8(ascii: " ") {
                        field += 1
                    } else if field == 1 {
                        number = number * 10 + Int64(byte &- UInt8(ascii: "0"))
                    }
                }
                return number
            }
        }
    }
}
