/// The memory of a shard's entries: chunks, which of their places are free, and the header and the marks of each entry.
///
/// It is behind the shard's locks. It knows nothing of hash values and queues. Where a call changes what readers need to find an
/// entry, it returns true, and the shard tells the stripes.
@safe
struct CacheEntries {
    /// A chunk that is not, or not any more, part of a shard.
    @safe struct DetachedChunk {
        let chunk: UnsafeMutableRawPointer
        let headers: UnsafeMutableRawPointer

        /// A chunk with anything in it.
        init(_ memory: CacheMemory) {
            unsafe chunk = memory.allocateChunk()
            unsafe headers = memory.allocateHeaders()
        }

        fileprivate init(chunk: UnsafeMutableRawPointer, headers: UnsafeMutableRawPointer) {
            unsafe self.chunk = unsafe chunk
            unsafe self.headers = unsafe headers
        }

        func deallocate(_ memory: CacheMemory) {
            unsafe memory.deallocate(chunk: chunk)
            unsafe memory.deallocate(headers: headers)
        }
    }

    private static let fewestChunks = 2
    /// An index has 25 bits for an entry's number + 1, and one number of these is taken.
    private static let most: UInt32 = 1 << 25 - 2

    let layout: CacheLayout
    let memory: CacheMemory
    private(set) var chunks: UnsafeMutablePointer<UnsafeMutableRawPointer>
    /// Of as many entries each.
    private(set) var headers: UnsafeMutablePointer<UnsafeMutableRawPointer>
    private var chunkCapacity = fewestChunks
    private var chunkCount = 0
    /// Entries below are in use or in the list of free ones.
    private(set) var highWater: UInt32 = 0
    private(set) var firstFree = CacheEntryHeader.none

    init(layout: CacheLayout, memory: CacheMemory) {
        self.layout = layout
        self.memory = memory
        unsafe chunks = .allocate(capacity: chunkCapacity)
        unsafe headers = .allocate(capacity: chunkCapacity)
    }

    /// Gives the memory back; keys and values are gone by then.
    func deallocate() {
        for index in 0..<chunkCount {
            unsafe memory.deallocate(chunk: chunks[index])
            unsafe memory.deallocate(headers: headers[index])
        }
        unsafe chunks.deallocate()
        unsafe headers.deallocate()
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

    // MARK: - Chunks

    /// Indicates whether the next entry is the first of a chunk that is not there.
    var needsChunk: Bool {
        firstFree == CacheEntryHeader.none && Int(highWater) == chunkCount << Int(layout.chunkShift)
            && highWater < Self.most
    }

    /// Adds a chunk with anything in it; true where the stripes must be told.
    mutating func add(_ chunk: DetachedChunk) -> Bool {
        let isFull = chunkCount == chunkCapacity
        if isFull { resize(to: chunkCapacity * 2) }
        unsafe (headers + chunkCount).initialize(to: chunk.headers)
        unsafe (chunks + chunkCount).initialize(to: chunk.chunk)
        chunkCount += 1
        return isFull
    }

    /// The number of the first entry of the last chunk; nil where there is no chunk.
    var firstOfLastChunk: UInt32? { chunkCount > 0 ? UInt32(chunkCount - 1) << layout.chunkShift : nil }

    /// Takes out the last chunk, in which no entry is left; true where the stripes must be told.
    mutating func removeLastChunk(_ first: UInt32) -> (chunk: DetachedChunk, hasMoved: Bool) {
        highWater = first
        chunkCount -= 1
        let chunk = unsafe DetachedChunk(chunk: chunks[chunkCount], headers: headers[chunkCount])
        let isLarge = chunkCapacity > Self.fewestChunks && chunkCount < chunkCapacity / 4
        if isLarge { resize(to: chunkCapacity / 2) }
        return (chunk, isLarge)
    }

    private mutating func resize(to capacity: Int) {
        unsafe chunks = unsafe resized(chunks, to: capacity)
        unsafe headers = unsafe resized(headers, to: capacity)
        chunkCapacity = capacity
    }

    private func resized(
        _ pieces: UnsafeMutablePointer<UnsafeMutableRawPointer>, to capacity: Int
    ) -> UnsafeMutablePointer<UnsafeMutableRawPointer> {
        let other = UnsafeMutablePointer<UnsafeMutableRawPointer>.allocate(capacity: capacity)
        unsafe other.moveInitialize(from: pieces, count: chunkCount)
        unsafe pieces.deallocate()
        return unsafe other
    }

    // MARK: - Places

    /// An entry that is nobody's; nil where the shard can count no further. There is a chunk for it.
    mutating func allocate() -> UInt32? {
        if firstFree != CacheEntryHeader.none {
            let entry = firstFree
            unfree(entry)
            return entry
        }
        guard highWater < Self.most else { return nil }
        highWater += 1
        return highWater - 1
    }

    /// Gives up an entry that was taken out and whose key and value were moved out.
    mutating func free(_ entry: UInt32) {
        unsafe header(entry).pointee.previous = CacheEntryHeader.none
        unsafe header(entry).pointee.next = firstFree
        if firstFree != CacheEntryHeader.none { unsafe header(firstFree).pointee.previous = entry }
        firstFree = entry
    }

    /// Takes an entry out of the list of free ones.
    mutating func unfree(_ entry: UInt32) {
        let (previous, next) = unsafe (header(entry).pointee.previous, header(entry).pointee.next)
        if previous == CacheEntryHeader.none {
            firstFree = next
        } else {
            unsafe header(previous).pointee.next = next
        }
        if next != CacheEntryHeader.none { unsafe header(next).pointee.previous = previous }
    }
}
