internal import JetsamSystem

/// Huge pages, divided into blocks of one size, and which of these are in use.
struct CacheSlabs {
    /// The size of a huge page where ordinary ones have 4 KiB. Where it is another, or huge pages are not allowed, these are
    /// ordinary pages, and nothing else is different.
    private static let hugePageBytes = 2 << 20
    /// A slab has room for so many blocks at least, so that little is left over.
    private static let leastBlocks = 8

    private struct Slab {
        /// Blocks that are in use, and those that ever were.
        var used = 0
        var begun = 0
        /// The address of the first of those that are in use no more, and 0 for none; each holds the address of the next.
        var free: UInt = 0
    }

    private let blockBytes: Int
    private let slabBytes: Int
    private let memory: SegmentMemory
    private var slabs: [UInt: Slab] = [:]
    /// The addresses of those in which a block is free.
    private var open: [UInt] = []

    /// - Parameter blockBytes: A multiple of 8.
    init(blockBytes: Int, memory: SegmentMemory) {
        var slabBytes = Self.hugePageBytes
        while slabBytes < Self.leastBlocks * blockBytes { slabBytes *= 2 }
        self.blockBytes = blockBytes
        self.slabBytes = slabBytes
        self.memory = memory
    }

    var count: Int { slabs.count }
    private var capacity: Int { slabBytes / blockBytes }

    /// The address of a block with anything in it; nil where there is no memory for one.
    mutating func allocate() -> UInt? {
        if open.isEmpty, !addSlab() { return nil }
        guard let base = open.last, var slab = slabs[base] else { return nil }
        var block = slab.free
        if block == 0 {
            block = base + UInt(slab.begun * blockBytes)
            slab.begun += 1
        } else {
            slab.free = unsafe Self.link(block).pointee
        }
        slab.used += 1
        if slab.used == capacity { open.removeLast() }
        slabs[base] = slab
        return block
    }

    /// Takes a block back, and gives its slab back to the kernel with the last one; false where the block is not from here.
    mutating func deallocate(_ block: UInt) -> Bool {
        let base = block & ~UInt(slabBytes - 1)
        guard var slab = slabs[base] else { return false }
        if slab.used == capacity { open.append(base) }
        slab.used -= 1
        if slab.used == 0 {
            slabs[base] = nil
            open.removeAll { $0 == base }
            unsafe memory.unmap(Self.pointer(base), slabBytes)
        } else {
            unsafe Self.link(block).pointee = slab.free
            slab.free = block
            slabs[base] = slab
        }
        return true
    }

    private mutating func addSlab() -> Bool {
        guard let address = unsafe memory.map(slabBytes, alignment: slabBytes) else { return false }
        _ = unsafe memory.setHugePages(true, address, slabBytes)
        slabs[UInt(bitPattern: address)] = Slab()
        open.append(UInt(bitPattern: address))
        return true
    }

    private static func pointer(_ address: UInt) -> UnsafeMutableRawPointer {
        unsafe UnsafeMutableRawPointer(bitPattern: address).unsafelyUnwrapped
    }

    private static func link(_ block: UInt) -> UnsafeMutablePointer<UInt> {
        unsafe pointer(block).assumingMemoryBound(to: UInt.self)
    }
}
