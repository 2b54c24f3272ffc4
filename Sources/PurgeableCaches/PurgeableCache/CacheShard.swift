internal import CLinuxShims

/// One part of a cache, as far as it needs to know nothing of keys and values: index, entries and queues.
///
/// All of it is behind the shard's locks. Keys and values lie beside the marks; whoever knows their types
/// initialises them after ``place(hash:cost:expiry:in:)`` and moves them out before ``free(_:)``.
@safe @usableFromInline
struct CacheShard {
    /// A chunk that is not, or not any more, part of a shard.
    @safe struct DetachedChunk {
        let chunk: UnsafeMutableRawPointer
        let headers: UnsafeMutableRawPointer
    }

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

    static let fewestSlots: UInt32 = 16
    private static let fewestChunks = 2

    @usableFromInline let stripes: UnsafeMutablePointer<CacheStripe>
    let stripeCount: Int
    let layout: CacheLayout

    var slots: UnsafeMutablePointer<UInt32>
    var slotCount = fewestSlots
    /// The table that slots are moving out of, as long as they do, and how many of its slots have.
    var old: UnsafeMutablePointer<UInt32>?
    var oldCount: UInt32 = 0
    var moved = 0
    var chunks: UnsafeMutablePointer<UnsafeMutableRawPointer>
    /// Of as many entries each.
    var headers: UnsafeMutablePointer<UnsafeMutableRawPointer>
    var chunkCapacity = fewestChunks
    var chunkCount = 0
    /// Records below are in use or in the list of free ones.
    var highWater: UInt32 = 0
    var firstFree = CacheEntryHeader.none

    var small = Queue()
    var main = Queue()
    let balance: QueueBalance
    let memory: CacheMemory
    /// The number of shards that the cache uses.
    var shardCount: Int
    var ghosts = GhostTable()
    var evictions = 0
    var expirations = 0

    /// - Parameter isFirst: True where the stripes are to be initialised as well.
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
        if let old = unsafe old { unsafe Self.deallocate(old, oldCount, memory) }
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
            unsafe stripes[index].old = unsafe old
            unsafe stripes[index].oldCount = oldCount
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
            unfree(entry)
            return entry
        }
        guard highWater < 1 << 25 - 2 else { return nil }
        if Int(highWater) == chunkCount << Int(layout.chunkShift) { addChunk() }
        highWater += 1
        return highWater - 1
    }

    private mutating func addChunk() {
        unsafe add(DetachedChunk(chunk: memory.allocateChunk(), headers: memory.allocateHeaders()))
    }

    /// Adds a chunk with anything in it.
    mutating func add(_ chunk: DetachedChunk) {
        if chunkCount == chunkCapacity { resizeChunks(to: chunkCapacity * 2) }
        unsafe (headers + chunkCount).initialize(to: chunk.headers)
        unsafe (chunks + chunkCount).initialize(to: chunk.chunk)
        chunkCount += 1
    }

    private mutating func resizeChunks(to capacity: Int) {
        unsafe chunks = unsafe resized(chunks, to: capacity)
        unsafe headers = unsafe resized(headers, to: capacity)
        chunkCapacity = capacity
        publish()
    }

    private func resized(
        _ pieces: UnsafeMutablePointer<UnsafeMutableRawPointer>, to capacity: Int
    ) -> UnsafeMutablePointer<UnsafeMutableRawPointer> {
        let other = UnsafeMutablePointer<UnsafeMutableRawPointer>.allocate(capacity: capacity)
        unsafe other.moveInitialize(from: pieces, count: chunkCount)
        unsafe pieces.deallocate()
        return unsafe other
    }

    /// Gives up an entry that was taken out and whose key and value were moved out.
    @usableFromInline
    mutating func free(_ entry: UInt32) {
        unsafe header(entry).pointee.previous = CacheEntryHeader.none
        unsafe header(entry).pointee.next = firstFree
        if firstFree != CacheEntryHeader.none { unsafe header(firstFree).pointee.previous = entry }
        firstFree = entry
    }

    /// Takes an entry out of the list of free ones.
    private mutating func unfree(_ entry: UInt32) {
        let (previous, next) = unsafe (header(entry).pointee.previous, header(entry).pointee.next)
        if previous == CacheEntryHeader.none {
            firstFree = next
        } else {
            unsafe header(previous).pointee.next = next
        }
        if next != CacheEntryHeader.none { unsafe header(next).pointee.previous = previous }
    }

    /// Empties the last chunk into places that are free in others, and takes it out; nil where there are not enough of them.
    /// Release the returned values when no lock is held any more.
    ///
    /// - Parameter move: Moves key and value of an entry to the place of another.
    mutating func detachLastChunk(_ move: (UInt32, UInt32) -> Void) -> DetachedChunk? {
        guard chunkCount > 0 else { return nil }
        let first = UInt32(chunkCount - 1) << layout.chunkShift
        guard emptyPlaces >= Int(highWater - first) else { return nil }
        // Those of the chunk itself are no places to move to.
        for entry in first..<highWater where unsafe header(entry).pointee.place == CacheEntryHeader.Place.none {
            unfree(entry)
        }
        for entry in first..<highWater where unsafe header(entry).pointee.place != CacheEntryHeader.Place.none {
            let target = firstFree
            unfree(target)
            move(entry, target)
            replace(entry, with: target)
        }
        highWater = first
        chunkCount -= 1
        let taken = unsafe DetachedChunk(chunk: chunks[chunkCount], headers: headers[chunkCount])
        if chunkCapacity > Self.fewestChunks, chunkCount < chunkCapacity / 4 { resizeChunks(to: chunkCapacity / 2) }
        return taken
    }

    /// Puts another entry, which is nobody's, into the place of one in index and queue.
    private mutating func replace(_ entry: UInt32, with other: UInt32) {
        renumber(entry, to: other)
        let old = unsafe header(entry).pointee
        unsafe header(other).pointee = old
        unsafe marks(other).pointee = marks(entry).pointee
        if old.previous != CacheEntryHeader.none {
            unsafe header(old.previous).pointee.next = other
        } else if old.place == CacheEntryHeader.Place.small {
            small.head = other
        } else {
            main.head = other
        }
        if old.next != CacheEntryHeader.none {
            unsafe header(old.next).pointee.previous = other
        } else if old.place == CacheEntryHeader.Place.small {
            small.tail = other
        } else {
            main.tail = other
        }
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

    /// Counts a lookup as a miss that was counted as a hit, because its entry had expired.
    @usableFromInline
    func countExpiredHit() {
        unsafe stripes[0].hits &-= 1
        unsafe stripes[0].misses &+= 1
    }

    @usableFromInline
    mutating func removeExpired(_ entry: UInt32) {
        expirations += 1
        remove(entry)
    }
}
