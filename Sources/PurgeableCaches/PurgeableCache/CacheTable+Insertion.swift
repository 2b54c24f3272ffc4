extension CacheTable {
    /// Puts a value in, in place of the one that there was; false where there is no room that it could be given.
    /// What leaves the cache goes to the remains.
    ///
    /// - Parameter cost: 0…``CacheEntryHeader/greatestCost``.
    @inlinable
    @discardableResult
    func insert(
        _ value: Value, for key: Key, cost: Int, expiry: UInt64, _ remains: inout CacheRemains<Key, Value>
    ) -> Bool {
        let fullHash = Self.fullHash(key)
        let hash = Self.upperHalf(fullHash)
        let now = now(expiry)
        var debt = budget.reserve(cost: cost)
        var shard = unsafe lockedShard(for: hash)
        var place = unsafe replace(key, hash, shard, &debt, &remains)
        if debt.isOwed, unsafe isPoor(shard) {
            unsafe unlock(shard)
            payElsewhere(&debt, now: now, from: hash, &remains)
            unsafe shard = lockedShard(for: hash)
            // Another thread may have put one in.
            place = max(place, unsafe replace(key, hash, shard, &debt, &remains))
        }
        while unsafe !pay(&debt, from: shard, now: now, &remains) {
            unsafe unlockTidied(shard)
            unsafe shard = lockedShard(for: hash)
            place = max(place, unsafe replace(key, hash, shard, &debt, &remains))
        }
        if debt.isOwed {
            unsafe unlock(shard)
            payElsewhere(&debt, now: now, from: hash, &remains)
            unsafe shard = lockedShard(for: hash)
            place = max(place, unsafe replace(key, hash, shard, &debt, &remains))
        }
        // Memory is had outside the lock: the kernel takes its time to give a huge page.
        var supply = CacheSupply()
        while !debt.isOwed, let need = unsafe CacheShard.need(of: shard), supply.mayBeFetched {
            unsafe unlock(shard)
            supply.fetch(need)
            unsafe shard = lockedShard(for: hash)
            place = max(place, unsafe replace(key, hash, shard, &debt, &remains))
            unsafe CacheShard.install(&supply, in: shard)
        }
        let entry =
            debt.isOwed
            ? nil : unsafe shard.pointee.place(hash: hash, cost: cost, expiry: expiry, in: place)
        if let entry {
            let contents = unsafe Self.contents(entry, shard.pointee.stripes.pointee.chunks)
            unsafe contents.initializeMemory(as: Key.self, to: key)
            unsafe (contents + Self.valueOffset).initializeMemory(as: Value.self, to: value)
        } else {
            budget.give(cost: cost)
        }
        let crowded = unsafe crowded(shard)
        unsafe unlockTidied(shard)
        supply.giveBack()
        if let crowded { spread(from: crowded) }
        if entry != nil, ghosts.areAlive { ghosts.meet(fullHash, now: self.now) }
        return entry != nil
    }

    /// Puts a value in as ``insert(_:for:cost:expiry:_:)`` does, or takes out what there is where it cannot be kept.
    ///
    /// - Parameters:
    ///   - cost: Any number.
    ///   - expiry: The greatest number for what expires at once.
    @inlinable
    func put(_ value: Value, for key: Key, cost: Int, expiry: UInt64, _ remains: inout CacheRemains<Key, Value>) {
        let cost = min(max(0, cost), CacheEntryHeader.greatestCost)
        if cost <= budget.limit, expiry != .max {
            insert(value, for: key, cost: cost, expiry: expiry, &remains)
        } else {
            remove(key, &remains)
        }
    }

    /// The clock is read only where something expires.
    @inlinable
    func now(_ expiry: UInt64) -> Int64 { budget.hasExpiries(expiry != 0) ? now : 0 }

    /// Takes out what there is for the key, and gives the queue that it was in. The shard is locked.
    @inlinable
    func replace(
        _ key: Key, _ hash: UInt32, _ shard: UnsafeMutablePointer<CacheShard>, _ debt: inout CacheBudget.Debt,
        _ remains: inout CacheRemains<Key, Value>
    ) -> UInt8 {
        guard let found = unsafe Self.find(key, hash, shard.pointee.stripes) else { return 0 }
        unsafe budget.give(cost: CacheShard.header(found.number, in: shard).pointee.cost, paying: &debt)
        let place = unsafe shard.pointee.remove(found.number)
        unsafe Self.bury(found.number, shard, &remains)
        return place
    }

    @inlinable
    func isPoor(_ shard: UnsafeMutablePointer<CacheShard>) -> Bool {
        unsafe budget.isPoor(cost: shard.pointee.cost, entries: shard.pointee.count, shards: Int(stripes.mask) + 1)
    }

    /// Entries that are evicted in one hold of the lock at most.
    @inlinable static var mostPaid: Int { 64 }

    /// Evicts from a shard, which is locked, until the debt is paid or the shard is empty; false where others should have a turn first.
    @inlinable
    func pay(
        _ debt: inout CacheBudget.Debt, from shard: UnsafeMutablePointer<CacheShard>, now: Int64,
        _ remains: inout CacheRemains<Key, Value>
    ) -> Bool {
        var left = Self.mostPaid
        while debt.isOwed {
            guard left > 0 else { return false }
            guard let entry = unsafe shard.pointee.removeVictim(now: now) else { return true }
            left -= 1
            unsafe budget.give(cost: CacheShard.header(entry, in: shard).pointee.cost, paying: &debt)
            unsafe Self.bury(entry, shard, &remains)
        }
        return true
    }

    /// Evicts from the other shards: first from those that are not poor, then from all.
    @inlinable
    func payElsewhere(
        _ debt: inout CacheBudget.Debt, now: Int64, from hash: UInt32, _ remains: inout CacheRemains<Key, Value>
    ) {
        let used = Int(stripes.mask) + 1
        let start = Int(hash >> 8) & (used - 1)
        for round in 0..<2 {
            // In the end of all that there are: meanwhile more may have come into use.
            let count = round == 0 ? used : shardCount
            for step in 0..<count where debt.isOwed {
                let shard = unsafe shards + (start + step) % count
                var isDone = false
                while !isDone {
                    unsafe lock(shard)
                    isDone = unsafe round == 0 && isPoor(shard) || pay(&debt, from: shard, now: now, &remains)
                    unsafe unlockTidied(shard)
                }
            }
        }
    }
}
