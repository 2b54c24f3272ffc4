import ComparisonSupport
import Glibc
import Jetsam
import Synchronization

/// A cache of so many entries that more keep coming into.
protocol StallingCache: Sendable {
    init(entries: Int, segmentBytes: Int)
    func put(_ key: Int)
    func find(_ key: Int) -> Bool
    func release(bytes: Int)
    func removeAll()
    var bytes: Int { get }
}

/// `PurgeableByteCache` with keys of 8 bytes and values of 32.
struct StallingBytes: StallingCache {
    private let cache: PurgeableByteCache
    private let value = [UInt8](repeating: 1, count: 32)

    init(entries: Int, segmentBytes: Int) {
        cache = PurgeableByteCache(
            name: "bench", limit: entries * 56, segmentBytes: segmentBytes, registry: CacheRegistry())
    }

    func put(_ key: Int) {
        unsafe withUnsafeBytes(of: key) { _ = unsafe cache.insert(value.span.bytes, for: RawSpan(_unsafeBytes: $0)) }
    }

    func find(_ key: Int) -> Bool {
        unsafe withUnsafeBytes(of: key) { name in
            unsafe cache.withValue(for: RawSpan(_unsafeBytes: name)) { $0.byteCount } != nil
        }
    }

    func release(bytes: Int) { cache.release(bytes: bytes) }
    func removeAll() { cache.removeAll() }
    var bytes: Int { cache.bytes }
}

/// `PurgeableCache` of numbers.
struct StallingValues: StallingCache {
    private let cache: PurgeableCache<Int, Int>

    init(entries: Int, segmentBytes: Int) {
        cache = PurgeableCache(name: "bench", limit: entries, registry: CacheRegistry())
    }

    func put(_ key: Int) { cache.insert(key, for: key, cost: 1) }
    func find(_ key: Int) -> Bool { cache.value(for: key) != nil }
    func release(bytes: Int) { cache.release(bytes: bytes) }
    func removeAll() { cache.removeAll() }
    var bytes: Int { cache.statistics.reportedBytes }
}

/// How long the longest insertion takes, and how long others find the cache locked.
///
/// The machine takes a processor away for longer than any of that: the time that a thread could have run and had none, as the kernel
/// counts it, is left out.
enum Stalls {
    private static let entries = 2_000_000

    /// The longest insertion in milliseconds, while a cache is filled and while entries make room for others, half of which are asked
    /// for once more and stay.
    static func worstInsertion<C: StallingCache>(_: C.Type, segmentBytes: Int = 1 << 20) -> Double {
        let cache = C(entries: entries, segmentBytes: segmentBytes)
        var worst: Int64 = 0
        let waiting = Waiting()
        for key in 0..<3 * entries {
            let waited = waiting.nanoseconds
            let start = monotonicNanoseconds()
            cache.put(key)
            let time = monotonicNanoseconds() - start
            if key % 2 == 0 { _ = cache.find(key) }
            if time > worst { worst = max(worst, time - (waiting.nanoseconds - waited)) }
        }
        return Double(worst) * 1e-6
    }

    /// The longest that a lookup waits, in milliseconds, while another thread fills the cache, evicts, releases some and all of it, fills
    /// it again and empties it.
    static func longestHold<C: StallingCache>(_: C.Type, segmentBytes: Int = 1 << 20) -> Double {
        let cache = C(entries: entries, segmentBytes: segmentBytes)
        let isDone = Counter()
        let longest = Longest()
        _ = onThreads(2) { number in
            if number == 0 {
                longest.writer.store(clock(), ordering: .releasing)
                change(cache)
                isDone.increment()
            } else {
                longest.record(probe(cache, until: isDone, longest))
            }
        }
        return Double(longest.nanoseconds.load(ordering: .relaxed)) * 1e-6
    }

    private static func change<C: StallingCache>(_ cache: C) {
        var key = 0
        func fill(_ count: Int) {
            for _ in 0..<count {
                cache.put(key)
                if key % 2 == 0 { _ = cache.find(key) }
                key += 1
            }
        }
        fill(entries * 2)
        cache.release(bytes: cache.bytes / 2)
        fill(entries)
        cache.release(bytes: cache.bytes / 10 * 9)
        fill(entries)
        cache.release(bytes: .max)
        fill(entries / 2)
        cache.removeAll()
    }

    private static func probe<C: StallingCache>(_ cache: C, until isDone: Counter, _ longest: Longest) -> Int64 {
        var random = RandomIndices(below: entries * 4, thread: 1)
        while longest.writer.load(ordering: .acquiring) == 0 { sched_yield() }
        let writer = longest.writer.load(ordering: .acquiring)
        var worst: Int64 = 0
        let waiting = Waiting()
        let own = clock()
        while isDone.value == 0 {
            let key = random.next()
            let waited = waiting.nanoseconds
            let before = nanoseconds(of: writer)
            let ran = nanoseconds(of: own)
            let start = monotonicNanoseconds()
            _ = cache.find(key)
            let time = monotonicNanoseconds() - start
            guard time > worst else { continue }
            // What the writer did not work it did not hold a lock for, but had no processor.
            let worked = nanoseconds(of: writer) - before
            // Nor does it count where this thread ran, or the machine under the machine says so.
            let idle = time - (waiting.nanoseconds - waited) - (nanoseconds(of: own) - ran)
            worst = max(worst, min(idle, worked))
        }
        return worst
    }

    @safe private final class Longest: Sendable {
        /// The clock of the writing thread's own time; 0 until it is there.
        let writer = Atomic<Int>(0)
        let nanoseconds = Atomic<Int64>(0)

        func record(_ time: Int64) { nanoseconds.store(time, ordering: .relaxed) }
    }

    /// The clock of the calling thread's own time.
    private static func clock() -> Int {
        var id = clockid_t()
        guard unsafe pthread_getcpuclockid(pthread_self(), &id) == 0 else { stop("a thread has no clock") }
        return Int(id)
    }

    private static func nanoseconds(of clock: Int) -> Int64 {
        var time = timespec()
        unsafe clock_gettime(clockid_t(clock), &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// How long the thread that made it has waited for a processor while it could have run.
    @safe private struct Waiting {
        private let file: Int32

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
