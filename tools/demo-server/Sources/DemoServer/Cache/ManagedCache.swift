internal import Jetsam
internal import NIOCore

/// Jetsam's cache of bytes. It registers itself, holds what the memory that is really there allows, and gives it back when that
/// becomes short.
struct ManagedCache: ResponseCache {
    private let cache: PurgeableByteCache

    /// - Parameter valueBytes: The size of a value, for segments that hold a few of them.
    init(valueBytes: Int) {
        // Segments as large as they are anyway, but for values of which one alone would fill such a segment.
        let isLarge = valueBytes > 64 << 10
        cache = PurgeableByteCache(name: "responses", segmentBytes: isLarge ? 16 * valueBytes : nil)
    }

    func value(for key: Int) -> ByteBuffer? {
        // A copy: the response is sent later, and the cache does not wait for it with what it gives back.
        withBytes(of: key) { key in
            cache.withValue(for: key) { bytes in
                unsafe bytes.withUnsafeBytes { unsafe ByteBuffer(bytes: $0) }
            }
        }
    }

    func insert(_ value: ByteBuffer, for key: Int) {
        // What does not fit is made again when it is asked for.
        withBytes(of: key) { key in
            _ = unsafe cache.insert(value.readableBytesUInt8Span.bytes, for: key)
        }
    }

    var size: CacheSize {
        let statistics = cache.statistics
        return CacheSize(entries: statistics.entries, bytes: statistics.residentBytes + statistics.indexBytes)
    }

    /// What was made again of what it gave back; what came back is for the manager to say.
    var releases: ReleaseTotals {
        ReleaseTotals(refetchedBytes: cache.statistics.refetchedBytes)
    }

    private func withBytes<Result>(of key: Int, _ body: (RawSpan) -> Result) -> Result {
        let key: InlineArray<1, Int> = [key]
        return unsafe body(key.span.bytes)
    }
}
