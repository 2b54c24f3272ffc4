internal import Foundation
internal import NIOConcurrencyHelpers
internal import NIOCore

/// Foundation's `NSCache` as most people use it: with nothing said about how large it may become.
final class FoundationCache: ResponseCache {
    /// A value as the object that `NSCache` wants.
    private final class Entry: Sendable {
        let value: ByteBuffer

        init(_ value: ByteBuffer) {
            self.value = value
        }
    }

    // It has a lock of its own.
    private nonisolated(unsafe) let cache = NSCache<NSNumber, Entry>()
    /// What was inserted: the cache itself does not say what it holds.
    private let inserted = NIOLockedValueBox(CacheSize())

    func value(for key: Int) -> ByteBuffer? {
        unsafe cache.object(forKey: NSNumber(value: key))?.value
    }

    func insert(_ value: ByteBuffer, for key: Int) {
        unsafe cache.setObject(Entry(value), forKey: NSNumber(value: key))
        inserted.withLockedValue { size in
            size.entries += 1
            size.bytes += CacheSize.cost(of: value)
        }
    }

    var size: CacheSize {
        inserted.withLockedValue { $0 }
    }
}
