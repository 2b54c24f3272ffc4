extension CacheTable {
    /// The number of shards in use while there are few entries. In a shard of a handful none can be told from the others, and
    /// entries that would fit into the whole need not fit into one shard. A recorded loop was as long as a cache of 500
    /// entries. There, by the process's hashes, four shards lose three points and more in every other process, and two shards
    /// in one of sixteen. 16 shards lose four points on other traces, too, and 64 five. Readers do not need several shards:
    /// each processor has its own way into a shard.
    static var shardsOfFew: Int { 1 }

    /// The number of shards in use after that, until one of these is crowded as well. Thousands of entries lose nothing in so
    /// many.
    static var shardsOfSome: Int { 4 }

    /// The greatest number of entries in one of them before more come into use.
    @inlinable static var mostOfFew: Int { 1024 }

    /// Returns the number of shards in use, where more should come into use; nil where they need not. The shard is locked.
    @inlinable
    func crowded(_ shard: UnsafeMutablePointer<CacheShard>) -> Int? {
        let used = Int(stripes.mask) + 1
        return unsafe used < shardCount && shard.pointee.count > Self.mostOfFew ? used : nil
    }

    /// Brings more shards into use, where there are still as many as were seen, and moves the entries to where they belong then. No
    /// user's code runs.
    @usableFromInline
    func spread(from used: Int) {
        let count = used < Self.shardsOfSome ? Self.shardsOfSome : shardCount
        // So many chunks are enough: each shard fills its own but for the last. They are fetched before the locks are taken, because that
        // takes longer than moving the entries.
        memory.stockUp((used * Self.mostOfFew) >> Int(Self.chunkShift) + count)
        var olds: [CacheShard] = []
        for index in 0..<shardCount { stripes.lock(shard: index) }
        if Int(stripes.mask) + 1 == used, used < shardCount {
            stripes.mask = UInt32(count - 1)
            for index in 0..<used { olds.append(unsafe shards[index].detach()) }
            let entries = olds.reduce(0) { $0 + $1.count } / count
            for index in 0..<shardCount { unsafe shards[index].use(shards: count) }
            for index in 0..<count { unsafe shards[index].expect(entries) }
            for old in olds {
                move(old.queues.main, of: old)
                move(old.queues.small, of: old)
            }
        }
        for index in 0..<shardCount { stripes.unlock(shard: index) }
        for index in olds.indices { olds[index].deallocate() }
        memory.clearStock()
    }

    /// Moves the entries of a queue, the oldest first, so that they come to stand in the same order.
    func move(_ queue: CacheQueues.Queue, of old: borrowing CacheShard) {
        var entry = queue.tail
        while entry != CacheEntryHeader.none {
            let header = unsafe old.entries.header(entry)
            let contents = unsafe Self.contents(entry, old.entries.chunks)
            let shard = unsafe shards + Int(header.pointee.hash & stripes.mask)
            let new = unsafe shard.pointee.place(
                hash: header.pointee.hash, cost: header.pointee.cost, expiry: header.pointee.expiry,
                in: header.pointee.place)
            guard let new else { fatalError("a shard of a few entries cannot take another") }
            unsafe shard.pointee.entries.marks(new).pointee = old.entries.marks(entry).pointee
            unsafe Self.moveContents(from: contents, to: Self.contents(new, shard.pointee.entries.chunks))
            entry = unsafe header.pointee.previous
        }
    }

    /// Moves a key and its value.
    static func moveContents(from contents: UnsafeMutableRawPointer, to target: UnsafeMutableRawPointer) {
        unsafe target.moveInitializeMemory(as: Key.self, from: contents.assumingMemoryBound(to: Key.self), count: 1)
        unsafe (target + valueOffset).moveInitializeMemory(
            as: Value.self, from: (contents + valueOffset).assumingMemoryBound(to: Value.self), count: 1)
    }
}
