/// The place of a shard, and the locks around it: one for each of its stripes. A thread that changes the shard takes all of them.
@safe struct ByteShardReference {
    private let stripes: ByteStripes
    private let shard: UnsafeMutablePointer<ByteShard>

    init(_ value: consuming ByteShard) {
        stripes = value.segments.stripes
        unsafe shard = .allocate(capacity: 1)
        unsafe shard.initialize(to: value)
    }

    func destroy() {
        unsafe shard.deinitialize(count: 1)
        unsafe shard.deallocate()
    }

    @inline(__always)
    func withLock<Result>(_ body: (inout ByteShard) -> Result) -> Result {
        _ = lock(waits: true)
        defer { unlock() }
        return unsafe body(&shard.pointee)
    }

    /// The shard that the locks protect.
    var locked: UnsafeMutablePointer<ByteShard> { unsafe shard }

    /// Takes the locks; false, at once, where somebody holds one and the caller may not wait.
    func lock(waits: Bool) -> Bool {
        if waits { stripes.lock() } else if !stripes.tryLock() { return false }
        if unsafe !shard.pointee.left.isEmpty { unsafe shard.pointee.countOutLeft() }
        return true
    }

    /// Hands over the segments of a release that were given back. Needs no lock.
    func handOver(_ leaving: SegmentQueue, _ segments: SegmentView) {
        unsafe shard.pointee.left.append(leaving, segments)
    }

    func unlock() {
        let segments = unsafe shard.pointee.segments.view
        unsafe stripes.publish(shard.pointee.index.finder(segments), segments)
        stripes.unlock()
    }
}
