internal import NIOConcurrencyHelpers
internal import NIOCore

/// A least-recently-used cache behind one lock, with a budget that somebody chose beforehand.
final class LRUCache: ResponseCache {
    private let list = NIOLockedValueBox(LRUList())
    private let limit: Int

    /// - Parameter limit: bytes beyond which it does not grow.
    init(limit: Int) {
        self.limit = limit
    }

    func value(for key: Int) -> ByteBuffer? {
        list.withLockedValue { $0.use(key) }
    }

    func insert(_ value: ByteBuffer, for key: Int) {
        let dropped = list.withLockedValue { list in
            var dropped = Dropped()
            dropped.replaced = list.insert(value, for: key)
            while list.size.bytes > limit, let oldest = list.removeOldest() {
                dropped.append(oldest)
            }
            return dropped
        }
        // The memory of what was dropped goes here, after the lock.
        withExtendedLifetime(dropped) {}
    }

    var size: CacheSize {
        list.withLockedValue { $0.size }
    }
}

/// What an insertion pushed out. Almost always one value at most, for which an array would be an allocation a request.
private struct Dropped: Sendable {
    var replaced: ByteBuffer?
    private var first: ByteBuffer?
    private var others: [ByteBuffer] = []

    mutating func append(_ value: ByteBuffer) {
        if first == nil { first = value } else { others.append(value) }
    }
}
