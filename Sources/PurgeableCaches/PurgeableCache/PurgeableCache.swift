internal import CLinuxShims
public import JetsamSystem

/// A cache of Swift values that gives memory back when the process is asked to.
///
/// ```swift
/// let thumbnails = PurgeableCache<URL, Thumbnail>(name: "thumbnails", limit: 256 << 20)
/// thumbnails.insert(thumbnail, for: url, cost: thumbnail.byteCount)
/// let thumbnail = thumbnails.value(for: url)
/// ```
///
/// It may be used from any number of threads at once. Values leave it for room, for their time to live, or for memory
/// pressure: it registers itself with a ``CacheRegistry``, where a `ResourceManager` first stops its growth and then asks for bytes
/// back. What is asked for once passes through; what is asked for again stays, and when other keys become popular it adapts.
///
/// A value's and a key's `deinit` runs outside the cache's locks and may use the cache. A key's `==` runs under one
/// and must not.
@safe public final class PurgeableCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    @usableFromInline let stripes: CacheStripes
    @usableFromInline let table: CacheTable<Key, Value>
    @usableFromInline let registration: CacheRegistration
    let flights = CacheFlights<Key, Value>()

    /// An empty cache, registered under a name.
    ///
    /// - Parameters:
    ///   - name: The cache's name in logs, metrics and the ledger.
    ///   - priority: Its priority; lower ones are asked first.
    ///   - limit: Bytes of cost that it never exceeds; nil for what memory allows. Negative values count as 0.
    ///   - rebuildCost: The cost of rebuilding one byte, in any unit, as long as every cache in the process uses the same one.
    ///   - traits: The facts that reclaim should know before it asks.
    ///   - scene: The scene that it belongs to, if any.
    ///   - registry: The registry where it registers itself.
    ///   - clock: The clock by which values expire; nil for the machine's.
    @inlinable
    public convenience init(
        name: String, priority: ResourcePriority = .normal, limit: Int? = nil, rebuildCost: Double? = nil,
        traits: CacheTraits = [], scene: SceneIdentifier? = nil, registry: CacheRegistry = .shared,
        clock: (any MonotonicClock)? = nil
    ) {
        // The handlers hold the table, not the cache: dropping the cache ends its registration. Made here, where the types are
        // known, the release runs at full speed.
        let table = CacheTable<Key, Value>(limit: limit, clock: clock, registry: registry)
        self.init(
            table, name: name, priority: priority, rebuildCost: rebuildCost, traits: traits, scene: scene,
            registry: registry, release: { table.release(bytes: $0.bytes, most: $0.mostBytes) })
    }

    @usableFromInline
    init(
        _ table: CacheTable<Key, Value>, name: String, priority: ResourcePriority, rebuildCost: Double?,
        traits: CacheTraits, scene: SceneIdentifier?, registry: CacheRegistry,
        release: @escaping @Sendable (ReleaseRequest) -> Int
    ) {
        self.table = table
        stripes = table.stripes
        registration = registry.registerValues(
            name, priority: priority, rebuildCost: rebuildCost, traits: traits, scene: scene,
            refetched: table.ghosts.refetched, limit: { table.budget.setByteLimit($0) }, release: release,
            bytes: { table.budget.bytes })
    }

    /// The value for a key; nil where there is none or its time is over. Counts as a use of the value.
    @inlinable
    public func value(for key: Key) -> Value? {
        guard let found = CacheTable<Key, Value>.lookUp(key, stripes) else { return nil }
        guard found.expiry != 0 else { return found.value }
        return unexpired(found.value, found.expiry, key)
    }

    @usableFromInline
    func unexpired(_ value: Value, _ expiry: UInt64, _ key: Key) -> Value? {
        let now = table.now
        guard CacheTick.hasPassed(expiry, now: now) else { return value }
        table.expire(key, now: now)
        report()
        return nil
    }

    /// Puts in a value, in place of the one that there was.
    ///
    /// Where the cache is full, others leave it first. A value whose cost is above ``limit`` is not kept, nor one that
    /// expires at once. The value that the key had before is removed all the same.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - key: Its key.
    ///   - cost: The size of the value, in bytes. Negative costs count as 0, and those above 1 TiB − 1 as that. The entry itself
    ///     takes memory too: key and value as they lie in memory, and about 40 bytes. That is reported beside the cost but is not
    ///     counted against ``limit``.
    ///   - expiresAfter: The time for which the value may be given out, to within 1.05 ms and never shorter; nil for ever.
    @inlinable
    public func insert(_ value: Value, for key: Key, cost: Int = 0, expiresAfter: Duration? = nil) {
        var kept = forgetLoad(of: key)
        let expiry = expiry(after: expiresAfter)
        while true {
            var remains = CacheRemains<Key, Value>()
            table.put(value, for: key, cost: cost, expiry: expiry, &remains)
            withExtendedLifetime(remains) {}
            // A load that began before the value was in is out of date as well. Where one has ended meanwhile it may have been that.
            let now = forgetLoad(of: key)
            if now == kept { break }
            kept = now
        }
        report()
    }

    /// The tick that something expires at; the greatest number where that is at once.
    @usableFromInline
    func expiry(after duration: Duration?) -> UInt64 {
        guard let duration else { return 0 }
        return duration > .zero ? CacheTick.expiry(now: table.now, after: duration.nanoseconds) : .max
    }

    /// Takes a value out and gives it; nil where there is none or its time is over.
    @inlinable
    @discardableResult
    public func removeValue(for key: Key) -> Value? {
        var kept = forgetLoad(of: key)
        var taken: Value?
        while true {
            var remains = CacheRemains<Key, Value>()
            if let expiry = table.remove(key, &remains) {
                report()
                if expiry == 0 || !isPast(expiry) { taken = taken ?? remains.first?.1 }
            }
            // As with an insertion.
            let now = forgetLoad(of: key)
            if now == kept { return taken }
            kept = now
        }
    }

    @usableFromInline
    func isPast(_ expiry: UInt64) -> Bool { CacheTick.hasPassed(expiry, now: table.now) }

    /// Empties the cache and gives its own memory back too.
    public func removeAll() {
        var kept = flights.forgetAll()
        while true {
            table.removeAll()
            let now = flights.forgetAll()
            if now == kept { break }
            kept = now
        }
        report()
    }

    /// Forgets the load of a key, whose value is out of date: the value is given to those who wait for it, but not kept. Returns
    /// the number of loads that had been kept before.
    @usableFromInline
    func forgetLoad(of key: Key) -> Int {
        flights.forget(key)
    }

    /// Tells the registry how many bytes there are, where that has changed enough to matter.
    @usableFromInline
    func report() {
        let bytes = table.budget.bytes
        let last = registration.reportedBytes
        if abs(bytes - last) > last >> 8 || bytes == 0 { registration.update(bytes: bytes) }
    }
}
