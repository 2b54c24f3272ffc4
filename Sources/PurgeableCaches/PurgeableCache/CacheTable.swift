public import CLinuxShims
public import JetsamSystem

/// The shards of a ``PurgeableCache``, and the keys and values in them.
///
/// A hit takes the lock of its processor's stripe, copies the value and marks the entry: it moves nothing. All else takes the
/// whole shard. Never more than one shard is locked at a time, and no key or value is let go of under a lock.
@safe @usableFromInline
final class CacheTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    @usableFromInline nonisolated(unsafe) let shards: UnsafeMutablePointer<CacheShard>
    @usableFromInline let shardCount: Int
    @usableFromInline let stripes: CacheStripes
    @usableFromInline let budget: CacheBudget
    private let balance: QueueBalance
    let memory: CacheMemory
    /// The entries that were given up in releases not long ago.
    @usableFromInline let ghosts: ReleaseGhosts
    @usableFromInline let clock: (any MonotonicClock)?

    @usableFromInline
    init(limit: Int?, clock: (any MonotonicClock)?, registry: CacheRegistry) {
        ghosts = ReleaseGhosts(registry.makeRefetchedBytes())
        self.clock = clock is SystemMonotonicClock ? nil : clock
        let processors = Int(jetsam_processor_count())
        let stripeShift = processors == 1 ? 0 : processors == 2 ? 1 : 2
        shardCount = 64
        // The average bytes of index and ghosts for an entry.
        budget = CacheBudget(limit: limit, overhead: Self.contentsStride + CacheLayout.bytesBeside + 18)
        stripes = CacheStripes(shards: shardCount, used: Self.shardsOfFew, stripeShift: stripeShift)
        unsafe shards = .allocate(capacity: shardCount)
        balance = QueueBalance()
        memory = CacheMemory(Self.layout)
        for index in 0..<shardCount {
            unsafe (shards + index).initialize(
                to: CacheShard(
                    stripes: stripes.base + index << stripeShift, stripeCount: 1 << stripeShift, layout: Self.layout,
                    balance: balance, memory: memory, shardCount: Self.shardsOfFew))
        }
    }

    deinit {
        for index in 0..<shardCount {
            unsafe Self.destroy(&shards[index])
            unsafe shards[index].deallocate()
        }
        unsafe shards.deallocate()
        stripes.deallocate()
        balance.deallocate()
        memory.deallocate()
    }

    /// Lets go of all keys and values of a shard that nobody else can reach any more.
    static func destroy(_ shard: inout CacheShard) {
        for var entry in [shard.queues.small.head, shard.queues.main.head] {
            while entry != CacheEntryHeader.none {
                let contents = unsafe contents(entry, shard.entries.chunks)
                unsafe contents.assumingMemoryBound(to: Key.self).deinitialize(count: 1)
                unsafe (contents + valueOffset).assumingMemoryBound(to: Value.self).deinitialize(count: 1)
                entry = unsafe shard.entries.header(entry).pointee.next
            }
        }
    }

    @inlinable var now: Int64 { clock?.now.nanoseconds ?? jetsam_monotonic_ns() }
}

extension CacheTable {
    /// Half of the hash value that the standard library's own tables begin with: asking for it saves a call or two over
    /// `hashValue`. Its lowest six bits choose the shard, its highest the place in the index.
    @inlinable
    @inline(__always)
    static func hash(_ key: Key) -> UInt32 { upperHalf(fullHash(key)) }

    /// All of that hash value.
    @inlinable
    @inline(__always)
    static func fullHash(_ key: Key) -> UInt64 { UInt64(UInt(bitPattern: key._rawHashValue(seed: 0))) }

