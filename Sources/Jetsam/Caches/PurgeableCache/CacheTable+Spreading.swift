extension CacheTable {
    /// How many shards are in use while there are few entries: in a shard of a handful none can be told from the others, and a
    /// cache of a hundred entries in 64 shards hits less often than an LRU would. On recorded traces 500 entries in 64 shards lose
    /// five points, in 16 four, in 4 none; thousands lose nothing anywhere.
    static var shardsOfFew: Int { 4 }

    /// How many entries one of so few shards has at most before the others come into use.
    @inlinable static var mostOfFew: Int { 1024 }

    /// Whether the other shards should come into use. The shard is locked.
    @inlinable
    func isCrowded(_ shard: UnsafeMutablePointer<CacheShard>) -> Bool {
        unsafe Int(stripes.mask) + 1 < shardCount && shard.pointee.count > Self.mostOfFew
    }

    /// Brings all shards into use and moves the entries to where they belong then. No user's code runs.
    @usableFromInline
    func spread() {
        for index in 0..<shardCount { stripes.lock(shard: index) }
        let used = Int(stripes.mask) + 1
        if used < shardCount {
            stripes.mask = UInt32(shardCount - 1)
            for index in 0..<shardCount { unsafe shards[index].shardCount = shardCount }
            for index in 0..<used {
                var old = unsafe shards[index].detach()
                move(old.main, of: old)
                move(old.small, of: old)
                old.deallocate()
            }
        }
        for index in 0..<shardCount { stripes.unlock(shard: index) }
    }

    /// Moves the entries of a queue, the oldest first, so that they come to stand in the same order.
    private func move(_ queue: CacheShard.Queue, of old: borrowing CacheShard) {
        var entry = queue.tail
        while entry != CacheEntryHeader.none {
            let header = unsafe old.header(entry)
            let contents = unsafe Self.contents(entry, old.chunks)
            let shard = unsafe shards + Int(header.pointee.hash & stripes.mask)
            let new = unsafe shard.pointee.place(
                hash: header.pointee.hash, cost: header.pointee.cost, expiry: header.pointee.expiry,
                in: header.pointee.place)
            guard let new else { fatalError("a shard of a few entries cannot take another") }
            unsafe shard.pointee.marks(new).pointee = old.marks(entry).pointee
            let target = unsafe Self.contents(new, shard.pointee.chunks)
            unsafe target.moveInitializeMemory(as: Key.self, from: contents.assumingMemoryBound(to: Key.self), count: 1)
            unsafe (target + Self.valueOffset).moveInitializeMemory(
                as: Value.self, from: (contents + Self.valueOffset).assumingMemoryBound(to: Value.self), count: 1)
            entry = unsafe header.pointee.previous
        }
    }
}
