internal import JetsamSystem
internal import Synchronization

extension PurgeableByteCache {
    /// Values from this size on are copied outside the lock.
    private static let largeBytes = 2048

    /// Keeps a copy of the bytes, in the place of what the key had before.
    ///
    /// - Parameters:
    ///   - bytes: The value, which may be empty.
    ///   - key: The key; any bytes, or none, in UTF-8 where it is a string.
    ///   - expiresAfter: The time after which it expires: never earlier, and up to 8 ms later (134 ms later where the time ends
    ///     later than half a year after the cache was made). Nil, or a time that ends more than nine years after the
    ///     cache was made, keeps it for as long as there is room. Where the time is zero or negative, nothing is kept and the
    ///     value that the key had before is removed.
    /// - Returns: False where it was not kept, and the value that the key had before was not touched: key and value are larger
    ///   than a segment, there is no memory to be had, or no room could be made because everything is being read.
    @discardableResult
    public func insert(_ bytes: RawSpan, for key: String, expiresAfter: Duration? = nil) -> Bool {
        var key = key
        return unsafe bytes.withUnsafeBytes { bytes in
            key.withUTF8 { unsafe insert(bytes, UnsafeRawBufferPointer($0), expiresAfter) }
        }
    }

    /// The same with bytes for a key.
    @discardableResult
    public func insert(_ bytes: RawSpan, for key: RawSpan, expiresAfter: Duration? = nil) -> Bool {
        unsafe bytes.withUnsafeBytes { bytes in
            unsafe key.withUnsafeBytes { unsafe insert(bytes, $0, expiresAfter) }
        }
    }

    /// The same with an array.
    @discardableResult
    public func insert(_ bytes: [UInt8], for key: String, expiresAfter: Duration? = nil) -> Bool {
        unsafe insert(bytes.span.bytes, for: key, expiresAfter: expiresAfter)
    }

    /// The same with arrays.
    @discardableResult
    public func insert(_ bytes: [UInt8], for key: [UInt8], expiresAfter: Duration? = nil) -> Bool {
        unsafe insert(bytes.span.bytes, for: key.span.bytes, expiresAfter: expiresAfter)
    }

    /// Keeps a value that the body writes where it will be, which spares a copy.
    ///
    /// The body is called at once, on this thread and under no lock, unless there is no room. It has to write all of the bytes:
    /// they hold anything before. Nobody sees them until it has returned; where it throws, nothing is kept and what the key had
    /// before was not touched.
    ///
    /// - Parameters:
    ///   - byteCount: The size of the value; negative ones are refused.
    ///   - key: The key.
    ///   - expiresAfter: The same as where the bytes are given.
    ///   - body: Writes the value.
    /// - Returns: The same as there; false too where everything was removed while the body ran.
    @discardableResult @inlinable
    public func insert<Failure: Error>(
        byteCount: Int, for key: String, expiresAfter: Duration? = nil,
        initializing body: (inout MutableRawSpan) throws(Failure) -> Void
    ) throws(Failure) -> Bool {
        try fill(begin(byteCount, key, expiresAfter), body)
    }

    /// The same with bytes for a key.
    @discardableResult @inlinable
    public func insert<Failure: Error>(
        byteCount: Int, for key: RawSpan, expiresAfter: Duration? = nil,
        initializing body: (inout MutableRawSpan) throws(Failure) -> Void
    ) throws(Failure) -> Bool {
        try fill(begin(byteCount, key, expiresAfter), body)
    }

    @usableFromInline @inline(__always)
    func fill<Failure: Error>(
        _ pending: PendingInsert?, _ body: (inout MutableRawSpan) throws(Failure) -> Void
    ) throws(Failure) -> Bool {
        guard let pending else { return false }
        defer { giveBack(pending.lease) }
        let bytes = unsafe pending.lease.mutableBytes
        var span = unsafe bytes.mutableBytes
        do {
            try body(&span)
        } catch {
            abandon(pending)
            throw error
        }
        return finish(pending)
    }

    /// Nothing comes of what was begun.
    @usableFromInline
    func abandon(_ pending: PendingInsert) {
        guard memory.isSensitive else { return }
        shard(shardIndex(pending.hash)).withLock { $0.abandon(pending.reservation) }
    }

    @usableFromInline
    func begin(_ byteCount: Int, _ key: String, _ expiresAfter: Duration?) -> PendingInsert? {
        var key = key
        return key.withUTF8 { unsafe begin(byteCount, UnsafeRawBufferPointer($0), expiry(after: expiresAfter)) }
    }

    @usableFromInline
    func begin(_ byteCount: Int, _ key: RawSpan, _ expiresAfter: Duration?) -> PendingInsert? {
        unsafe key.withUnsafeBytes { unsafe begin(byteCount, $0, expiry(after: expiresAfter)) }
    }

