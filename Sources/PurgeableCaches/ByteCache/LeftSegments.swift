internal import Synchronization

/// Segments on their way from releases, which have given their memory back, to whoever has the locks and counts them out: a chain
/// that is appended to without any lock.
struct LeftSegments: ~Copyable {
    private let first = Atomic<UInt32>(SegmentRecord.none)

    @inline(__always)
    var isEmpty: Bool { first.load(ordering: .relaxed) == SegmentRecord.none }

    /// Puts a chain, which must not be empty and belongs to the caller alone, in front of what is there.
    func append(_ leaving: SegmentQueue, _ segments: SegmentView) {
        var present = first.load(ordering: .relaxed)
        while true {
            unsafe segments.record(leaving.last).pointee.next = present
            let (isDone, original) = first.compareExchange(
                expected: present, desired: leaving.first, ordering: .releasing)
            if isDone { return }
            present = original
        }
    }

    /// Empties the chain, and returns the first one of it, of which each links to the next. The locks are held.
    func removeAll() -> UInt32 { first.exchange(SegmentRecord.none, ordering: .acquiring) }
}
