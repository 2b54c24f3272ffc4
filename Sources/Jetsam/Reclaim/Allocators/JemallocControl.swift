internal import CLinuxShims

/// jemalloc's controls, whether it was linked or preloaded; every call answers nil or false where there is none.
///
/// Names of controls are jemalloc 5's; see `man jemalloc`.
package enum JemallocControl {
    /// Indicates whether a jemalloc is there. It may serve nobody: see ``isGoverning``.
    package static var isPresent: Bool {
        #if os(Linux)
            jetsam_has_mallctl()
        #else
            false
        #endif
    }

    /// Indicates whether jemalloc really serves this process: an allocation was seen to move its statistics. Under a sanitizer,
    /// or where another allocator was linked first, jemalloc answers but governs nothing.
    package static var isGoverning: Bool {
        guard isPresent, let before: UInt64 = value("thread.allocated") else { return false }
        let probe = UnsafeMutableRawPointer.allocate(byteCount: probeBytes, alignment: 16)
        unsafe probe.storeBytes(of: 1, as: UInt8.self)
        let after: UInt64? = value("thread.allocated")
        unsafe probe.deallocate()
        return after.map { $0 &- before >= UInt64(probeBytes) } ?? false
    }

    package static var statistics: AllocatorStatistics? {
        // The figures are of the last epoch; writing to it begins another.
        guard set("epoch", UInt64(1)), let allocated: Int = value("stats.allocated"),
            let active: Int = value("stats.active"), let resident: Int = value("stats.resident"),
            let metadata: Int = value("stats.metadata"), let reserved: Int = value("stats.retained")
        else { return nil }
        var statistics = AllocatorStatistics(
            allocatedBytes: allocated, activeBytes: active.addingSaturating(metadata), residentBytes: resident)
        statistics.reservedBytes = reserved
        return statistics
    }

    package static var bytesFreedByThread: UInt64? { value("thread.deallocated") }

    /// Gives back the dirty and muzzy pages of all arenas.
    package static func purge() {
        call("arena.\(allArenas).purge")
    }

    /// The same for those arenas alone that no thread allocates from.
    package static func purgeIdle() {
        forEachArena { arena in
            let threads: UInt32? = value("stats.arenas.\(arena).nthreads")
            if threads == 0 { call("arena.\(arena).purge") }
        }
    }

    /// Sets the time that freed pages are kept, in milliseconds, for the arenas that there are and those to come. -1 keeps them
    /// for ever, 0 not at all.
    package static func setDecay(dirtyMilliseconds dirty: Int, muzzyMilliseconds muzzy: Int) {
        set("arenas.dirty_decay_ms", dirty)
        set("arenas.muzzy_decay_ms", muzzy)
        forEachArena { arena in
            set("arena.\(arena).dirty_decay_ms", dirty)
            set("arena.\(arena).muzzy_decay_ms", muzzy)
        }
    }

    /// Sets whether jemalloc's own threads give pages back. Without them nothing is given back while nothing is allocated.
    @discardableResult
    package static func setBackgroundThread(_ isOn: Bool) -> Bool {
        set("background_thread", isOn)
    }

    /// The settings in force now; for tests and the status.
    package static var settings: (dirtyMilliseconds: Int, muzzyMilliseconds: Int, backgroundThread: Bool)? {
        guard let dirty: Int = value("arenas.dirty_decay_ms"), let muzzy: Int = value("arenas.muzzy_decay_ms"),
            let isOn: Bool = value("background_thread")
        else { return nil }
        return (dirty, muzzy, isOn)
    }

    /// `MALLCTL_ARENAS_ALL`.
    private static let allArenas = 4096
    private static let probeBytes = 64 << 10

    /// An arena that was never used has nothing to set or to purge: what is asked of it fails.
    private static func forEachArena(_ body: (UInt32) -> Void) {
        guard let count: UInt32 = value("arenas.narenas") else { return }
        for arena in 0..<count where value("arena.\(arena).initialized") == true { body(arena) }
    }

    private static func value<Value: BitwiseCopyable>(_ name: String) -> Value? {
        unsafe withUnsafeTemporaryAllocation(of: Value.self, capacity: 1) { place in
            guard let base = place.baseAddress else { return nil }
            var size = MemoryLayout<Value>.size
            let result = unsafe control(name, base, &size, nil, 0)
            return unsafe result == 0 && size == MemoryLayout<Value>.size ? base.pointee : nil
        }
    }

    @discardableResult
    private static func set<Value: BitwiseCopyable>(_ name: String, _ value: Value) -> Bool {
        var value = value
        return unsafe control(name, nil, nil, &value, MemoryLayout<Value>.size) == 0
    }

    private static func call(_ name: String) {
        _ = unsafe control(name, nil, nil, nil, 0)
    }

    private static func control(
        _ name: String, _ old: UnsafeMutableRawPointer?, _ oldBytes: UnsafeMutablePointer<Int>?,
        _ new: UnsafeMutableRawPointer?, _ newBytes: Int
    ) -> Int32 {
        #if os(Linux)
            unsafe jetsam_mallctl(name, old, oldBytes, new, newBytes)
        #else
            -1
        #endif
    }
}