    private func begin(_ byteCount: Int, _ key: UnsafeRawBufferPointer, _ expiry: UInt32?) -> PendingInsert? {
        let hash = unsafe ByteHash(key, seeds)
        let index = shardIndex(hash)
        var work = ByteShard.EvictionWork()
        while true {
            let (pending, change) = unsafe reserve(index, hash, key, byteCount, expiry, &work)
            tell(change)
            if work.lackedRoom { noteTurnedAway() }
            if !work.isInterrupted { return pending }
        }
    }

    private func reserve(
        _ index: Int, _ hash: ByteHash, _ key: UnsafeRawBufferPointer, _ byteCount: Int, _ expiry: UInt32?,
        _ work: inout ByteShard.EvictionWork
    ) -> (PendingInsert?, Int) {
        shard(index).withLock { shard -> (PendingInsert?, Int) in
            work.beginHold()
            guard byteCount >= 0,
                let reservation = unsafe shard.reserve(hash.index, key, valueCount: byteCount, expiry: expiry, &work)
            else {
                if !work.isInterrupted { shard.tally.refusals += 1 }
                return (nil, report(&shard))
            }
            let record = unsafe shard.segments.record(reservation.id)
            unsafe record.pointee.bodies.add(1, ordering: .relaxed)
            let lease = unsafe ByteLease(
                value: reservation.entry.value, count: byteCount, record: record, pin: nil)
            return (PendingInsert(lease: lease, reservation: reservation, hash: hash), report(&shard))
        }
    }

    @usableFromInline
    func finish(_ pending: PendingInsert) -> Bool {
        let entry = pending.reservation.entry
        let key = unsafe UnsafeRawBufferPointer(start: entry.key, count: entry.keyCount)
        let (isKept, change) = shard(shardIndex(pending.hash)).withLock { shard in
            let isKept = unsafe shard.commit(pending.reservation, pending.hash.index, key)
            if !isKept { shard.tally.refusals += 1 }
            return (isKept, report(&shard))
        }
        tell(change)
        if isKept { noteInsertion(pending.hash) }
        return isKept
    }

    /// Counts what was given up not long ago as fetched again.
    @inline(__always)
    private func noteInsertion(_ hash: ByteHash) {
        if ghosts.areAlive { ghosts.meet(hash.whole, now: clock.now.nanoseconds) }
    }

    private func insert(
        _ bytes: UnsafeRawBufferPointer, _ key: UnsafeRawBufferPointer, _ expiresAfter: Duration?
    ) -> Bool {
        if let expiresAfter, expiresAfter <= .zero {
            unsafe remove(key)
            return true
        }
        let expiry = expiry(after: expiresAfter)
        if bytes.count >= Self.largeBytes {
            return fill(unsafe begin(bytes.count, key, expiry)) { span in
                unsafe span.withUnsafeMutableBytes { unsafe $0.copyMemory(from: bytes) }
            }
        }
        let hash = unsafe ByteHash(key, seeds)
        var work = ByteShard.EvictionWork()
        while true {
            let (isKept, change) = shard(shardIndex(hash)).withLock { shard in
                work.beginHold()
                let isKept = unsafe Self.insert(bytes, key, hash.index, expiry, into: &shard, &work)
                if !isKept, !work.isInterrupted { shard.tally.refusals += 1 }
                return (isKept, report(&shard))
            }
            tell(change)
            if work.lackedRoom { noteTurnedAway() }
            if isKept { noteInsertion(hash) }
            if !work.isInterrupted { return isKept }
        }
    }

    @inline(__always)
    private static func insert(
        _ bytes: UnsafeRawBufferPointer, _ key: UnsafeRawBufferPointer, _ hash: UInt64, _ expiry: UInt32?,
        into shard: inout ByteShard, _ work: inout ByteShard.EvictionWork
    ) -> Bool {
        guard let reservation = unsafe shard.reserve(hash, key, valueCount: bytes.count, expiry: expiry, &work) else {
            return false
        }
        if let start = bytes.baseAddress {
            unsafe reservation.entry.value.copyMemory(from: start, byteCount: bytes.count)
        }
        return unsafe shard.commit(reservation, hash, key)
    }

    private func expiry(after duration: Duration?) -> UInt32? {
        guard let duration else { return nil }
        let (end, overflow) = (clock.now.nanoseconds - start).addingReportingOverflow(duration.nanoseconds)
        guard !overflow else { return nil }
        return UInt32(exactly: ByteEntry.tickNumber(Self.ticks(max(0, end), roundsUp: true), roundsUp: true))
    }
}
