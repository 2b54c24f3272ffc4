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
    private var chunk: CacheEntries.DetachedChunk?
    private var slots: CacheIndex.Slots?

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
            let chunk = CacheEntries.DetachedChunk(need.memory)
            unsafe CacheMemory.touch(chunk.chunk, need.layout.chunkBytes)
            unsafe CacheMemory.touch(chunk.headers, need.layout.headerBytes)
            self.chunk = chunk
        }
        guard need.slotCount > 0, slots?.count != need.slotCount else { return }
        slots?.deallocate(need.memory)
        slots = CacheIndex.Slots(need.slotCount, need.memory)
    }

    /// The chunk that was fetched, which is the caller's from here on; nil where there is none.
    mutating func takeChunk() -> CacheEntries.DetachedChunk? {
        defer { chunk = nil }
        return chunk
    }

    /// The table of so many slots that was fetched, which is the caller's from here on; nil where there is none.
    mutating func takeSlots(of count: UInt32) -> CacheIndex.Slots? {
        guard slots?.count == count else { return nil }
        defer { slots = nil }
        return slots
    }

    /// Gives back what nobody took. Under no lock.
    @usableFromInline
    mutating func giveBack() {
        guard let memory else { return }
        chunk?.deallocate(memory)
        chunk = nil
        slots?.deallocate(memory)
        slots = nil
    }
}
