internal import NIOCore

/// What the server asks of a cache of responses. All modes answer the same two calls, so that the work of a
/// request is alike in all of them and only what happens to the memory differs.
protocol ResponseCache: Sendable {
    /// The value kept for `key`; looking it up counts as a use of it.
    func value(for key: Int) -> ByteBuffer?

    /// Keeps `value` for `key`, in place of what was kept for it before.
    func insert(_ value: ByteBuffer, for key: Int)

    /// How much is kept at this moment.
    var size: CacheSize { get }

    /// What was given back so far because memory was short.
    var releases: ReleaseTotals { get }
}

extension ResponseCache {
    /// Nothing: most ways give nothing back.
    var releases: ReleaseTotals { ReleaseTotals() }
}

/// What a cache gave back because memory was short, since the start.
struct ReleaseTotals: Sendable, Equatable {
    /// Bytes that came back.
    var releasedBytes = 0
    /// Bytes of these that were made again within ten seconds.
    var refetchedBytes = 0
}

/// How much a cache keeps.
struct CacheSize: Sendable, Equatable {
    /// Values kept.
    var entries = 0
    /// Bytes of memory: on the heap those of the values and ``entryOverhead`` for each, in segments all that they take.
    var bytes = 0

    /// Bytes that an entry costs beside its value: its place in the dictionary and in the list, the buffer's header and
    /// the allocator's own.
    static let entryOverhead = 128

    /// Bytes that keeping `value` costs.
    static func cost(of value: ByteBuffer) -> Int { value.capacity + entryOverhead }
}
