public import CLinuxShims
internal import JetsamSystem
internal import Synchronization

extension PurgeableByteCache {
    /// Calls the body with the bytes of a value; nil, without a call, where there is none or it is past its time.
    ///
    /// The body is called at once, on this thread and under no lock. It may take long, throw, and use the cache: the bytes
    /// stay as they are until it returns, even where their value is removed, replaced or evicted meanwhile.
    ///
    /// - Parameters:
    ///   - key: The key; any bytes, or none, in UTF-8 where it is a string.
    ///   - body: The use of the bytes, which start at no particular boundary but one of four.
    /// - Returns: The result of the body.
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
        // Nothing of it is kept, and the span outlives the call: the lookup itself need not be a closure.
        let bytes = unsafe key.withUnsafeBytes { unsafe UnsafeRawBufferPointer(start: $0.baseAddress, count: $0.count) }
        return unsafe lease(bytes)
    }

    @inline(__always)
    private func lease(_ key: UnsafeRawBufferPointer) -> ByteLease? {
        let hash = unsafe ByteHash(key, seeds)
        let stripe = unsafe stripes.stripe(hash)
        let ahead = unsafe ByteStripe.prefetch(hash.index, stripe)
        unsafe jetsam_lock(ByteStripe.word(stripe))
        let segments = unsafe stripe.pointee.segments
        guard let found = unsafe ByteStripe.find(hash.index, key, ahead, segments, stripe) else {
            return unsafe miss(stripe)
        }
        let entry = segments.entry(of: found.slot)
        if entry.hasExpiry, isOver(entry) {
            _ = unsafe miss(stripe)
            return unsafe expire(hash, key)
        }
        let count = unsafe stripe.pointee.hits
        unsafe stripe.pointee.hits = count &+ 1
        let record = unsafe segments.segment(of: found.slot)
        unsafe ByteFinder.touch(found, record, count)
        let pin = unsafe ByteStripe.pin(segment: segments.id(of: found.slot), stripe)
        if unsafe pin == nil { unsafe record.pointee.bodies.add(1, ordering: .relaxed) }
        unsafe jetsam_unlock(ByteStripe.word(stripe))
        return unsafe ByteLease(value: entry.value, count: entry.valueCount, record: record, pin: pin)
    }

    /// Counts a lookup that found nothing, and unlocks.
    private func miss(_ stripe: UnsafeMutablePointer<ByteStripe>) -> ByteLease? {
        unsafe stripe.pointee.misses &+= 1
        unsafe jetsam_unlock(ByteStripe.word(stripe))
        return nil
    }

    /// Takes an entry out if it still is there and past its time.
    @inline(never)
    private func expire(_ hash: ByteHash, _ key: UnsafeRawBufferPointer) -> ByteLease? {
        let change = shard(shardIndex(hash)).withLock { shard in
            guard let found = unsafe shard.find(hash.index, key), isOver(shard.segments.view.entry(of: found.slot))
            else { return 0 }
            shard.tally.expirations += 1
            shard.remove(found)
            return report(&shard)
        }
        tell(change)
        return nil
    }

    @inlinable
    @inline(__always)
    func giveBack(_ lease: ByteLease) {
        // The read ends before the next writer writes there; and either this thread sees that the segment is deferred, or
        // whoever defers it sees that nobody reads it.
        if isAsymmetric, let pin = unsafe lease.pin {
            if unsafe !jetsam_unpin(pin, lease.isDeferred) { return }
            finishDeferred(lease)
        } else {
            giveBackSlowly(lease)
        }
    }

    /// The same where the kernel does not put all threads' accesses in order, or no pin was free.
    @usableFromInline
    func giveBackSlowly(_ lease: ByteLease) {
        let record = unsafe lease.segment
        if let pin = unsafe lease.pin {
            _ = unsafe ByteStripe.atomic(pin).pointee.exchange(0, ordering: .sequentiallyConsistent)
        } else {
            unsafe record.pointee.bodies.subtract(1, ordering: .sequentiallyConsistent)
        }
        if unsafe record.pointee.isDeferred.load(ordering: .sequentiallyConsistent) { finishDeferred(lease) }
    }

    @usableFromInline
    @inline(never)
    func finishDeferred(_ lease: ByteLease) {
        let record = unsafe lease.segment
        let shard = shard(unsafe Int(record.pointee.shard))
        while shard.withLock({ $0.readerLeft(unsafe UInt32(record - $0.segments.view.records)) }) {}
    }

    /// Returns whether an entry is past its time.
    func isOver(_ entry: ByteEntry) -> Bool { entry.hasExpiry && entry.expiry <= tick }

    /// The time in ticks since the cache began.
    var tick: UInt32 {
        let nanoseconds = max(0, clock.now.nanoseconds - start)
        return UInt32(clamping: ByteEntry.tickNumber(Self.ticks(nanoseconds, roundsUp: false), roundsUp: false))
    }

    static func ticks(_ nanoseconds: Int64, roundsUp: Bool) -> Int64 {
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        let part = (rest * ByteEntry.expiryTicks + (roundsUp ? 999_999_999 : 0)) / 1_000_000_000
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: ByteEntry.expiryTicks)
        return overflow ? .max : whole + part
    }
}
