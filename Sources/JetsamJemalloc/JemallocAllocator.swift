internal import CJemalloc
public import Jetsam

/// jemalloc as the process's allocator: linking this product makes it so, and this lets reclaim purge it.
///
/// ```swift
/// var environment = Environment()
/// environment.allocator = JemallocAllocator()
/// let manager = try ResourceManager(logger: logger, environment: environment)
/// ```
public struct JemallocAllocator: Allocator {
    /// jemalloc as it was linked.
    public init() {}

    /// `jemalloc`.
    public var name: String { "jemalloc" }

    /// True.
    public var canTrim: Bool { true }

    /// True: a purge holds other threads up for 50 µs at most.
    public var trimsAfterEveryStep: Bool { true }

    /// Purges the dirty and muzzy pages of all arenas (`arena.<all>.purge`).
    public func trim() {
        _ = unsafe mallctl("arena.\(Self.allArenas).purge", nil, nil, nil, 0)
    }

    /// `thread.deallocated`: bytes that the calling thread has freed.
    public func bytesFreedByThread() -> UInt64? {
        var bytes: UInt64 = 0
        var size = MemoryLayout<UInt64>.size
        let result = unsafe mallctl("thread.deallocated", &bytes, &size, nil, 0)
        return result == 0 ? bytes : nil
    }

    /// Whether jemalloc really serves this process: an allocation was seen to move its statistics. Under a sanitizer, or
    /// where another allocator was linked first, it answers and governs nothing.
    public var isGoverning: Bool {
        guard let before = allocatedByThread() else { return false }
        let probe = UnsafeMutableRawPointer.allocate(byteCount: 64 << 10, alignment: 16)
        unsafe probe.storeBytes(of: 1, as: UInt8.self)
        let after = allocatedByThread()
        unsafe probe.deallocate()
        return after.map { $0 > before } ?? false
    }

    private func allocatedByThread() -> UInt64? {
        var bytes: UInt64 = 0
        var size = MemoryLayout<UInt64>.size
        let result = unsafe mallctl("thread.allocated", &bytes, &size, nil, 0)
        return result == 0 ? bytes : nil
    }

    /// `MALLCTL_ARENAS_ALL` of jemalloc 5.
    private static let allArenas = 4096
}
