public import CLinuxShims

extension CacheTable {
    @inlinable
    @inline(__always)
    static func lookUp(_ key: Key, _ stripes: CacheStripes) -> (value: Value, expiry: UInt64)? {
        let hash = Self.hash(key)
        let mask = stripes.mask
        let (stripe, place) = unsafe stripes.lockedStripe(for: hash, mask)
        guard let found = unsafe find(key, hash, stripe, at: place) else {
            // What was found is right in any case; what was not may have moved to another shard in the meantime.
            guard stripes.mask == mask else {
                unsafe jetsam_unlock(CacheStripe.word(stripe))
                return lookUpAgain(key, stripes)
            }
            unsafe stripe.pointee.misses &+= 1
            unsafe jetsam_unlock(CacheStripe.word(stripe))
            return nil
        }
        let marks = unsafe jetsam_mark(found.marks, CacheLayout.isUsed)
        unsafe stripe.pointee.hits &+= 1
        let value = unsafe (found.contents + valueOffset).assumingMemoryBound(to: Value.self).pointee
        let expires = marks & CacheLayout.expires != 0
        let expiry = unsafe expires ? Self.header(found.number, stripe.pointee.headers).pointee.expiry : 0
        unsafe jetsam_unlock(CacheStripe.word(stripe))
        return (value, expiry)
    }

    @inlinable
    @inline(never)
    static func lookUpAgain(_ key: Key, _ stripes: CacheStripes) -> (value: Value, expiry: UInt64)? {
        lookUp(key, stripes)
    }

    /// The value for a key without a trace: it counts neither as a lookup nor as a use.
    func peek(_ key: Key) -> Value? {
        let hash = Self.hash(key)
        let shard = unsafe lockedShard(for: hash)
        defer { unsafe unlock(shard) }
        guard let found = unsafe Self.find(key, hash, shard.pointee.stripes) else { return nil }
        let expiry = unsafe CacheShard.header(found.number, in: shard).pointee.expiry
        guard expiry == 0 || !CacheTick.hasPassed(expiry, now: now) else { return nil }
        return unsafe (found.contents + Self.valueOffset).assumingMemoryBound(to: Value.self).pointee
    }

    /// Counts a hit for a miss, as what was found had expired, and takes the entry out if it still has.
    @inlinable
    func expire(_ key: Key, now: Int64) {
        let hash = Self.hash(key)
        var remains = CacheRemains<Key, Value>()
        let shard = unsafe lockedShard(for: hash)
        unsafe shard.pointee.countExpiredHit()
        if let found = unsafe Self.find(key, hash, shard.pointee.stripes),
            unsafe CacheTick.hasPassed(CacheShard.header(found.number, in: shard).pointee.expiry, now: now)
        {
            unsafe budget.give(cost: CacheShard.header(found.number, in: shard).pointee.cost)
            unsafe shard.pointee.removeExpired(found.number)
            unsafe Self.bury(found.number, shard, &remains)
        }
        unsafe unlockTidied(shard)
        withExtendedLifetime(remains) {}
    }
}
