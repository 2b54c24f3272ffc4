/// The allocator beneath the process, as far as reclaim can use it.
public protocol MemoryAllocator: Sendable {
    /// Its name in logs and in the manager's status, such as `glibc`.
    var name: String { get }
    /// The reason why it cannot give memory back, or may not be trusted to; nil where it can. A sentence for logs and the status.
    var limitation: String? { get }
    /// Indicates whether a trim can give anything back at all.
    var canTrim: Bool { get }
    /// Indicates whether a trim is so cheap that it follows each step; otherwise the rule of ``ManagerConfiguration/Trim`` holds.
    var trimsAfterEveryStep: Bool { get }
    /// The memory that it holds, where it can tell within microseconds; nil where it cannot. Called on reclaim threads.
    var statistics: AllocatorStatistics? { get }
    /// Counts the bytes that are free in it and may be resident, where that takes longer than reading ``statistics``; nil where
    /// it cannot. Called on a reclaim thread, at most once before the first step of an episode.
    func countFreeBytes() -> Int?
    /// A manager begins to run: the time for settings of the whole process. May be called more than once.
    func prepare()
    /// Gives back to the kernel what was freed into the allocator. Called on a reclaim thread.
    func trim()
    /// Bytes that the calling thread has freed since it began; nil where the allocator does not count them.
    func bytesFreedByThread() -> UInt64?
}

extension MemoryAllocator {
    /// Nothing to say where it can trim.
    public var limitation: String? { canTrim ? nil : "it cannot give freed memory back" }

    /// Nil: it cannot tell.
    public var statistics: AllocatorStatistics? { nil }

    /// Nil: it cannot count.
    public func countFreeBytes() -> Int? { nil }

    /// Sets nothing.
    public func prepare() {}
}
