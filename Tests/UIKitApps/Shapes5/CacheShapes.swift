import Foundation
import UIKit

// Caches as applications have them.

class ImageCache {
    static let shared = ImageCache()
    private init() {
        cache.countLimit = 100
        cache.totalCostLimit = 1024 * 1024 * 50
        NotificationCenter.default.addObserver(
            forName: UIApplication.didReceiveMemoryWarningNotification, object: nil, queue: .main
        ) { [weak self] _ in self?.cache.removeAllObjects() }
    }

    private let cache = NSCache<NSString, NSData>()

    func data(forKey key: String, orElse load: () -> Data) -> Data {
        if let cached = cache.object(forKey: key as NSString) { return cached as Data }
        let data = load()
        cache.setObject(data as NSData, forKey: key as NSString, cost: data.count)
        return data
    }
}

/// The wrapper for Swift values that many applications have.
final class Cache<Key: Hashable, Value> {
    private let wrapped = NSCache<WrappedKey, Entry>()
    private let keyTracker = KeyTracker()

    init(maximumEntryCount: Int = 50) {
        wrapped.countLimit = maximumEntryCount
        wrapped.delegate = keyTracker
    }

    subscript(key: Key) -> Value? {
        get { wrapped.object(forKey: WrappedKey(key))?.value }
        set {
            guard let value = newValue else {
                wrapped.removeObject(forKey: WrappedKey(key))
                return
            }
            keyTracker.keys.insert(key)
            wrapped.setObject(Entry(key: key, value: value), forKey: WrappedKey(key))
        }
    }

    var keys: Set<Key> { keyTracker.keys }

    final class WrappedKey: NSObject {
        let key: Key

        init(_ key: Key) { self.key = key }

        override var hash: Int { key.hashValue }

        override func isEqual(_ object: Any?) -> Bool {
            guard let value = object as? WrappedKey else { return false }
            return value.key == key
        }
    }

    final class Entry {
        let key: Key
        let value: Value

        init(key: Key, value: Value) {
            self.key = key
            self.value = value
        }
    }

    final class KeyTracker: NSObject, NSCacheDelegate {
        var keys = Set<Key>()

        func cache(_ cache: NSCache<AnyObject, AnyObject>, willEvictObject object: Any) {
            guard let entry = object as? Entry else { return }
            keys.remove(entry.key)
        }
    }
}

class TypedCache: NSCache<NSURL, NSData> {
    static let instance = TypedCache()
    var hits = 0

    override init() {
        super.init()
        name = "typed"
        evictsObjectsWithDiscardedContent = true
    }

    override func object(forKey key: NSURL) -> NSData? {
        let found = super.object(forKey: key)
        if found != nil { hits += 1 }
        return found
    }
}

extension NSCache where KeyType == NSString, ObjectType == NSData {
    func text(for key: String) -> String? {
        object(forKey: key as NSString).flatMap { String(data: $0 as Data, encoding: .utf8) }
    }
}

func accept(_ any: NSCache<AnyObject, AnyObject>) -> String { any.name }
