internal import CLinuxShims

/// One part of a cache, as far as it needs to know nothing of keys and values: index, entries and queues, and which entry goes next.
///
/// All of it is behind the shard's locks. Keys and values lie beside the marks; whoever knows their types
/// initialises them after ``place(hash:cost:expiry:in:)`` and moves them out before ``free(_:)``.
@safe @usableFromInline
struct CacheShard {
    /// The greatest number of entries that one eviction passes over because they were asked for.
    private static let mostSpared = 64

    @usableFromInline let stripes: UnsafeMutablePointer<CacheStripe>
    private let stripeCount: Int
    private(set) var entries: CacheEntries
    private(set) var index: CacheIndex
    private(set) var queues = CacheQueues()
    private let balance: QueueBalance
    /// The number of shards that the cache uses.
    private var shardCount: Int
    private(set) var ghosts: GhostTable
    private(set) var evictions = 0
    private(set) var expirations = 0

    init(
        stripes: UnsafeMutablePointer<CacheStripe>, stripeCount: Int, layout: CacheLayout,
        balance: QueueBalance, memory: CacheMemory, shardCount: Int
    ) {
        self.balance = balance
        self.shardCount = shardCount
        unsafe self.stripes = stripes
        self.stripeCount = stripeCount
        entries = CacheEntries(layout: layout, memory: memory)
        index = CacheIndex(memory)
        ghosts = GhostTable(memory)
        for stripe in 0..<stripeCount {
            unsafe (stripes + stripe).initialize(
                to: CacheStripe(index.slots.base, entries.chunks, entries.headers))
        }
        publish()
    }

    /// Gives the memory back; keys and values are gone by then.
    mutating func deallocate() {
        entries.deallocate()
        index.deallocate()
        ghosts.clear()
    }

    @usableFromInline var count: Int { queues.count }
    @usableFromInline var cost: Int { queues.cost }
    /// Places of entries that are gone, kept for others.
    var emptyPlaces: Int { Int(entries.highWater) - count }
    /// So many empty places of a shard are left as they are.
    static let fewPlaces = 256

    /// Returns whether a shard has far more empty places than entries. The shard is locked.
    @usableFromInline
    static func isSparse(_ shard: UnsafeMutablePointer<CacheShard>) -> Bool {
        let count = unsafe shard.pointee.count
        return unsafe Int(shard.pointee.entries.highWater) > 2 * count + fewPlaces
    }

    /// Tells the stripes where index and entries are.
    private func publish() {
        for stripe in 0..<stripeCount {
            let (place, count) = unsafe CacheStripe.table(stripes + stripe)
            unsafe jetsam_publish_table(place, count, index.slots.base, index.slots.count)
            unsafe stripes[stripe].chunks = unsafe entries.chunks
            unsafe stripes[stripe].headers = unsafe entries.headers
            unsafe stripes[stripe].old = unsafe index.old?.base
            unsafe stripes[stripe].oldCount = index.old?.count ?? 0
        }
    }

    /// The header of an entry, for those outside this module, who would copy the shard to call a method of it.
    @usableFromInline
    static func header(
        _ entry: UInt32, in shard: UnsafeMutablePointer<CacheShard>
    ) -> UnsafeMutablePointer<CacheEntryHeader> {
        unsafe shard.pointee.entries.header(entry)
    }

    // MARK: - Entries

    /// Makes an entry, which counts from here on; its key and value are the caller's to initialise.
    ///
    /// - Parameter place: The queue that it belongs to; ``CacheEntryHeader/Place/none`` to let what is remembered of it decide.
    @usableFromInline
    mutating func place(hash: UInt32, cost: Int, expiry: UInt64, in place: UInt8) -> UInt32? {
        if entries.needsChunk { add(CacheEntries.DetachedChunk(entries.memory)) }
        guard let entry = entries.allocate() else { return nil }
        unsafe entries.header(entry).initialize(to: CacheEntryHeader(hash: hash, cost: cost, expiry: expiry))
        unsafe entries.marks(entry).initialize(to: expiry == 0 ? 0 : CacheLayout.expires)
        if index.add(entry, hash: hash, count: count, entries) { publish() }
        queues.link(entry, in: place == CacheEntryHeader.Place.none ? queueFor(hash) : place, entries)
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
        index.remove(entry, entries)
        let place = unsafe entries.header(entry).pointee.place
        queues.unlink(entry, entries)
        return place
    }

    @usableFromInline
    mutating func removeExpired(_ entry: UInt32) {
        expirations += 1
        remove(entry)
    }

    /// Gives up an entry that was taken out and whose key and value were moved out.
    @usableFromInline
    mutating func free(_ entry: UInt32) { entries.free(entry) }

    // MARK: - Eviction

    /// Takes out the entry that is worth least; nil where there is none, or where its cost is greater than may be. At most 65 entries
    /// are looked at.
    ///
    /// - Parameter isRelease: True where memory is wanted back: then none is taken to remember the entry.
    @usableFromInline
    mutating func removeVictim(now: Int64, most: Int = .max, isRelease: Bool = false) -> UInt32? {
        var spared = 0
        while true {
            let (entry, isSmall) = queues.next(share: balance.share)
            guard entry != CacheEntryHeader.none else { return nil }
            let header = unsafe entries.header(entry)
            guard unsafe header.pointee.cost <= most else { return nil }
            if CacheTick.hasPassed(unsafe header.pointee.expiry, now: now) {
                removeExpired(entry)
                return entry
            }
            let marks = unsafe entries.marks(entry)
            guard unsafe marks.pointee & CacheLayout.isUsed != 0, spared < Self.mostSpared else {
                evictions += 1
                remember(unsafe header.pointee.hash, isSmall ? .small : .main, isRelease: isRelease)
                remove(entry)
                return entry
            }
            spared += 1
            queues.unlink(entry, entries)
            unsafe marks.pointee &= ~CacheLayout.isUsed
            queues.link(entry, in: CacheEntryHeader.Place.main, entries)
        }
    }

