public import CLinuxShims

extension CacheTable {
    /// Takes out what there is for a key, to the remains, and gives the tick that it expires at; nil where there is none.
    @inlinable
    @discardableResult
    func remove(_ key: Key, _ remains: inout CacheRemains<Key, Value>) -> UInt64? {
        let hash = Self.hash(key)
        let shard = unsafe lockedShard(for: hash)
        guard let found = unsafe Self.find(key, hash, shard.pointee.stripes) else {
            unsafe unlock(shard)
            return nil
        }
        let expiry = unsafe CacheShard.header(found.number, in: shard).pointee.expiry
        unsafe budget.give(cost: CacheShard.header(found.number, in: shard).pointee.cost)
        unsafe shard.pointee.remove(found.number)
        unsafe Self.bury(found.number, shard, &remains)
        unsafe unlockTidied(shard)
        return expiry
    }

    /// Takes everything out, one shard after the other, and lets go of it outside the locks.
    @usableFromInline
    func removeAll() {
        for index in 0..<shardCount {
            let shard = unsafe shards + index
            unsafe lock(shard)
            var old = unsafe shard.pointee.detach()
            unsafe unlock(shard)
            budget.give(cost: old.cost, entries: old.count)
            Self.destroy(&old)
            old.deallocate()
        }
    }

    /// Evicts at least so many bytes, costs and entries, if there are as many; gives how many there were.
    ///
    /// - Parameter most: The greatest number of bytes that it evicts: a value that is larger than what is left of it stays.
    @inlinable
    func release(bytes: Int, most: Int = .max) -> Int {
        var given = 0
        var evicted = 0
        var empty = 0
        var index = budget.nextShard()
        let now = now(0)
        // A few from each in turn, so that what is worth least of all shards goes first, and no lock is held for long.
        while given < bytes, empty < shardCount {
            let shard = unsafe shards + index % shardCount
            index &+= 1
            var remains = CacheRemains<Key, Value>()
            var debt = CacheBudget.Debt(cost: 0, bytes: min(bytes - given, max(1, bytes / (shardCount * 4))))
            let owed = debt.bytes
            var taken = 0
            var sampled = ReleasedSamples()
            unsafe lock(shard)
            while debt.isOwed, taken < CacheRemains<Key, Value>.batch,
                let entry = unsafe shard.pointee.removeVictim(
                    now: now, most: most - given - owed + debt.bytes - budget.overhead, isRelease: true)
            {
                let header = unsafe CacheShard.header(entry, in: shard)
                unsafe budget.give(cost: header.pointee.cost, paying: &debt)
                if unsafe ghosts.wants(header.pointee.hash),
                    unsafe !CacheTick.hasPassed(header.pointee.expiry, now: now)
                {
                    unsafe sampled.append(taken, cost: header.pointee.cost)
                }
                unsafe Self.prefetch(Self.contents(entry, shard.pointee.stripes.pointee.chunks))
                unsafe Self.bury(entry, shard, &remains)
                taken += 1
            }
            unsafe unlock(shard)
            if sampled.count > 0 { remember(sampled, of: remains) }
            withExtendedLifetime(remains) {}
            given += owed - debt.bytes
            evicted += taken
            empty = taken == 0 ? empty + 1 : 0
        }
        giveBackPlaces(of: evicted, given: given)
        return given
    }

    /// Gives back the memory in which the entries stood that a release evicted: those that are left move together, some at a time.
    /// Where the values themselves are nearly all of it, that is left until half of the places are empty.
    @usableFromInline
    func giveBackPlaces(of evicted: Int, given: Int) {
        guard evicted > 0 else { return }
        let isMuch = evicted >= given / 8 / budget.overhead
        let most = (0..<shardCount).filter { index in
            stripes.lock(shard: index)
            defer { stripes.unlock(shard: index) }
            let (count, empty) = unsafe (shards[index].count, shards[index].emptyPlaces)
            return empty >= CacheShard.fewPlaces && empty > (isMuch ? count / 8 : count)
        }
        // Some of each shard's in turn: whoever waits for its locks gets them meanwhile.
        var left = most
        while !left.isEmpty { left.removeAll { !giveBackChunk(of: $0) } }
        left = most
        while !left.isEmpty { left.removeAll { !shrinkIndex(of: $0) } }
    }

