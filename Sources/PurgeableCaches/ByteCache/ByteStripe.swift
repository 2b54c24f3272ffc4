internal import CLinuxShims
internal import Synchronization

/// One processor's way into one shard: a lock, where to look, what was counted behind that lock, and which segments bodies
/// read that came this way. It takes two cache lines: this, and the pins.
///
/// A reader takes the lock of its own processor's stripe, a writer those of all stripes of the shard. So readers on different
/// processors write to no common line, and still nothing moves under one of them.
@safe struct ByteStripe: ~Copyable {
    static let byteCount = 128
    /// Bodies that one stripe has room for; more are counted in the record of the segment. The first stands in the first line.
    static let pinCount = 17

    /// Bodies that found a value. It stands first, where nobody looks without the lock: a change of any counter counts as an
    /// access to where the stripe begins.
    var hits = 0
    var word = jetsam_lock_word()
    /// The first of the pins.
    let pin = Atomic<UInt32>(0)
    /// The address of the index as a number, 0 as long as there is none, and the number of its buckets. They may be read without
    /// the lock to see what will be looked at.
    let slots = Atomic<UInt>(0)
    let bucketCount = Atomic<UInt32>(0)
    /// The same of the table that slots are moving out of, 0 where they are not: only for who has the lock.
    var oldBucketCount: UInt32 = 0
    var segments: SegmentView
    /// Lookups that found none.
    var misses = 0
    var old: UInt = 0

    init(_ segments: SegmentView) {
        self.segments = segments
    }

    /// The addresses of the two buckets of a hash.
    struct Buckets {
        let slots: UInt
        let bucketCount: UInt64
        var first: UInt
        var other: UInt

        @inline(__always)
        init(_ hash: UInt64, _ slots: UInt, _ bucketCount: UInt64) {
            self.slots = slots
            self.bucketCount = bucketCount
            let stride = UInt(MemoryLayout<UInt64>.stride)
            first = slots &+ UInt(bitPattern: ByteIndex.bucket(hash, of: bucketCount)) &* stride
            other = slots &+ UInt(bitPattern: ByteIndex.bucket(ByteIndex.other(hash), of: bucketCount)) &* stride
        }
    }

    @inline(__always)
    private static func buckets(_ hash: UInt64, _ stripe: UnsafeMutablePointer<ByteStripe>) -> Buckets {
        unsafe Buckets(
            hash, stripe.pointee.slots.load(ordering: .relaxed),
            UInt64(stripe.pointee.bucketCount.load(ordering: .relaxed)))
    }

    /// Begins to fetch where an entry will be looked for, so that it comes while the lock is taken. The index may have gone
    /// meanwhile: then nothing happens.
    @inline(__always)
    static func prefetch(_ hash: UInt64, _ stripe: UnsafeMutablePointer<ByteStripe>) -> Buckets {
        var buckets = unsafe buckets(hash, stripe)
        unsafe jetsam_prefetch_to_read(UnsafeRawPointer(bitPattern: buckets.first))
        unsafe jetsam_prefetch_to_read(UnsafeRawPointer(bitPattern: buckets.other))
        buckets.first = jetsam_opaque(buckets.first)
        buckets.other = jetsam_opaque(buckets.other)
        return buckets
    }

    /// The entry of a key, expired or not. The stripe is locked; what was fetched before is most often where to look.
    @inline(__always)
    static func find(
        _ hash: UInt64, _ key: UnsafeRawBufferPointer, _ ahead: Buckets, _ segments: SegmentView,
        _ stripe: UnsafeMutablePointer<ByteStripe>
    ) -> ByteFinder.Found? {
        let slots = unsafe stripe.pointee.slots.load(ordering: .relaxed)
        let bucketCount = unsafe UInt64(stripe.pointee.bucketCount.load(ordering: .relaxed))
        var buckets = ahead
        if slots != ahead.slots || bucketCount != ahead.bucketCount {
            buckets = Buckets(hash, slots, bucketCount)
        }
        guard slots != 0, let first = unsafe UnsafeMutablePointer<UInt64>(bitPattern: buckets.first),
            let other = unsafe UnsafeMutablePointer<UInt64>(bitPattern: buckets.other)
        else { return nil }
        if let found = unsafe ByteFinder.find(hash, key, first, other, segments) { return found }
        guard unsafe stripe.pointee.old != 0 else { return nil }
        return unsafe findInOld(hash, key, segments, stripe)
    }

