#if os(Linux)
    internal import CLinuxShims
#endif

/// The allocator that serves the process, as it is found: glibc's, or a jemalloc or mimalloc that was preloaded or linked.
///
/// A jemalloc or mimalloc that is found is used as it was set by whoever brought it; `JetsamJemalloc` sets up jemalloc for a server.
/// musl's allocator, and any other, gives nothing back when asked.
package struct SystemAllocator: MemoryAllocator {
    private enum Kind: Sendable {
        case glibc
        case jemalloc
        case mimalloc
        /// Another, and why it is of no use.
        case other(name: String, reason: String)
    }

    private let kind: Kind

    /// Looks for it.
    package init() {
        #if os(Linux)
            if JemallocControl.isGoverning {
                kind = .jemalloc
            } else if jetsam_mimalloc_serves() {
                kind = .mimalloc
            } else if jetsam_glibc_malloc_serves() {
                kind = .glibc
            } else if JemallocControl.isPresent {
                kind = .other(
                    name: "unknown",
                    reason:
                        "jemalloc answers, but an allocation did not move its statistics: another serves the process")
            } else {
                #if canImport(Musl)
                    kind = .other(name: "musl", reason: "musl's allocator has no call that gives freed memory back")
                #else
                    kind = .other(
                        name: "unknown",
                        reason: "an allocator other than glibc's, jemalloc and mimalloc serves the process")
                #endif
            }
        #else
            kind = .other(name: "unknown", reason: "not available: not Linux")
        #endif
    }

    /// `glibc`, `jemalloc`, `mimalloc`, `musl`, or `unknown`.
    package var name: String {
        switch kind {
        case .glibc: "glibc"
        case .jemalloc: "jemalloc"
        case .mimalloc: "mimalloc"
        case .other(let name, _): name
        }
    }

    /// The reason why nothing can be trimmed; nil where it can.
    package var limitation: String? {
        if case .other(_, let reason) = kind { reason } else { nil }
    }

    /// Indicates whether there is a trim that governs what the process allocates.
    package var canTrim: Bool {
        if case .other = kind { false } else { true }
    }

    /// True for jemalloc and mimalloc; a trim of glibc's heap can take 100 ms and holds up other threads.
    package var trimsAfterEveryStep: Bool {
        switch kind {
        case .jemalloc, .mimalloc: true
        case .glibc, .other: false
        }
    }

    /// jemalloc's; nil for others.
    package var statistics: AllocatorStatistics? {
        #if os(Linux)
            if case .jemalloc = kind { return JemallocControl.statistics }
        #endif
        return nil
    }

    /// glibc's free chunks (`mallinfo2`): up to 36 ms on a heap that is in pieces.
    package func countFreeBytes() -> Int? {
        #if os(Linux)
            if case .glibc = kind {
                let bytes = jetsam_malloc_free_bytes()
                return bytes < 0 ? nil : Int(bytes)
            }
        #endif
        return nil
    }

    /// Calls `malloc_trim(0)`, purges all arenas of jemalloc, or calls `mi_collect(true)`, which brings nothing of what this thread
    /// has freed for one that sleeps.
    package func trim() {
        #if os(Linux)
            switch kind {
            case .glibc: _ = jetsam_malloc_trim()
            case .jemalloc: JemallocControl.purge()
            case .mimalloc: jetsam_mi_collect()
            case .other: break
            }
        #endif
    }

    /// jemalloc's count; nil for the others, which do not count per thread.
    package func bytesFreedByThread() -> UInt64? {
        #if os(Linux)
            if case .jemalloc = kind { return JemallocControl.bytesFreedByThread }
        #endif
        return nil
    }
}
