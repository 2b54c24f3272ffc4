internal import JetsamSystem

/// The source of the memory for a cache's entries and its index: the allocator while they are small, then huge pages.
///
/// A hit among millions goes to a slot and then to an entry that were not looked at for long. With ordinary pages the processor
/// has to look up the pages as well, in tables that are not in its caches any more either. A huge page goes back to the kernel
/// when nothing in it is used any more.
///
/// Its maker deallocates it: a class would have its references counted in the middle of every eviction.
@safe struct CacheMemory: @unchecked Sendable {
    /// So many bytes of chunks of one kind do without huge pages, so that the first of those is no large part of what the cache
    /// takes.
    private static let smallBytes = 2 << 20
    /// And so does an index of less: all shards together have one of about 2 MiB then.
    private static let smallTableBytes = 32 << 10

    /// Chunks of one kind.
    private struct Chunks {
        let bytes: Int
        var slabs: CacheSlabs
        /// The bytes of the chunks that are from the allocator.
        var allocatedBytes = 0

        init(_ bytes: Int, _ memory: SegmentMemory) {
            self.bytes = bytes
            slabs = CacheSlabs(blockBytes: bytes, memory: memory)
        }

        mutating func allocate() -> UInt? {
            let address = allocatedBytes < CacheMemory.smallBytes ? nil : slabs.allocate()
            if address == nil { allocatedBytes += bytes }
            return address
        }

        mutating func deallocate(_ address: UInt) -> Bool {
            let isFromHere = slabs.deallocate(address)
            if !isFromHere { allocatedBytes -= bytes }
            return isFromHere
        }
    }

    private struct State {
        let memory = SegmentMemory()
        var contents: Chunks
        var headers: Chunks
        /// The addresses of chunks and headers that were fetched for somebody who holds locks.
        var stock: (chunks: [UInt], headers: [UInt]) = ([], [])
        /// By the size of a table, of which all shards have the same, or the one before it.
        var tables: [Int: CacheSlabs] = [:]

        init(_ layout: CacheLayout) {
            contents = Chunks(layout.chunkBytes, memory)
            headers = Chunks(layout.headerBytes, memory)
        }

        mutating func allocateTable(_ bytes: Int) -> UInt? {
            tables[bytes, default: CacheSlabs(blockBytes: bytes, memory: memory)].allocate()
        }

        mutating func deallocateTable(_ address: UInt, _ bytes: Int) -> Bool {
            guard tables[bytes]?.deallocate(address) ?? false else { return false }
            if tables[bytes]?.count == 0 { tables[bytes] = nil }
            return true
        }
    }

    private let layout: CacheLayout
    private let state: UnsafeMutablePointer<Lock<State>>

    init(_ layout: CacheLayout) {
        self.layout = layout
        unsafe state = .allocate(capacity: 1)
        unsafe state.initialize(to: Lock(State(layout)))
    }

    /// All of it was given up by then.
    func deallocate() {
        unsafe state.deinitialize(count: 1)
        unsafe state.deallocate()
    }

    /// A chunk of marks, keys and values, with anything in it.
    func allocateChunk() -> UnsafeMutableRawPointer {
        let stocked = unsafe state.pointee.withLock { $0.stock.chunks.popLast() }
        return unsafe Self.pointer(stocked) ?? fetchChunk()
    }

    private func fetchChunk() -> UnsafeMutableRawPointer {
        let address = unsafe state.pointee.withLock { $0.contents.allocate() }
        return unsafe Self.pointer(address)
            ?? .allocate(byteCount: layout.chunkBytes, alignment: layout.alignment)
    }

    func deallocate(chunk: UnsafeMutableRawPointer) {
        let address = UInt(bitPattern: chunk)
        if unsafe !state.pointee.withLock({ $0.contents.deallocate(address) }) { unsafe chunk.deallocate() }
    }

    /// The headers of a chunk, with anything in them.
    func allocateHeaders() -> UnsafeMutableRawPointer {
        let stocked = unsafe state.pointee.withLock { $0.stock.headers.popLast() }
        return unsafe Self.pointer(stocked) ?? fetchHeaders()
    }

    private func fetchHeaders() -> UnsafeMutableRawPointer {
        let address = unsafe state.pointee.withLock { $0.headers.allocate() }
        return unsafe Self.pointer(address) ?? .allocate(byteCount: layout.headerBytes, alignment: 16)
    }

