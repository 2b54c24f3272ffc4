internal import Synchronization

/// A value that stays where it is until the lease is given back.
@usableFromInline @safe struct ByteLease {
    let value: UnsafeMutableRawPointer
    let count: Int
    let record: UnsafeMutablePointer<SegmentRecord>
    /// Where the segment stands as long as it is read; nil where it is counted in its record.
    let pin: UnsafeMutablePointer<Atomic<UInt32>>?

    /// The bytes; empty rather than absent where there are none.
    @usableFromInline var bytes: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(start: value, count: count) }
    @usableFromInline var mutableBytes: UnsafeMutableRawBufferPointer {
        unsafe UnsafeMutableRawBufferPointer(start: value, count: count)
    }
}

/// Space in a segment that a body writes to before it is a value.
@usableFromInline @safe struct PendingInsert {
    @usableFromInline let lease: ByteLease
    let reservation: ByteShard.Reservation
    let hash: ByteHash
}
