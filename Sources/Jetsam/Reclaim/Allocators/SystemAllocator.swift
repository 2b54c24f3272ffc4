#if os(Linux)
    internal import CLinuxShims
#endif

/// The allocator that serves the process, as it is found: glibc's, or a jemalloc that was preloaded or linked.
///
/// A jemalloc that is found is used as it was set by whoever brought it; `JetsamJemalloc` sets one up for a server. musl's
/// allocator, and any other, gives nothing back when asked.
package struct SystemAllocator: MemoryAllocator {
    private enum Kind: Sendable {
        case glibc
        case jemalloc
        /// Another, and why it is of no use.
        case other(name: String, reason: String)
    }

    private let kind: Kind

    /// Looks for it.
    package init() {
        #if os(Linux)
            if JemallocControl.isGoverning {
                kind = .jemalloc
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
                        name: "unknown", reason: "an allocator other than glibc's and jemalloc serves the process")
                #endif
            }
        #else
            kind = .other(name: "unknown", reason: "not available: not Linux")
        #endif
    }

    /// `glibc`, `jemalloc`, `musl`, or `unknown`.
    package var name: String {
        switch kind {
        case .glibc: "glibc"
        case .jemalloc: "jemalloc"
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

    /// True for jemalloc; a trim of glibc's heap can take 100 ms and holds up other threads.
    package var trimsAfterEveryStep: Bool {
        if case .jemalloc = kind { true } else { false }
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

    /// Calls `malloc_trim(0)`, or purges all arenas of jemalloc.
    package func trim() {
        #if os(Linux)
            switch kind {
            case .glibc: _ = jetsam_malloc_trim()
            case .jemalloc: JemallocControl.purge()
            case .other: break
            }
        #endif
    }

    /// jemalloc's count; nil for glibc, which does not count per thread.
    package func bytesFreedByThread() -> UInt64? {
        #if os(Linux)
            if case .jemalloc = kind { return JemallocControl.bytesFreedByThread }
        #endif
        return nil
    }
}
