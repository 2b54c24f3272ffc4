import Synchronization
import Testing

@testable import Jetsam
@testable import PurgeableCaches

/// What code that is inlined elsewhere, or written in C, finds by its place in memory.
struct ByteLayoutTests {
    @Test("A lease finds where its segment's record says that it is deferred")
    func deferred() {
        let record = UnsafeMutablePointer<SegmentRecord>.allocate(capacity: 1)
        unsafe record.initialize(
            to: SegmentRecord(base: UnsafeMutableRawPointer(record), hasHugePages: false, shard: 0))
        let lease = unsafe ByteLease(value: UnsafeMutableRawPointer(record), count: 0, record: record, pin: nil)
        let before = unsafe lease.isDeferred.pointee
        unsafe record.pointee.isDeferred.store(true, ordering: .relaxed)
        let after = unsafe lease.isDeferred.pointee
        unsafe record.deinitialize(count: 1)
        unsafe record.deallocate()
        #expect(!before)
        #expect(after)
        #expect(MemoryLayout<SegmentRecord>.size == 64)
    }

    @Test("The first pin of a stripe is found where it stands")
    func pin() {
        let cache = makeByteCache()
        let stripe = unsafe [UInt8(1)].withUnsafeBytes { unsafe cache.stripes.stripe(ByteHash($0, cache.seeds)) }
        unsafe stripe.pointee.pin.store(7, ordering: .relaxed)
        let found = unsafe ByteStripe.pin(0, stripe).pointee.load(ordering: .relaxed)
        unsafe ByteStripe.pin(0, stripe).pointee.store(0, ordering: .relaxed)
        let left = unsafe stripe.pointee.pin.load(ordering: .relaxed)
        #expect(found == 7)
        #expect(left == 0)
        #expect(MemoryLayout<ByteStripe>.size <= ByteStripe.byteCount / 2)
    }
}
