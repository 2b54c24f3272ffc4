internal import Synchronization

/// A value that stays where it is until the lease is given back.
@usableFromInline @safe struct ByteLease {
    @usableFromInline let value: UnsafeMutableRawPointer
    @usableFromInline let count: Int
    /// The record of its segment: a ``SegmentRecord``.
    @usableFromInline let record: UnsafeMutableRawPointer
    /// The place where the segment stands as long as it is read; nil where it is counted in its record.
    @usableFromInline let pin: UnsafeMutablePointer<UInt32>?

    init(
        value: UnsafeMutableRawPointer, count: Int, record: UnsafeMutablePointer<SegmentRecord>,
        pin: UnsafeMutablePointer<Atomic<UInt32>>?
    ) {
        unsafe self.value = unsafe value
        self.count = count
        unsafe self.record = UnsafeMutableRawPointer(record)
        unsafe self.pin = UnsafeMutableRawPointer(pin)?.assumingMemoryBound(to: UInt32.self)
    }

    /// The bytes; empty rather than absent where there are none.
    @inlinable var bytes: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(start: value, count: count) }
    @inlinable var mutableBytes: UnsafeMutableRawBufferPointer {
        unsafe UnsafeMutableRawBufferPointer(start: value, count: count)
    }

    var segment: UnsafeMutablePointer<SegmentRecord> {
        unsafe record.assumingMemoryBound(to: SegmentRecord.self)
    }

    /// The place where its segment's record tells the last reader that the segment is to be given back.
    @inlinable var isDeferred: UnsafePointer<Bool> {
        unsafe UnsafePointer((record + 52).assumingMemoryBound(to: Bool.self))
    }
}

/// Space in a segment that a body writes to before it is a value.
@usableFromInline @safe struct PendingInsert {
    @usableFromInline let lease: ByteLease
    let reservation: ByteShard.Reservation
    let hash: ByteHash
}