    /// The half of it that entries are found by.
    @inlinable
    @inline(__always)
    static func upperHalf(_ hash: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: hash >> 32) }

    /// The entry of a key; nil where there is none. The stripe is locked.
    @inlinable
    @inline(__always)
    static func find(
        _ key: Key, _ hash: UInt32, _ stripe: UnsafeMutablePointer<CacheStripe>, at place: jetsam_place
    ) -> Found? {
        let tag = CacheIndex.tag(hash)
        guard var slots = unsafe place.first else { return nil }
        var position = Int(unsafe place.position)
        while true {
            var matches = unsafe jetsam_match4(slots, tag, ~CacheIndex.numberMask)
            while matches != 0 {
                let slot = unsafe slots[matches.trailingZeroBitCount]
                matches &= matches &- 1
                let number = slot & CacheIndex.numberMask
                // An empty one agrees with the tag that is 0.
                if number == 0 { continue }
                let entry = number &- 1
                let chunk = unsafe stripe.pointee.chunks[Int(entry >> chunkShift)]
                let index = Int(entry & (1 << chunkShift - 1))
                let contents = unsafe chunk + (contentsOffset + index * contentsStride)
                // The tag lets one in a hundred others pass: cheaper than to fetch the rest of the hash value for all.
                guard unsafe contents.assumingMemoryBound(to: Key.self).pointee == key else { continue }
                return unsafe Found(
                    number: entry, contents: contents, marks: (chunk + index).assumingMemoryBound(to: UInt8.self))
            }
            if unsafe jetsam_match4(slots, 0, .max) != 0 {
                return unsafe stripe.pointee.old == nil ? nil : findInOld(key, hash, stripe)
            }
            position &+= CacheStripe.mirrored &+ 1
            let count = Int(unsafe place.count)
            if position >= count { position &-= count }
            unsafe slots = unsafe UnsafePointer(stripe.pointee.slots) + position
        }
    }

    /// The same in the table that slots are moving out of.
    @inlinable
    @inline(never)
    static func findInOld(_ key: Key, _ hash: UInt32, _ stripe: UnsafeMutablePointer<CacheStripe>) -> Found? {
        guard let slots = unsafe stripe.pointee.old else { return nil }
        let count = unsafe Int(stripe.pointee.oldCount)
        var position = Int((UInt64(hash) &* UInt64(count)) &>> 32)
        while case let slot = unsafe slots[position], slot != 0 {
            let number = slot & CacheIndex.numberMask
            if slot & ~CacheIndex.numberMask == CacheIndex.tag(hash), number != CacheIndex.movedSlot {
                let entry = number &- 1
                let contents = unsafe contents(entry, stripe.pointee.chunks)
                if unsafe contents.assumingMemoryBound(to: Key.self).pointee == key {
                    let chunk = unsafe stripe.pointee.chunks[Int(entry >> chunkShift)]
                    let index = Int(entry & (1 << chunkShift - 1))
                    return unsafe Found(
                        number: entry, contents: contents, marks: (chunk + index).assumingMemoryBound(to: UInt8.self))
                }
            }
            position = position + 1 == count ? 0 : position + 1
        }
        return nil
    }

    @inlinable
    static func find(
        _ key: Key, _ hash: UInt32, _ stripe: UnsafeMutablePointer<CacheStripe>
    ) -> Found? {
        unsafe find(key, hash, stripe, at: CacheStripe.place(stripe, hash))
    }

    /// Moves key and value of an entry that was taken out to the remains, and frees its place. The shard is locked.
    @inlinable
    static func bury(
        _ entry: UInt32, _ shard: UnsafeMutablePointer<CacheShard>, _ remains: inout CacheRemains<Key, Value>
    ) {
        let contents = unsafe contents(entry, shard.pointee.stripes.pointee.chunks)
        unsafe remains.append(
            contents.assumingMemoryBound(to: Key.self).move(),
            (contents + valueOffset).assumingMemoryBound(to: Value.self).move())
        unsafe shard.pointee.free(entry)
    }

    /// The shard that a hash value belongs to, all of it locked.
    @inlinable
    func lockedShard(for hash: UInt32) -> UnsafeMutablePointer<CacheShard> {
        while true {
            let mask = stripes.mask
            let shard = unsafe shards + Int(hash & mask)
            unsafe lock(shard)
            if stripes.mask == mask { return unsafe shard }
            unsafe unlock(shard)
        }
    }

    /// Locks all of a shard. Where its locks are is worked out and not read from the shard, which whoever holds them may be
    /// changing.
    @inlinable
    func lock(_ shard: UnsafeMutablePointer<CacheShard>) {
        unsafe stripes.lock(shard: shard - shards)
    }

    @inlinable
    func unlock(_ shard: UnsafeMutablePointer<CacheShard>) {
        unsafe stripes.unlock(shard: shard - shards)
    }
}