    private mutating func remember(_ hash: UInt32, _ origin: GhostTable.Origin, isRelease: Bool) {
        let isTooSmall = count * 2 > ghosts.capacity * 3
        let isTooLarge = count * 3 < ghosts.capacity && ghosts.capacity > 8
        if isTooLarge || isTooSmall && !isRelease { ghosts.resize(for: count) }
        ghosts.insert(hash, from: origin)
        if origin == .small, evictions % QueueBalance.batch == 0 {
            balance.drawBack(entries: count, shards: shardCount)
        }
    }

    // MARK: - Memory

    /// The memory that one entry more takes; nil where there is room. The shard is locked.
    @usableFromInline
    static func need(of shard: UnsafeMutablePointer<CacheShard>) -> CacheSupply.Need? {
        let isChunk = unsafe shard.pointee.entries.needsChunk
        let slotCount = unsafe shard.pointee.index.nextSlotCount(count: shard.pointee.count)
        guard isChunk || slotCount > 0 else { return nil }
        return unsafe CacheSupply.Need(
            memory: shard.pointee.entries.memory, layout: shard.pointee.entries.layout, isChunk: isChunk,
            slotCount: slotCount)
    }

    /// Gives the shard what it still needs. The shard is locked; the rest is given back when it is not any more.
    @usableFromInline
    static func install(_ supply: inout CacheSupply, in shard: UnsafeMutablePointer<CacheShard>) {
        if unsafe shard.pointee.entries.needsChunk, let chunk = supply.takeChunk() {
            unsafe shard.pointee.add(chunk)
        }
        if let slots = unsafe supply.takeSlots(of: shard.pointee.index.nextSlotCount(count: shard.pointee.count)) {
            unsafe shard.pointee.index.beginMove(to: slots)
            unsafe shard.pointee.publish()
        }
    }

    private mutating func add(_ chunk: CacheEntries.DetachedChunk) {
        if entries.add(chunk) { publish() }
    }

    /// Empties the last chunk into places that are free in others, and takes it out; nil where there are not enough of them.
    /// Release the returned values when no lock is held any more.
    ///
    /// - Parameter move: Moves key and value of an entry to the place of another.
    mutating func detachLastChunk(_ move: (UInt32, UInt32) -> Void) -> CacheEntries.DetachedChunk? {
        guard let first = entries.firstOfLastChunk, emptyPlaces >= Int(entries.highWater - first) else { return nil }
        let last = first..<entries.highWater
        // Those of the chunk itself are no places to move to.
        for entry in last where unsafe entries.header(entry).pointee.place == CacheEntryHeader.Place.none {
            entries.unfree(entry)
        }
        for entry in last where unsafe entries.header(entry).pointee.place != CacheEntryHeader.Place.none {
            let target = entries.firstFree
            entries.unfree(target)
            move(entry, target)
            replace(entry, with: target)
        }
        let (chunk, hasMoved) = entries.removeLastChunk(first)
        if hasMoved { publish() }
        return chunk
    }

    /// Puts another entry, which is nobody's, into the place of one in index and queue.
    private mutating func replace(_ entry: UInt32, with other: UInt32) {
        let header = unsafe entries.header(entry).pointee
        index.renumber(entry, to: other, hash: header.hash)
        unsafe entries.header(other).pointee = header
        unsafe entries.marks(other).pointee = entries.marks(entry).pointee
        queues.replace(header, with: other, entries)
    }

    /// Moves some of an index that is moving; false where it is not.
    mutating func moveIndexSome() -> Bool {
        guard index.isMoving else { return false }
        if index.moveSome(entries) { publish() }
        return true
    }

    /// Begins to make the index smaller, by moving it to that table. Where that is not right any more, the table is returned.
    mutating func shrinkIndex(to slots: CacheIndex.Slots) -> CacheIndex.Slots? {
        guard index.shrunkSlotCount(count: count) > 0, count * 4 < Int(slots.count) * 3 else { return slots }
        index.beginMove(to: slots)
        publish()
        return nil
    }

    /// Leaves the shard empty and gives all that was in it.
    mutating func detach() -> CacheShard {
        let old = self
        entries = CacheEntries(layout: old.entries.layout, memory: old.entries.memory)
        index = CacheIndex(old.entries.memory)
        queues = CacheQueues()
        ghosts = GhostTable(old.entries.memory)
        publish()
        return old
    }

    /// Tells the shard how many of them the cache uses.
    mutating func use(shards: Int) { shardCount = shards }

    /// Gives the index of a shard without entries the room for so many.
    mutating func expect(_ count: Int) {
        index.deallocate()
        index = CacheIndex(entries.memory, entries: count)
        publish()
    }

    // MARK: - Counts

    var hits: Int { (0..<stripeCount).reduce(0) { unsafe $0 &+ stripes[$1].hits } }
    var misses: Int { (0..<stripeCount).reduce(0) { unsafe $0 &+ stripes[$1].misses } }

    /// Counts a lookup as a miss that was counted as a hit, because its entry had expired.
    @usableFromInline
    func countExpiredHit() {
        unsafe stripes[0].hits &-= 1
        unsafe stripes[0].misses &+= 1
    }
}
