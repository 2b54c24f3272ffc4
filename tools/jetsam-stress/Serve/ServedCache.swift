internal import Jetsam

/// A cache of values by numbers, for any thread.
protocol ServedCache: Sendable {
    /// Reads a value and gives a word of it; nil where it is not there.
    func read(_ key: Int) -> UInt64?

    func store(_ value: [UInt8], for key: Int)

    var heldBytes: Int { get }
}

/// Jetsam's cache of bytes.
struct ManagedByteCache: ServedCache {
    private let cache = PurgeableByteCache(name: "serve", priority: .low)

    var heldBytes: Int { CacheRegistry.shared.reportedBytes }

    func read(_ key: Int) -> UInt64? {
        unsafe withUnsafeBytes(of: key) { unsafe cache.withValue(for: $0.bytes, ServedValue.word) }
    }

    func store(_ value: [UInt8], for key: Int) {
        unsafe withUnsafeBytes(of: key) { _ = unsafe cache.insert(value.span.bytes, for: $0.bytes) }
    }
}
