internal import NIOConcurrencyHelpers
internal import NIOCore

/// A least-recently-used cache behind one lock, with a limit that can be moved while it is in use.
final class LRUCache: ResponseCache {
    private struct State {
        var list = LRUList()
        /// Bytes beyond which it does not grow.
        var limit: Int
        /// Hears the bytes kept after each change.
        var sizeChanged: (@Sendable (Int) -> Void)?
    }

    /// How many values a release takes out each time that it holds the lock, so that no request waits long for it.
    private static let releaseBatch = 256

    private let state: NIOLockedValueBox<State>

    /// - Parameter limit: bytes beyond which it does not grow; none by default.
    init(limit: Int = .max) {
        state = NIOLockedValueBox(State(limit: limit))
    }

    /// Has `body` hear how many bytes are kept, after each change. It is called under the lock, so that the last that it
    /// hears is what is true.
    func reportSize(to body: @escaping @Sendable (Int) -> Void) {
        state.withLockedValue { $0.sizeChanged = body }
    }

    func value(for key: Int) -> ByteBuffer? {
        state.withLockedValue { $0.list.use(key) }
    }

    func insert(_ value: ByteBuffer, for key: Int) {
        // A cache that is over its limit already does not grow, and does not shrink either: that is what `release` is for.
        let dropped = state.withLockedValue { state in
            let ceiling = max(state.limit, state.list.size.bytes)
            var dropped = Dropped()
            dropped.replaced = state.list.insert(value, for: key)
            while state.list.size.bytes > ceiling, let oldest = state.list.removeOldest() {
                dropped.append(oldest)
            }
            state.sizeChanged?(state.list.size.bytes)
            return dropped
        }
        // The memory of what was dropped goes here, after the lock.
        withExtendedLifetime(dropped) {}
    }

    var size: CacheSize {
        state.withLockedValue { $0.list.size }
    }

    /// Stops growing beyond `bytes`. Frees nothing.
    func setLimit(_ bytes: Int) {
        state.withLockedValue { $0.limit = bytes }
    }

    /// Lets go of at least `bytes` of the least recently used values, or of all that there are; says how many bytes.
    func release(atLeast bytes: Int) -> Int {
        var released = 0
        while released < bytes {
            let wanted = bytes - released
            let values = state.withLockedValue { state in
                var values: [ByteBuffer] = []
                values.reserveCapacity(Self.releaseBatch)
                let before = state.list.size.bytes
                while values.count < Self.releaseBatch, before - state.list.size.bytes < wanted,
                    let oldest = state.list.removeOldest()
                {
                    values.append(oldest)
                }
                state.sizeChanged?(state.list.size.bytes)
                return values
            }
            guard !values.isEmpty else { break }
            released += values.reduce(0) { $0 + CacheSize.cost(of: $1) }
        }
        return released
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
