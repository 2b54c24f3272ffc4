internal import NIOConcurrencyHelpers
internal import NIOCore

/// The read-through cache: gives the value of a key from the cache, or makes it and keeps it.
final class Responses: Sendable {
    /// Requests answered from the cache, and those for which the value had to be made.
    struct Counts: Sendable {
        var hits = 0
        var misses = 0
    }

    let cache: any ResponseCache
    let origin: Origin
    private let counted = NIOLockedValueBox(Counts())

    init(cache: any ResponseCache, origin: Origin) {
        self.cache = cache
        self.origin = origin
    }

    var counts: Counts {
        counted.withLockedValue { $0 }
    }

    /// The value for `key`; nil where there is no such key.
    func value(for key: Int) -> ByteBuffer? {
        guard 0 <= key, key < origin.keys else { return nil }
        if let kept = cache.value(for: key) {
            counted.withLockedValue { $0.hits += 1 }
            return kept
        }
        let made = origin.makeValue(for: key)
        cache.insert(made, for: key)
        counted.withLockedValue { $0.misses += 1 }
        return made
    }
}