    @inline(never)
    private static func findInOld(
        _ hash: UInt64, _ key: UnsafeRawBufferPointer, _ segments: SegmentView,
        _ stripe: UnsafeMutablePointer<ByteStripe>
    ) -> ByteFinder.Found? {
        let buckets = unsafe Buckets(hash, stripe.pointee.old, UInt64(stripe.pointee.oldBucketCount))
        guard let first = unsafe UnsafeMutablePointer<UInt64>(bitPattern: buckets.first),
            let other = unsafe UnsafeMutablePointer<UInt64>(bitPattern: buckets.other)
        else { return nil }
        return unsafe ByteFinder.find(hash, key, first, other, segments)
    }

    /// The lock as C has it: an `inout` access to it would count as a change by more than one thread at a time.
    @inline(__always)
    static func word(_ stripe: UnsafeMutablePointer<ByteStripe>) -> UnsafeMutablePointer<jetsam_lock_word> {
        unsafe (UnsafeMutableRawPointer(stripe) + 8).assumingMemoryBound(to: jetsam_lock_word.self)
    }

    /// One for each body that reads a segment: its number and 1; 0 where there is none.
    @inline(__always)
    static func pin(_ index: Int, _ stripe: UnsafeMutablePointer<ByteStripe>) -> UnsafeMutablePointer<Atomic<UInt32>> {
        let offset = index == 0 ? 12 : byteCount / 2 + (index - 1) * MemoryLayout<UInt32>.stride
        return unsafe (UnsafeMutableRawPointer(stripe) + offset).assumingMemoryBound(to: Atomic<UInt32>.self)
    }

    @inline(__always)
    static func atomic(_ pin: UnsafeMutablePointer<UInt32>) -> UnsafeMutablePointer<Atomic<UInt32>> {
        unsafe UnsafeMutableRawPointer(pin).assumingMemoryBound(to: Atomic<UInt32>.self)
    }

    /// Keeps a segment where it is until 0 stands there again; nil where there is no room. The stripe is locked.
    @inline(__always)
    static func pin(
        segment: UInt32, _ stripe: UnsafeMutablePointer<ByteStripe>
    ) -> UnsafeMutablePointer<Atomic<UInt32>>? {
        let pin = unsafe pin(0, stripe)
        // Whoever had it before has read what it read.
        guard unsafe pin.pointee.load(ordering: .acquiring) == 0 else { return unsafe pinBeside(segment, stripe) }
        unsafe pin.pointee.store(segment &+ 1, ordering: .relaxed)
        return unsafe pin
    }

    @inline(never)
    private static func pinBeside(
        _ segment: UInt32, _ stripe: UnsafeMutablePointer<ByteStripe>
    ) -> UnsafeMutablePointer<Atomic<UInt32>>? {
        for index in 1..<pinCount {
            let pin = unsafe pin(index, stripe)
            guard unsafe pin.pointee.load(ordering: .acquiring) == 0 else { continue }
            unsafe pin.pointee.store(segment &+ 1, ordering: .relaxed)
            return unsafe pin
        }
        return nil
    }
}

/// The stripes of one shard.
@safe struct ByteStripes {
    private let base: UnsafeMutableRawPointer
    let count: Int
    /// The shard's number.
    let shard: UInt32
    /// Indicates whether the kernel puts the memory accesses of all threads in order on request, so that bodies need not do so
    /// each time they end.
    let isAsymmetric: Bool

    init(_ base: UnsafeMutableRawPointer, count: Int, shard: Int, isAsymmetric: Bool) {
        unsafe self.base = unsafe base
        self.count = count
        self.shard = UInt32(truncatingIfNeeded: shard)
        self.isAsymmetric = isAsymmetric
    }

    func initialize(_ segments: SegmentView) {
        for index in 0..<count {
            unsafe stripe(index).initialize(to: ByteStripe(segments))
            for pin in 1..<ByteStripe.pinCount {
                unsafe ByteStripe.pin(pin, stripe(index)).initialize(to: Atomic(0))
            }
        }
    }