    func deallocate(headers: UnsafeMutableRawPointer) {
        let address = UInt(bitPattern: headers)
        if unsafe !state.pointee.withLock({ $0.headers.deallocate(address) }) { unsafe headers.deallocate() }
    }

    /// Fetches so many chunks and headers ahead: those who need them next may hold locks. Under no lock.
    func stockUp(_ count: Int) {
        for _ in 0..<count {
            let (chunk, headers) = unsafe (fetchChunk(), fetchHeaders())
            unsafe Self.touch(chunk, layout.chunkBytes)
            unsafe Self.touch(headers, layout.headerBytes)
            unsafe state.pointee.withLock {
                $0.stock.chunks.append(UInt(bitPattern: chunk))
                $0.stock.headers.append(UInt(bitPattern: headers))
            }
        }
    }

    /// Gives back what nobody took of what was fetched ahead. Under no lock.
    func clearStock() {
        let stock = unsafe state.pointee.withLock { state in
            defer { state.stock = ([], []) }
            return state.stock
        }
        for address in stock.chunks { unsafe Self.pointer(address).map { unsafe deallocate(chunk: $0) } }
        for address in stock.headers { unsafe Self.pointer(address).map { unsafe deallocate(headers: $0) } }
    }

    /// Has the kernel give the pages. What is in them is anything, before and after.
    static func touch(_ block: UnsafeMutableRawPointer, _ bytes: Int) {
        for offset in stride(from: 0, to: bytes, by: 4096) {
            unsafe block.storeBytes(of: 0, toByteOffset: offset, as: UInt8.self)
        }
        unsafe block.storeBytes(of: 0, toByteOffset: bytes - 1, as: UInt8.self)
    }

    /// A table of so many words, with anything in it.
    func allocateTable(_ words: Int) -> UnsafeMutablePointer<UInt32> {
        let bytes = Self.tableBytes(words)
        let address = bytes < Self.smallTableBytes ? nil : unsafe state.pointee.withLock { $0.allocateTable(bytes) }
        guard let table = unsafe Self.pointer(address) else { return .allocate(capacity: words) }
        return unsafe table.bindMemory(to: UInt32.self, capacity: words)
    }

    func deallocate(table: UnsafeMutablePointer<UInt32>, _ words: Int) {
        let bytes = Self.tableBytes(words)
        let address = UInt(bitPattern: table)
        let isFromHere = unsafe state.pointee.withLock { $0.deallocateTable(address, bytes) }
        if !isFromHere { unsafe table.deallocate() }
    }

    /// So many words of zeros. Where they are many, the kernel gives each page with the first access to it: their owner holds locks, and
    /// would wait for all of them at once otherwise. Nil where the kernel has no address space for them.
    func allocateZeros(_ words: Int) -> UnsafeMutablePointer<UInt32>? {
        let bytes = words * MemoryLayout<UInt32>.stride
        guard bytes >= Self.smallTableBytes else {
            let table = UnsafeMutablePointer<UInt32>.allocate(capacity: words)
            unsafe table.initialize(repeating: 0, count: words)
            return unsafe table
        }
        let memory = unsafe state.pointee.withLock { $0.memory }
        return unsafe memory.map(bytes)?.bindMemory(to: UInt32.self, capacity: words)
    }

    func deallocate(zeros: UnsafeMutablePointer<UInt32>, _ words: Int) {
        let bytes = words * MemoryLayout<UInt32>.stride
        guard bytes >= Self.smallTableBytes else { return unsafe zeros.deallocate() }
        let memory = unsafe state.pointee.withLock { $0.memory }
        unsafe memory.unmap(UnsafeMutableRawPointer(zeros), bytes)
    }

    /// In whole cache lines.
    private static func tableBytes(_ words: Int) -> Int { (words * MemoryLayout<UInt32>.stride + 63) & ~63 }

    private static func pointer(_ address: UInt?) -> UnsafeMutableRawPointer? {
        unsafe address.flatMap { unsafe UnsafeMutableRawPointer(bitPattern: $0) }
    }

    /// Huge pages that chunks and tables are in.
    var slabCount: Int {
        unsafe state.pointee.withLock { state in
            state.tables.values.reduce(state.contents.slabs.count + state.headers.slabs.count) { $0 + $1.count }
        }
    }
}
