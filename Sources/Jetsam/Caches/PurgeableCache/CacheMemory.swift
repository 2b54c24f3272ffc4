internal import MemoryPressure

/// Where a cache's entries and its index have their memory from: while they are small from the allocator, then from huge pages.
///
/// A hit among millions goes to a slot and then to an entry that were not looked at for long. With ordinary pages the processor has
/// to look up the pages as well, in tables that are in none of its caches any more either. A huge page goes back to the kernel when
/// nothing in it is used any more.
///
/// Whoever makes one deallocates it: a class would have its references counted in the middle of every eviction.
@safe struct CacheMemory: @unchecked Sendable {
    /// So many bytes of entries do without huge pages, so that the first of those is no large part of what the cache takes.
    static let smallBytes = 4 << 20
    /// And so does an index of less: all shards together have one of about 2 MiB then.
    private static let smallTableBytes = 32 << 10

    private struct State {
        let memory = SegmentMemory()
        var chunks: CacheSlabs
        /// What chunks take that are from the allocator.
        var allocatedBytes = 0
        /// By the size of a table, of which all shards have the same, or the one before it.
        var tables: [Int: CacheSlabs] = [:]

        init(chunkBytes: Int) {
            chunks = CacheSlabs(blockBytes: chunkBytes, memory: memory)
        }

        mutating func takeTable(_ bytes: Int) -> UInt? {
            tables[bytes, default: CacheSlabs(blockBytes: bytes, memory: memory)].take()
        }

        mutating func giveTable(_ address: UInt, _ bytes: Int) -> Bool {
            guard tables[bytes]?.give(address) ?? false else { return false }
            if tables[bytes]?.count == 0 { tables[bytes] = nil }
            return true
        }
    }

    private let layout: CacheLayout
    private let state: UnsafeMutablePointer<Lock<State>>

    init(_ layout: CacheLayout) {
        self.layout = layout
        unsafe state = .allocate(capacity: 1)
        unsafe state.initialize(to: Lock(State(chunkBytes: layout.chunkBytes)))
    }

    /// All of it was given up by then.
    func deallocate() {
        unsafe state.deinitialize(count: 1)
        unsafe state.deallocate()
    }

    /// A chunk of entries, with anything in it.
    func allocateChunk() -> UnsafeMutableRawPointer {
        let address = unsafe state.pointee.withLock { state in
            let address = state.allocatedBytes < Self.smallBytes ? nil : state.chunks.take()
            if address == nil { state.allocatedBytes += layout.chunkBytes }
            return address
        }
        return unsafe Self.pointer(address) ?? .allocate(byteCount: layout.chunkBytes, alignment: layout.alignment)
    }

    func deallocate(chunk: UnsafeMutableRawPointer) {
        let address = UInt(bitPattern: chunk)
        let isGiven = unsafe state.pointee.withLock { state in
            let isGiven = state.chunks.give(address)
            if !isGiven { state.allocatedBytes -= layout.chunkBytes }
            return isGiven
        }
        if !isGiven { unsafe chunk.deallocate() }
    }

    /// A table of so many words, with anything in it.
    func allocateTable(_ words: Int) -> UnsafeMutablePointer<UInt32> {
        let bytes = Self.tableBytes(words)
        let address = bytes < Self.smallTableBytes ? nil : unsafe state.pointee.withLock { $0.takeTable(bytes) }
        guard let table = unsafe Self.pointer(address) else { return .allocate(capacity: words) }
        return unsafe table.bindMemory(to: UInt32.self, capacity: words)
    }

    func deallocate(table: UnsafeMutablePointer<UInt32>, _ words: Int) {
        let bytes = Self.tableBytes(words)
        let address = UInt(bitPattern: table)
        let isGiven = unsafe state.pointee.withLock { $0.giveTable(address, bytes) }
        if !isGiven { unsafe table.deallocate() }
    }

    /// In whole cache lines.
    private static func tableBytes(_ words: Int) -> Int { (words * MemoryLayout<UInt32>.stride + 63) & ~63 }

    private static func pointer(_ address: UInt?) -> UnsafeMutableRawPointer? {
        unsafe address.flatMap { unsafe UnsafeMutableRawPointer(bitPattern: $0) }
    }

    /// Huge pages that chunks and tables are in.
    var slabCount: Int {
        unsafe state.pointee.withLock { state in
            state.tables.values.reduce(state.chunks.count) { $0 + $1.count }
        }
    }
}
