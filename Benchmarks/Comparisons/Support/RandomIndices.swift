/// Numbers below a bound, others for each thread: Knuth's MMIX generator, whose upper bits are random enough, and which costs a
/// nanosecond.
package struct RandomIndices {
    @usableFromInline let bound: UInt64
    @usableFromInline var state: UInt64

    package init(below bound: Int, thread: Int) {
        self.bound = UInt64(bound)
        state = UInt64(truncatingIfNeeded: thread &* 77 &+ 12345)
    }

    @inlinable @inline(__always)
    package mutating func next() -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(((state >> 32) &* bound) >> 32)
    }
}
