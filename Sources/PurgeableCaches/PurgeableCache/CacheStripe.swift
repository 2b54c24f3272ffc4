public import CLinuxShims

/// One processor's way into one shard: a lock, where the entries are, and what was counted behind that lock.
///
/// A reader takes the lock of its own processor's stripe, a writer those of all stripes of the shard. So readers on different
/// processors write to no common cache line, and still no entry goes away under one of them.
@safe @usableFromInline
struct CacheStripe {
    /// They stand first because a change of a counter counts as an access to where the stripe begins, and what lies between here
    /// and the padding is read, or the lock changed, at any time.
    @usableFromInline var hits = 0
    @usableFromInline var misses = 0
    /// The index: 0, or a tag of 7 bits over the entry's number + 1 in 25. Behind it the first ``mirrored`` slots again.
    @usableFromInline var slots: UnsafeMutablePointer<UInt32>
    /// Marks, keys and values of the entries, in pieces of one size.
    @usableFromInline var chunks: UnsafeMutablePointer<UnsafeMutableRawPointer>
    /// Number of slots of the index.
    @usableFromInline var slotCount: UInt32 = 0
    @usableFromInline var word = jetsam_lock_word()
    /// The headers of the entries, in as many pieces.
    @usableFromInline var headers: UnsafeMutablePointer<UnsafeMutableRawPointer>
    /// The table that the slots are moving out of, without the mirrored ones, as long as they do. Only for who has the lock.
    @usableFromInline var old: UnsafeMutablePointer<UInt32>?
    @usableFromInline var oldCount: UInt32 = 0
    // To the end of the cache line.
    private var padding: UInt32 = 0

    /// As many slots less one as are looked at together.
    @inlinable static var mirrored: Int { 3 }

    /// The lock as C has it: an `inout` access to it would count as a change by more than one thread at a time.
    @inlinable
    @inline(__always)
    static func word(_ stripe: UnsafeMutablePointer<CacheStripe>) -> UnsafeMutablePointer<jetsam_lock_word> {
        unsafe (UnsafeMutableRawPointer(stripe) + 36).assumingMemoryBound(to: jetsam_lock_word.self)
    }

    /// Begins to fetch the slot that a hash value leads to. The stripe is not locked yet.
    @inlinable
    @inline(__always)
    static func prefetch(_ stripe: UnsafeMutablePointer<CacheStripe>, _ hash: UInt32) -> jetsam_place {
        let (slots, count) = unsafe table(stripe)
        return unsafe jetsam_prefetch_place(slots, count, hash)
    }

    /// The slot that a hash value leads to. The stripe is locked.
    @inlinable
    @inline(__always)
    static func place(_ stripe: UnsafeMutablePointer<CacheStripe>, _ hash: UInt32) -> jetsam_place {
        unsafe jetsam_find_place(stripe.pointee.slots, stripe.pointee.slotCount, hash)
    }

    /// Returns the places where the stripe keeps the address of the index and the number of its slots.
    @inlinable
    @inline(__always)
    static func table(
        _ stripe: UnsafeMutablePointer<CacheStripe>
    ) -> (UnsafeMutablePointer<UnsafeMutablePointer<UInt32>?>, UnsafeMutablePointer<UInt32>) {
        let base = UnsafeMutableRawPointer(stripe)
        return unsafe (
            (base + 16).assumingMemoryBound(to: UnsafeMutablePointer<UInt32>?.self),
            (base + 32).assumingMemoryBound(to: UInt32.self)
        )
    }

    init(
        _ slots: UnsafeMutablePointer<UInt32>, _ chunks: UnsafeMutablePointer<UnsafeMutableRawPointer>,
        _ headers: UnsafeMutablePointer<UnsafeMutableRawPointer>
    ) {
        unsafe self.slots = slots
        unsafe self.chunks = chunks
        unsafe self.headers = headers
    }
}

/// The stripes of all shards, and which one is whose.
@safe @usableFromInline
struct CacheStripes: @unchecked Sendable {
    @usableFromInline let base: UnsafeMutablePointer<CacheStripe>
    /// The number of shards in use less one, on a cache line of its own in front of the stripes.
    @usableFromInline let usedMask: UnsafeMutablePointer<UInt32>
    @usableFromInline let stripeShift: Int
    @usableFromInline let stripeMask: Int

    init(shards: Int, used: Int, stripeShift: Int) {
        let count = shards << stripeShift
        let line = MemoryLayout<CacheStripe>.stride
        let raw = UnsafeMutableRawPointer.allocate(byteCount: line + count * line, alignment: 64)
        unsafe usedMask = raw.bindMemory(to: UInt32.self, capacity: 1)
        unsafe usedMask.initialize(to: UInt32(used - 1))
        unsafe base = (raw + line).bindMemory(to: CacheStripe.self, capacity: count)
        self.stripeShift = stripeShift
        stripeMask = 1 << stripeShift - 1
    }

    func deallocate() { unsafe usedMask.deallocate() }

    /// The mask that chooses the shard of a hash value. It changes only while all shards are locked: a caller that gets a lock
    /// looks again.
    @inlinable var mask: UInt32 {
        @inline(__always) get { unsafe jetsam_peek(usedMask) }
        nonmutating set { unsafe jetsam_poke(usedMask, newValue) }
    }

    /// The stripe of the calling thread's processor for a hash value.
    @inlinable
    @inline(__always)
    func stripe(for hash: UInt32, _ mask: UInt32) -> UnsafeMutablePointer<CacheStripe> {
        let shard = Int(hash & mask) &<< stripeShift
        return unsafe base + (shard | (Int(jetsam_processor_hint()) & stripeMask))
    }

    /// The same, locked, and the slot to begin with. The mask may have changed before the lock was taken.
    @inlinable
    @inline(__always)
    func lockedStripe(
        for hash: UInt32, _ mask: UInt32
    ) -> (stripe: UnsafeMutablePointer<CacheStripe>, place: jetsam_place) {
        let stripe = unsafe stripe(for: hash, mask)
        // To take the lock is to wait for all that was begun; so what is needed next is begun now.
        let place = unsafe CacheStripe.prefetch(stripe, hash)
        unsafe jetsam_lock(CacheStripe.word(stripe))
        return unsafe (
            stripe, jetsam_settle_place(place, stripe.pointee.slots, stripe.pointee.slotCount, hash)
        )
    }

    @usableFromInline
    func lock(shard: Int) {
        let first = unsafe base + shard &<< stripeShift
        for index in 0...stripeMask { unsafe jetsam_lock(CacheStripe.word(first + index)) }
    }

    @usableFromInline
    func unlock(shard: Int) {
        let first = unsafe base + shard &<< stripeShift
        for index in 0...stripeMask { unsafe jetsam_unlock(CacheStripe.word(first + index)) }
    }
}
