extension CacheShard {
    /// The greatest number of entries that one eviction passes over because they were asked for.
    private static let mostSpared = 64

    /// Makes an entry, which counts from here on; its key and value are the caller's to initialise.
    ///
    /// - Parameter place: The queue that it belongs to; ``CacheEntryHeader/Place/none`` to let what is remembered of it decide.
    @usableFromInline
    mutating func place(hash: UInt32, cost: Int, expiry: UInt64, in place: UInt8) -> UInt32? {
        guard let entry = allocate() else { return nil }
        unsafe header(entry).initialize(to: CacheEntryHeader(hash: hash, cost: cost, expiry: expiry))
        unsafe marks(entry).initialize(to: expiry == 0 ? 0 : CacheLayout.expires)
        addToIndex(entry, hash: hash)
        link(entry, in: place == CacheEntryHeader.Place.none ? queueFor(hash) : place)
        return entry
    }

    private mutating func queueFor(_ hash: UInt32) -> UInt8 {
        guard let ghost = ghosts.remove(hash) else { return CacheEntryHeader.Place.small }
        let isMain = balance.belongsToMain(ghost.origin, age: ghost.age, entries: count, shards: shardCount)
        return isMain ? CacheEntryHeader.Place.main : CacheEntryHeader.Place.small
    }

    /// Takes an entry out of index and queue and gives the queue that it was in; it stays where it is.
    @usableFromInline
    @discardableResult
    mutating func remove(_ entry: UInt32) -> UInt8 {
        removeFromIndex(entry)
        let place = unsafe header(entry).pointee.place
        unlink(entry)
        return place
    }

    /// Takes out the entry that is worth least; nil where there is none. At most 65 entries are looked at.
    @usableFromInline
    mutating func removeVictim(now: Int64) -> UInt32? {
        var spared = 0
        while true {
            let isSmall =
                main.count == 0 || small.count > 0 && small.weight >= balance.share * (small.weight + main.weight)
            let entry = isSmall ? small.tail : main.tail
            guard entry != CacheEntryHeader.none else { return nil }
            let header = unsafe header(entry)
            if CacheTick.hasPassed(unsafe header.pointee.expiry, now: now) {
                expirations += 1
                remove(entry)
                return entry
            }
            let marks = unsafe marks(entry)
            guard unsafe marks.pointee & CacheLayout.isUsed != 0, spared < Self.mostSpared else {
                evictions += 1
                remember(unsafe header.pointee.hash, isSmall ? .small : .main)
                remove(entry)
                return entry
            }
            spared += 1
            unlink(entry)
            unsafe marks.pointee &= ~CacheLayout.isUsed
            link(entry, in: CacheEntryHeader.Place.main)
        }
    }

    private mutating func remember(_ hash: UInt32, _ origin: GhostTable.Origin) {
        if count * 2 > ghosts.capacity * 3 || count * 3 < ghosts.capacity && ghosts.capacity > 8 {
            ghosts.resize(for: count)
        }
        ghosts.insert(hash, from: origin)
        if origin == .small, evictions % QueueBalance.batch == 0 {
            balance.drawBack(entries: count, shards: shardCount)
        }
    }

    private mutating func link(_ entry: UInt32, in place: UInt8) {
        let header = unsafe header(entry)
        unsafe header.pointee.place = place
        let cost = unsafe header.pointee.cost
        var queue = place == CacheEntryHeader.Place.small ? small : main
        push(entry, cost, &queue)
        if place == CacheEntryHeader.Place.small { small = queue } else { main = queue }
    }

    private func push(_ entry: UInt32, _ cost: Int, _ queue: inout Queue) {
        let header = unsafe header(entry)
        unsafe header.pointee.previous = CacheEntryHeader.none
        unsafe header.pointee.next = queue.head
        if queue.head == CacheEntryHeader.none {
            queue.tail = entry
        } else {
            unsafe self.header(queue.head).pointee.previous = entry
        }
        queue.head = entry
        queue.count += 1
        queue.cost += cost
    }

    private mutating func unlink(_ entry: UInt32) {
        let isSmall = unsafe header(entry).pointee.place == CacheEntryHeader.Place.small
        var queue = isSmall ? small : main
        pull(entry, &queue)
        if isSmall { small = queue } else { main = queue }
        unsafe header(entry).pointee.place = CacheEntryHeader.Place.none
    }

    private func pull(_ entry: UInt32, _ queue: inout Queue) {
        let header = unsafe header(entry)
        let previous = unsafe header.pointee.previous
        let next = unsafe header.pointee.next
        if previous == CacheEntryHeader.none {
            queue.head = next
        } else {
            unsafe self.header(previous).pointee.next = next
        }
        if next == CacheEntryHeader.none {
            queue.tail = previous
        } else {
            unsafe self.header(next).pointee.previous = previous
        }
        queue.count -= 1
        unsafe queue.cost -= header.pointee.cost
    }
}
