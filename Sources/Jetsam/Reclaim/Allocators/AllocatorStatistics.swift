/// The memory that an allocator holds at one instant, in bytes.
///
/// The figures are jemalloc's, of its `stats.*`; they are read one after another and need not fit each other to the byte.
public struct AllocatorStatistics: Sendable, Equatable {
    /// The bytes that the application has allocated and not freed.
    public var allocatedBytes: Int
    /// Pages that no trim brings back: those that hold at least one allocation, with what is lost in them to fragmentation, and those
    /// that the allocator needs for itself. jemalloc calls them `active` and `metadata`.
    public var activeBytes: Int
    /// Pages that may be resident: active ones, and those that were freed and not given back yet.
    public var residentBytes: Int
    /// Address space that was given back and is kept for later; it takes no memory. jemalloc calls it `retained`.
    package var reservedBytes = 0

    /// The figures as they were read.
    public init(allocatedBytes: Int, activeBytes: Int, residentBytes: Int) {
        self.allocatedBytes = allocatedBytes
        self.activeBytes = activeBytes
        self.residentBytes = residentBytes
    }

    /// Bytes that were freed and are still resident: what a trim can bring.
    package var retainedBytes: Int {
        max(0, residentBytes - activeBytes)
    }
}

/// The allocator beneath a manager: which it is, and what it holds.
public struct AllocatorStatus: Sendable, Equatable, CustomStringConvertible {
    /// Its name, such as `jemalloc`.
    public var name: String
    /// Indicates whether it can give freed memory back.
    package var canTrim: Bool
    /// The reason why it cannot, or why it is not trusted to; nil where it can.
    public var limitation: String?
    /// The memory that it holds; nil where it cannot tell cheaply.
    public var statistics: AllocatorStatistics?
    /// Bytes that were freed and that a trim is expected to bring, as reclaim knows: counted where the allocator tells, else
    /// what caches have given since the last trim. Caches are not asked for these.
    public var retainedBytes: Int

    init(_ allocator: any MemoryAllocator, statistics: AllocatorStatistics?, retainedBytes: Int) {
        name = allocator.name
        canTrim = allocator.canTrim
        limitation = allocator.limitation
        self.statistics = statistics
        self.retainedBytes = retainedBytes
    }

    /// One line, such as `jemalloc: used` or `unknown: not used, …`.
    public var description: String {
        limitation.map { "\(name): not used, \($0)" } ?? "\(name): used"
    }
}
