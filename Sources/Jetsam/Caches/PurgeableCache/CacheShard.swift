internal import CLinuxShims

/// One part of a cache, as far as it needs to know nothing of keys and values: index, entries and queues.
///
/// All of it is behind the shard's locks. Keys and values lie beside the marks; whoever knows their types
/// initialises them after ``place(hash:cost:expiry:in:)`` and moves them out before ``free(_:)``.
@safe @usableFromInline
struct CacheShard {
    struct Queue {
        /// The newest.
        var head = CacheEntryHeader.none
        /// The oldest.
        var tail = CacheEntryHeader.none
        var count = 0
        var cost = 0
        /// Costs alone would let entries that cost nothing pass for none.
        var weight: Double { Double(cost) + Double(count) }
    }

    @usableFromInline let stripes: UnsafeMutablePointer<CacheStripe>
    let stripeCount: Int
    let layout: CacheLayout

    var slots: UnsafeMutablePointer<UInt32>
    var slotCount: UInt32 = 16
    var chunks: UnsafeMutablePointer<UnsafeMutableRawPointer>
    /// Of as many entries each.
    var headers: UnsafeMutablePointer<UnsafeMutableRawPointer>
    var chunkCapacity = 2
    var chunkCount = 0
    /// Records below are in use or in the list of free ones.
    var highWater: UInt32 = 0
    var firstFree = CacheEntryHeader.none

    var small = Queue()
    var main = Queue()
    let balance: QueueBalance
    let memory: CacheMemory
    /// How many shards the cache uses.
    var shardCount: Int
    var ghosts = GhostTable()
    var evictions = 0
    var expirations = 0

    /// - Parameter isFirst: Whether the stripes are to be initialised as well.
    init(
        stripes: UnsafeMutablePointer<CacheStripe>, stripeCount: Int, layout: CacheLayout,
        balance: QueueBalance, memory: CacheMemory, shardCount: Int, isFirst: Bool = true
    ) {
        self.balance = balance
        self.memory = memory
        self.shardCount = shardCount
        unsafe self.stripes = stripes
        self.stripeCount = stripeCount
        self.layout = layout
        unsafe slots = Self.makeSlots(slotCount, memory)
        unsafe chunks = .allocate(capacity: chunkCapacity)
        unsafe headers = .allocate(capacity: chunkCapacity)
        for index in 0..<stripeCount where isFirst {
            unsafe (stripes + index).initialize(to: CacheStripe(slots, chunks, headers))
        }
        publish()
    }

    /// Gives the memory back; keys and values are gone by then.
    mutating func deallocate() {
        for index in 0..<chunkCount {
            unsafe memory.deallocate(chunk: chunks[index])
            unsafe memory.deallocate(headers: headers[index])
        }
        unsafe chunks.deallocate()
        unsafe headers.deallocate()
        unsafe Self.deallocate(slots, slotCount, memory)
        ghosts.clear()
    }

    @usableFromInline var count: Int { small.count + main.count }
    @usableFromInline var cost: Int { small.cost + main.cost }
    /// Places of entries that are gone, kept for others.
    var emptyPlaces: Int { Int(highWater) - count }

    /// Tells the stripes where index and entries are.
    func publish() {
        for index in 0..<stripeCount {
            let (place, count) = unsafe CacheStripe.table(stripes + index)
            unsafe jetsam_publish_table(place, count, slots, slotCount)
            unsafe stripes[index].chunks = unsafe chunks
            unsafe stripes[index].headers = unsafe headers
        }
    }

    @inline(__always)
    func header(_ entry: UInt32) -> UnsafeMutablePointer<CacheEntryHeader> {
        unsafe headers[layout.chunk(entry)].assumingMemoryBound(to: CacheEntryHeader.self) + layout.index(entry)
    }

    /// The marks of an entry, which readers change at the same time as one another.
    @inline(__always)
    func marks(_ entry: UInt32) -> UnsafeMutablePointer<UInt8> {
        unsafe (chunks[layout.chunk(entry)] + layout.index(entry)).assumingMemoryBound(to: UInt8.self)
    }

    /// The same for those outside this module, who would copy the shard to call a method of it.
    @usableFromInline
    static func header(
        _ entry: UInt32, in shard: UnsafeMutablePointer<CacheShard>
    ) -> UnsafeMutablePointer<CacheEntryHeader> {
        unsafe shard.pointee.header(entry)
    }

    /// An entry that is nobody's; nil where the shard can count no further.
    mutating func allocate() -> UInt32? {
        if firstFree != CacheEntryHeader.none {
            let entry = firstFree
            firstFree = unsafe header(entry).pointee.next
            return entry
        }
        guard highWater < 1 << 25 - 2 else { return nil }
        if Int(highWater) == chunkCount << Int(layout.chunkShift) { addChunk() }
        highWater += 1
        return highWater - 1
    }

    private mutating func addChunk() {
        if chunkCount == chunkCapacity {
            unsafe chunks = unsafe doubled(chunks)
            unsafe headers = unsafe doubled(headers)
            chunkCapacity *= 2
            publish()
        }
        unsafe (headers + chunkCount).initialize(to: memory.allocateHeaders())
        unsafe (chunks + chunkCount).initialize(to: memory.allocateChunk())
        chunkCount += 1
    }

    private func doubled(
        _ pieces: UnsafeMutablePointer<UnsafeMutableRawPointer>
    ) -> UnsafeMutablePointer<UnsafeMutableRawPointer> {
        let larger = UnsafeMutablePointer<UnsafeMutableRawPointer>.allocate(capacity: chunkCapacity * 2)
        unsafe larger.moveInitialize(from: pieces, count: chunkCount)
        unsafe pieces.deallocate()
        return unsafe larger
    }

    /// Gives up an entry that was taken out and whose key and value were moved out.
    @usableFromInline
    mutating func free(_ entry: UInt32) {
        unsafe header(entry).pointee.next = firstFree
        firstFree = entry
    }

    /// Leaves the shard empty and gives all that was in it.
    mutating func detach() -> CacheShard {
        let old = self
        unsafe self = CacheShard(
            stripes: stripes, stripeCount: stripeCount, layout: layout, balance: balance,
            memory: memory, shardCount: shardCount, isFirst: false)
        evictions = old.evictions
        expirations = old.expirations
        return old
    }

    var hits: Int { (0..<stripeCount).reduce(0) { unsafe $0 &+ stripes[$1].hits } }
    var misses: Int { (0..<stripeCount).reduce(0) { unsafe $0 &+ stripes[$1].misses } }

    /// What a lookup counted as found had expired.
    @usableFromInline
    func countExpiredHit() {
        unsafe stripes[0].hits &-= 1
        unsafe stripes[0].misses &+= 1
    }

    @usableFromInline
    mutating func takeExpired(_ entry: UInt32) {
        expirations += 1
        take(entry)
    }
}
