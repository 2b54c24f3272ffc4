/// Memory that a shard needs for one entry more: fetched while its lock is not held, and taken under it.
///
/// The first access to a huge page has the kernel clear two mebibytes, which takes 0.1 to 0.5 ms, and several where the machine is
/// itself a guest whose host has to find them.
@safe @usableFromInline
struct CacheSupply {
    /// The kinds of memory that are missing.
    @usableFromInline
    struct Need {
        let memory: CacheMemory
        let layout: CacheLayout
        /// A chunk of entries and their headers.
        let isChunk: Bool
        /// The number of slots of the next index; 0 where none is to begin.
        let slotCount: UInt32
    }

    /// Others may need the same at the same time, and take what was fetched for this one's entry.
    private static let mostTries = 4

    private var tries = 0
    private var memory: CacheMemory?
    fileprivate var chunk: CacheShard.DetachedChunk?
    fileprivate var slots: UnsafeMutablePointer<UInt32>?
    fileprivate var slotCount: UInt32 = 0

    @usableFromInline
    init() {}

    /// Indicates whether it is worth a try outside the lock.
    @usableFromInline var mayBeFetched: Bool { tries < Self.mostTries }

    /// Fetches what is needed and not there yet. Under no lock.
    @usableFromInline
    mutating func fetch(_ need: Need) {
        tries += 1
        memory = need.memory
        if need.isChunk, chunk == nil {
            unsafe chunk = CacheShard.DetachedChunk(
                chunk: need.memory.allocateChunk(), headers: need.memory.allocateHeaders())
            if let chunk = chunk {
                unsafe Self.touch(chunk.chunk, need.layout.chunkBytes)
                unsafe Self.touch(chunk.headers, need.layout.headerBytes)
            }
        }
        guard need.slotCount > 0, slotCount != need.slotCount else { return }
        giveBackSlots()
        unsafe slots = CacheShard.makeSlots(need.slotCount, need.memory)
        slotCount = need.slotCount
    }

    /// Has the kernel give the pages. What is in them is anything, before and after.
    private static func touch(_ block: UnsafeMutableRawPointer, _ bytes: Int) {
        for offset in stride(from: 0, to: bytes, by: 4096) {
            unsafe block.storeBytes(of: 0, toByteOffset: offset, as: UInt8.self)
        }
        unsafe block.storeBytes(of: 0, toByteOffset: bytes - 1, as: UInt8.self)
    }

    /// Gives back what nobody took. Under no lock.
    @usableFromInline
    mutating func giveBack() {
        guard let memory else { return }
        if let chunk = chunk {
            unsafe memory.deallocate(chunk: chunk.chunk)
            unsafe memory.deallocate(headers: chunk.headers)
        }
        chunk = nil
        giveBackSlots()
    }

    private mutating func giveBackSlots() {
        guard let memory, let slots = unsafe slots else { return }
        unsafe CacheShard.deallocate(slots, slotCount, memory)
        unsafe self.slots = nil
        slotCount = 0
    }
}

extension CacheShard {
    /// The memory that one entry more takes; nil where there is room. The shard is locked.
    @usableFromInline
    static func need(of shard: UnsafeMutablePointer<CacheShard>) -> CacheSupply.Need? {
        let isChunk = unsafe shard.pointee.needsChunk
        let slotCount = unsafe shard.pointee.nextSlotCount
        guard isChunk || slotCount > 0 else { return nil }
        return unsafe CacheSupply.Need(
            memory: shard.pointee.memory, layout: shard.pointee.layout, isChunk: isChunk, slotCount: slotCount)
    }

    /// Gives the shard what it still needs. The shard is locked; the rest is given back when it is not any more.
    @usableFromInline
    static func install(_ supply: inout CacheSupply, in shard: UnsafeMutablePointer<CacheShard>) {
        if let chunk = supply.chunk, unsafe shard.pointee.needsChunk {
            unsafe shard.pointee.add(chunk)
            supply.chunk = nil
        }
        if let slots = unsafe supply.slots, unsafe shard.pointee.nextSlotCount == supply.slotCount {
            unsafe shard.pointee.beginIndexMove(to: supply.slotCount, slots)
            unsafe supply.slots = nil
            supply.slotCount = 0
        }
    }

    /// Indicates whether the next entry is the first of a chunk that is not there.
    var needsChunk: Bool {
        firstFree == CacheEntryHeader.none && Int(highWater) == chunkCount << Int(layout.chunkShift)
            && highWater < 1 << 25 - 2
    }

    /// The number of slots of the index that begins with the next entry; 0 where none does.
    private var nextSlotCount: UInt32 {
        !isMovingIndex && (count + 1) * 4 > Int(slotCount) * 3 ? slotCount + slotCount / 2 : 0
    }
}
