public import MemoryPressure

/// A cache of Swift values that gives memory back when the process is asked to.
public final class PurgeableCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    let store = Lock<[Key: Value]>([:])

    /// An empty cache.
    public init(
        name: String, priority: CachePriority = .normal, limit: Int? = nil, rebuildCost: Double? = nil,
        traits: CacheTraits = [], scene: SceneIdentifier? = nil, registry: CacheRegistry = .shared,
        clock: any MonotonicClock = SystemMonotonicClock()
    ) {}

    /// The value for a key; nil where there is none.
    public func value(for key: Key) -> Value? { store.withLock { $0[key] } }

    /// The value for a key; nil where there is none.
    public subscript(key: Key) -> Value? { value(for: key) }

    /// Puts in a value, in place of the one that there was.
    public func insert(_ value: Value, for key: Key, cost: Int = 0, expiresAfter: Duration? = nil) {
        store.withLock { $0[key] = value }
    }

    /// Takes a value out.
    @discardableResult
    public func removeValue(for key: Key) -> Value? { store.withLock { $0.removeValue(forKey: key) } }

    /// Empties the cache.
    public func removeAll() { store.withLock { $0 = [:] } }

    /// The value for a key, which is loaded where there is none.
    public func value(
        for key: Key, expiresAfter: Duration? = nil, cost: @escaping @Sendable (Value) -> Int = { _ in 0 },
        load: @escaping @Sendable (Key) async throws -> Value
    ) async throws -> Value {
        if let value = value(for: key) { return value }
        let value = try await load(key)
        insert(value, for: key, cost: cost(value), expiresAfter: expiresAfter)
        return value
    }

    /// Gives back at least so many bytes; the bytes that were given.
    @discardableResult
    public func release(bytes: Int) -> Int { 0 }

    /// Values now.
    public var count: Int { store.withLock { $0.count } }

    /// Sum of the costs, in bytes.
    public var totalCost: Int { 0 }

    /// Bytes of cost that the cache never exceeds; nil for what memory allows.
    public var limit: Int? {
        get { nil }
        set {}
    }

    /// What it holds and what became of calls to it.
    public var statistics: PurgeableCacheStatistics { PurgeableCacheStatistics() }
}
