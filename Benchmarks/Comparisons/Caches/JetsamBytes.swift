import Jetsam

/// `PurgeableByteCache`, in a registry of its own: keys of 8 bytes, and values of 8 bytes, or 1000 where it evicts.
struct JetsamBytes: Contender {
    private static let evictedBytes = 1000

    private let cache: PurgeableByteCache
    private let padding: Int

    /// What it needs beside keys and values is left out of the limit: it is at its own expense.
    init(capacity: Int?, keys: Int) {
        padding = capacity == nil ? 0 : Self.evictedBytes - MemoryLayout<Int>.size
        let limit = capacity.map { $0 * (MemoryLayout<Int>.size + Self.evictedBytes) }
        // In a cache of few entries, a segment must not be a large part of it.
        let segmentBytes = limit.map { $0 < 64 << 20 ? 64 << 10 : 1 << 20 } ?? 1 << 20
        cache = PurgeableByteCache(
            name: "bench", limit: limit, segmentBytes: segmentBytes, registry: CacheRegistry())
    }

    @inline(__always)
    func find(_ key: Int) -> Int? {
        unsafe withUnsafeBytes(of: key) { name in
            unsafe cache.withValue(for: RawSpan(_unsafeBytes: name)) { value in
                unsafe value.unsafeLoadUnaligned(as: Int.self)
            }
        }
    }

    func put(_ key: Int) {
        let value = [key] + Array(repeating: 0, count: padding / MemoryLayout<Int>.size)
        let isTaken = unsafe withUnsafeBytes(of: key) { name in
            unsafe cache.insert(value.span.bytes, for: RawSpan(_unsafeBytes: name))
        }
        precondition(isTaken)
    }
}
