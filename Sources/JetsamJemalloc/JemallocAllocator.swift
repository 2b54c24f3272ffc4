internal import CJemalloc
public import Jetsam

/// jemalloc as the process's allocator: linking this product makes it so, and this sets it up for a server, reads its
/// statistics and lets reclaim purge it.
///
/// ```swift
/// var environment = ResourceManager.Environment()
/// environment.allocator = JemallocAllocator()
/// let manager = try ResourceManager(logger: logger, environment: environment)
/// ```
///
/// It is trusted only where an allocation was seen to move its statistics. Under a sanitizer, or where another allocator was
/// linked first, jemalloc answers and governs nothing: then ``canTrim`` is false and ``limitation`` says why.
public struct JemallocAllocator: MemoryAllocator {
    /// How long freed memory stays with the process, and who gives it back.
    public struct Settings: Sendable, Equatable {
        /// How long freed pages are kept before they are given back, gradually; nil keeps them for ever, zero not at all.
        /// Default 5 s: half of jemalloc's own, as what a burst of requests has freed is either used again soon or not at all.
        public var dirtyDecay: Duration? = .seconds(5)
        /// How long pages are then kept that the kernel may take lazily (`MADV_FREE`). They count as used until it does, and so
        /// as pressure. Default zero, jemalloc's own.
        public var muzzyDecay: Duration? = .zero
        /// Indicates whether threads of jemalloc's own give pages back. Without them a process that has gone idle gives nothing
        /// back, however long it waits. Default true; jemalloc's own is false.
        public var usesBackgroundThread = true

        /// The documented defaults.
        public init() {}
    }

    /// Which arenas to purge.
    public enum Arenas: Sendable {
        /// All of them.
        case all
        /// Those that no thread allocates from any more, such as what a pool of threads left that has shrunk.
        case idle
    }

    /// The settings that are applied when a manager begins to run; nil leaves jemalloc as it was set by `MALLOC_CONF` or the
    /// program.
    public let settings: Settings?
    private let isTrusted: Bool

    /// jemalloc as it was linked.
    public init(settings: Settings? = Settings()) {
        self.settings = settings
        isTrusted = Self.isGoverning
    }

    /// Indicates whether jemalloc really serves this process: an allocation was seen to move its statistics.
    public static var isGoverning: Bool {
        // This strong reference is what makes the linker take jemalloc.
        unsafe mallctl("epoch", nil, nil, nil, 0) == 0 && JemallocControl.isGoverning
    }

    /// Indicates whether jemalloc served this process when this value was created.
    public var isGoverning: Bool { isTrusted }

    /// `jemalloc`.
    public var name: String { "jemalloc" }

    /// Why it is not trusted; nil where it is.
    public var limitation: String? {
        isTrusted
            ? nil : "an allocation did not move its statistics: another allocator, or a sanitizer, serves the process"
    }

    /// Indicates whether it is trusted.
    public var canTrim: Bool { isTrusted }

    /// True: a purge holds other threads up for 50 µs at most.
    public var trimsAfterEveryStep: Bool { true }

    /// Its statistics as of now, in about 10 µs; nil where it is not trusted.
    public var statistics: AllocatorStatistics? { isTrusted ? JemallocControl.statistics : nil }

    /// Sets what ``settings`` says, for all arenas that there are and those to come.
    public func prepare() {
        guard isTrusted, let settings else { return }
        JemallocControl.setDecay(
            dirtyMilliseconds: Self.milliseconds(settings.dirtyDecay),
            muzzyMilliseconds: Self.milliseconds(settings.muzzyDecay))
        JemallocControl.setBackgroundThread(settings.usesBackgroundThread)
    }

    /// Purges the dirty and muzzy pages of all arenas.
    public func trim() {
        purge(.all)
    }

    /// Gives back what was freed in some arenas: about 90 ms a GiB.
    public func purge(_ arenas: Arenas) {
        guard isTrusted else { return }
        switch arenas {
        case .all: JemallocControl.purge()
        case .idle: JemallocControl.purgeIdle()
        }
    }

    /// `thread.deallocated`: bytes that the calling thread has freed; nil where it is not trusted.
    public func bytesFreedByThread() -> UInt64? {
        isTrusted ? JemallocControl.bytesFreedByThread : nil
    }

    /// jemalloc takes whole milliseconds up to 2^63 ns, -1 for ever.
    private static func milliseconds(_ decay: Duration?) -> Int {
        guard let decay else { return -1 }
        let (seconds, attoseconds) = decay.components
        let most = Int64(9_000_000_000)
        return Int(max(0, min(seconds, most)) * 1000 + max(0, attoseconds) / 1_000_000_000_000_000)
    }
}