    /// Gives one chunk of a shard back, if the places that are empty in others are enough for what is in it. One chunk in a hold of
    /// the locks, so that nobody waits for more.
    func giveBackChunk(of index: Int) -> Bool {
        stripes.lock(shard: index)
        let chunks = unsafe shards[index].entries.chunks
        let taken = unsafe shards[index].detachLastChunk { entry, other in
            unsafe Self.moveContents(from: Self.contents(entry, chunks), to: Self.contents(other, chunks))
        }
        stripes.unlock(shard: index)
        guard let taken else { return false }
        taken.deallocate(memory)
        return true
    }

    /// Makes the index of a shard smaller that has far more slots than entries, some of it; true where there is more to do.
    func shrinkIndex(of index: Int) -> Bool {
        stripes.lock(shard: index)
        let isMoving = unsafe shards[index].moveIndexSome()
        let count = unsafe isMoving ? 0 : shards[index].index.shrunkSlotCount(count: shards[index].count)
        stripes.unlock(shard: index)
        guard count > 0 else { return isMoving }
        // The kernel takes its time to give the pages.
        let slots = CacheIndex.Slots(count, memory)
        stripes.lock(shard: index)
        let rest = unsafe shards[index].shrinkIndex(to: slots)
        stripes.unlock(shard: index)
        rest?.deallocate(memory)
        return true
    }

    /// Unlocks a shard from which entries were taken. Where it has far more empty places than entries now, the memory of some
    /// and a part of its index are given back: entries that leave without a release leave no memory behind, and no single call does
    /// the work of all.
    @inlinable
    func unlockTidied(_ shard: UnsafeMutablePointer<CacheShard>) {
        let isSparse = unsafe CacheShard.isSparse(shard)
        unsafe unlock(shard)
        if isSparse { unsafe tidy(shard) }
    }

    @usableFromInline
    func tidy(_ shard: UnsafeMutablePointer<CacheShard>) {
        let index = unsafe shard - shards
        // Twice as many places as one hold of the locks can empty, so that it keeps pace with any of them.
        var left = (2 * Self.mostPaid) >> Int(Self.chunkShift)
        while left > 0, giveBackChunk(of: index) { left -= 1 }
        _ = shrinkIndex(of: index)
    }

    /// Remembers those of the entries that a release took out which are samples. Under no lock: it asks keys for their hash values.
    @inlinable
    func remember(_ sampled: ReleasedSamples, of remains: CacheRemains<Key, Value>) {
        let now = now
        for index in 0..<sampled.count {
            let (place, cost) = sampled[index]
            let key = place == 0 ? remains.first?.0 : remains.others[place - 1].0
            guard let key else { continue }
            ghosts.add(Self.fullHash(key), bytes: cost + budget.overhead, now: now)
        }
    }

    /// Begins to fetch what a value points to: to let go of many values that were not used for long is to wait for each to be
    /// fetched, unless that was begun for all of them before.
    @inlinable
    static func prefetch(_ contents: UnsafeMutableRawPointer) {
        guard !_isPOD(Value.self), MemoryLayout<Value>.size >= MemoryLayout<UInt>.size else { return }
        let word = unsafe (contents + valueOffset).loadUnaligned(as: UInt.self)
        unsafe jetsam_prefetch(UnsafeRawPointer(bitPattern: word))
    }

    /// Evicts what is above the owner's limit.
    func evictExcess() {
        var remains = CacheRemains<Key, Value>()
        var debt = CacheBudget.Debt(cost: budget.excess, bytes: 0)
        payElsewhere(&debt, now: now(0), from: UInt32(truncatingIfNeeded: budget.nextShard()) << 8, &remains)
        withExtendedLifetime(remains) {}
    }

    /// Calls the body with each shard in turn, while that is locked.
    func forEachShard(_ body: (borrowing CacheShard) -> Void) {
        for index in 0..<shardCount {
            unsafe lock(shards + index)
            unsafe body(shards[index])
            unsafe unlock(shards + index)
        }
    }

    func sum(_ body: (borrowing CacheShard) -> Int) -> Int {
        var sum = 0
        forEachShard { sum += body($0) }
        return sum
    }
}
