internal import MemoryPressure
internal import Synchronization

extension PurgeableByteCache {
    /// Calls the body with the bytes of a value; nil, without a call, where there is none or it is past its time.
    ///
    /// The body is called at once, on this thread and under no lock. It may take long, throw, and use the cache: the bytes
    /// stay as they are until it returns, even where their value is removed, replaced or evicted meanwhile.
    ///
    /// - Parameters:
    ///   - key: The key; any bytes, or none, in UTF-8 where it is a string.
    ///   - body: What to do with the bytes, which start at no particular boundary but one of four.
    /// - Returns: What the body returns.
    @inlinable
    public func withValue<Result: ~Copyable, Failure: Error>(
        for key: String, _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard let lease = lease(for: key) else { return nil }
        defer { giveBack(lease) }
        return try unsafe body(lease.bytes.bytes)
    }

    /// The same with bytes for a key.
    @inlinable
    public func withValue<Result: ~Copyable, Failure: Error>(
        for key: RawSpan, _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard let lease = lease(for: key) else { return nil }
        defer { giveBack(lease) }
        return try unsafe body(lease.bytes.bytes)
    }

    /// The same with bytes for a key.
    @inlinable
    public func withValue<Result: ~Copyable, Failure: Error>(
        for key: [UInt8], _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard let lease = unsafe lease(for: key.span.bytes) else { return nil }
        defer { giveBack(lease) }
        return try unsafe body(lease.bytes.bytes)
    }

    /// A copy of a value; nil where there is none or it is past its time.
    public func bytes(for key: String) -> [UInt8]? {
        withValue(for: key, Self.copy)
    }

    /// A copy of a value; nil where there is none or it is past its time.
    public func bytes(for key: RawSpan) -> [UInt8]? {
        withValue(for: key, Self.copy)
    }

    /// A copy of a value; nil where there is none or it is past its time.
    public func bytes(for key: [UInt8]) -> [UInt8]? {
        withValue(for: key, Self.copy)
    }

    private static func copy(_ span: RawSpan) -> [UInt8] {
        unsafe span.withUnsafeBytes { unsafe Array($0) }
    }

    @usableFromInline
    func lease(for key: String) -> ByteLease? {
        var key = key
        return key.withUTF8 { unsafe lease(UnsafeRawBufferPointer($0)) }
    }

    @usableFromInline
    func lease(for key: RawSpan) -> ByteLease? {
        unsafe key.withUnsafeBytes { unsafe lease($0) }
    }

    @inline(__always)
    private func lease(_ key: UnsafeRawBufferPointer) -> ByteLease? {
        let hash = unsafe ByteHash(key, seeds)
        let index = shardIndex(hash)
        let found = shard(index).withLock { unsafe $0.pin(hash.index, key) { tick } }
        guard let found else { return nil }
        return unsafe ByteLease(
            value: found.entry.value, count: found.entry.valueCount, record: found.record, shard: index)
    }

    @usableFromInline
    func giveBack(_ lease: ByteLease) {
        // What was read is read before whoever comes next writes there; and either this thread sees that the segment is
        // deferred, or whoever defers it sees that nobody reads it.
        unsafe lease.record.pointee.unpinned.add(1, ordering: .sequentiallyConsistent)
        if unsafe lease.record.pointee.isDeferred.load(ordering: .sequentiallyConsistent) { finishDeferred(lease) }
    }

    @inline(never)
    private func finishDeferred(_ lease: ByteLease) {
        shard(lease.shard).withLock { shard in
            shard.releasedBytes += unsafe shard.segments.finishDeferred(lease.record)
        }
    }

    /// The time in ticks since the cache began.
    var tick: UInt32 {
        let nanoseconds = max(0, clock.now.nanoseconds - start)
        return UInt32(clamping: Self.ticks(nanoseconds, roundsUp: false))
    }

    static func ticks(_ nanoseconds: Int64, roundsUp: Bool) -> Int64 {
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        let part = (rest * ByteEntry.expiryTicks + (roundsUp ? 999_999_999 : 0)) / 1_000_000_000
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: ByteEntry.expiryTicks)
        return overflow ? .max : whole + part
    }
}
