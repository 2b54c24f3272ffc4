/// A chain of segments, linked by their records; the oldest is first.
struct SegmentQueue {
    private(set) var first = SegmentRecord.none
    private(set) var last = SegmentRecord.none
    private(set) var count = 0

    var isEmpty: Bool { first == SegmentRecord.none }

    mutating func append(_ id: UInt32, _ segments: SegmentView) {
        unsafe segments.record(id).pointee.previous = last
        unsafe segments.record(id).pointee.next = SegmentRecord.none
        if isEmpty { first = id } else { unsafe segments.record(last).pointee.next = id }
        last = id
        count += 1
    }

    mutating func remove(_ id: UInt32, _ segments: SegmentView) {
        let next = unsafe segments.record(id).pointee.next
        let previous = unsafe segments.record(id).pointee.previous
        if previous == SegmentRecord.none { first = next } else { unsafe segments.record(previous).pointee.next = next }
        if next == SegmentRecord.none {
            last = previous
        } else {
            unsafe segments.record(next).pointee.previous = previous
        }
        count -= 1
    }
}