    @inline(__always)
    private func stripe(_ index: Int) -> UnsafeMutablePointer<ByteStripe> {
        unsafe (base + index * ByteStripe.byteCount).assumingMemoryBound(to: ByteStripe.self)
    }

    func lock() {
        for index in 0..<count { unsafe jetsam_lock(ByteStripe.word(stripe(index))) }
    }

    /// False, at once, where somebody holds one of them.
    func tryLock() -> Bool {
        for index in 0..<count where unsafe !jetsam_try_lock(ByteStripe.word(stripe(index))) {
            for taken in 0..<index { unsafe jetsam_unlock(ByteStripe.word(stripe(taken))) }
            return false
        }
        return true
    }

    func unlock() {
        for index in 0..<count { unsafe jetsam_unlock(ByteStripe.word(stripe(index))) }
    }

    /// Tells readers where to look. All are locked.
    func publish(_ finder: ByteFinder?, _ segments: SegmentView) {
        for index in 0..<count {
            unsafe stripe(index).pointee.slots.store(UInt(bitPattern: finder?.slots), ordering: .relaxed)
            unsafe stripe(index).pointee.bucketCount.store(
                UInt32(truncatingIfNeeded: finder?.bucketCount ?? 0), ordering: .relaxed)
            unsafe stripe(index).pointee.old = UInt(bitPattern: finder?.old)
            unsafe stripe(index).pointee.oldBucketCount = UInt32(truncatingIfNeeded: finder?.oldBucketCount ?? 0)
            unsafe stripe(index).pointee.segments = segments
        }
    }

    /// Returns whether a body reads that segment now. All stripes are locked, so a body may stop reading but cannot begin.
    func isPinned(_ segment: UInt32) -> Bool {
        for index in 0..<count {
            for pin in 0..<ByteStripe.pinCount
            where unsafe ByteStripe.pin(pin, stripe(index)).pointee.load(ordering: .acquiring) == segment &+ 1 {
                return true
            }
        }
        return false
    }

    /// After it, whoever unpins a segment either sees what this thread wrote before, or has unpinned it already.
    func synchronize() {
        if isAsymmetric { jetsam_barrier_everywhere() }
    }

    /// Bodies that found a value, and lookups that found none. All are locked.
    var hits: Int {
        // Not with `reduce`: without optimisation that allocates, which a release may not.
        var sum = 0
        for index in 0..<count { sum &+= unsafe stripe(index).pointee.hits }
        return sum
    }

    var misses: Int {
        var sum = 0
        for index in 0..<count { sum &+= unsafe stripe(index).pointee.misses }
        return sum
    }
}

/// The stripes of all shards, and which one is whose.
@safe struct ByteStripeTable: @unchecked Sendable {
    private let base: UnsafeMutableRawPointer
    private let shardMask: UInt64
    /// A shard's stripes take so many bytes, as a power of two.
    private let rowShift: UInt64
    private let stripeMask: UInt64

    init(shards: Int, processors: Int) {
        let stripeShift: UInt64 = processors == 1 ? 0 : processors == 2 ? 1 : 2
        rowShift = stripeShift + UInt64(ByteStripe.byteCount.trailingZeroBitCount)
        stripeMask = 1 << stripeShift - 1
        shardMask = UInt64(shards - 1)
        unsafe base = .allocate(byteCount: shards << Int(rowShift), alignment: ByteStripe.byteCount)
    }

    func deallocate() { unsafe base.deallocate() }

    /// Those of one shard, not yet initialised.
    func row(_ shard: Int, isAsymmetric: Bool) -> ByteStripes {
        unsafe ByteStripes(
            base + shard << Int(rowShift), count: Int(stripeMask) + 1, shard: shard, isAsymmetric: isAsymmetric)
    }

    /// The stripe of the calling thread's processor for a hash.
    @inline(__always)
    func stripe(_ hash: ByteHash) -> UnsafeMutablePointer<ByteStripe> {
        let own = UInt64(truncatingIfNeeded: jetsam_processor_hint()) & stripeMask
        let bytes = (hash.shard & shardMask) &<< rowShift | own &* UInt64(ByteStripe.byteCount)
        return unsafe (base + Int(bitPattern: UInt(bytes))).assumingMemoryBound(to: ByteStripe.self)
    }
}
