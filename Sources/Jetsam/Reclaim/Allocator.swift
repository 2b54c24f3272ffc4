internal import CLinuxShims

/// The allocator beneath the process, as far as reclaim can use it.
public protocol Allocator: Sendable {
    /// Its name in logs and in the manager's status, such as `glibc`.
    var name: String { get }
    /// Whether a trim can give anything back at all.
    var canTrim: Bool { get }
    /// Whether a trim is so cheap that it follows each step; otherwise the rule of ``ResourceManager/Configuration/Trim`` holds.
    var trimsAfterEveryStep: Bool { get }
    /// Gives back to the kernel what was freed into the allocator. Called on a reclaim thread.
    func trim()
    /// Bytes that the calling thread has freed since it began; nil where the allocator does not count them.
    func bytesFreedByThread() -> UInt64?
}

/// What the C library offers: glibc's `malloc_trim`; nothing on musl, or where another allocator serves the process.
public struct SystemAllocator: Allocator {
    /// The C library's allocator.
    public init() {}

    /// `glibc`, or `unknown` where there is no `malloc_trim`.
    public var name: String {
        #if os(Linux)
            jetsam_has_malloc_trim() ? "glibc" : "unknown"
        #else
            "unknown"
        #endif
    }

    /// Whether there is a `malloc_trim`.
    public var canTrim: Bool {
        #if os(Linux)
            jetsam_has_malloc_trim()
        #else
            false
        #endif
    }

    /// False: a trim of glibc's heap can take 100 ms and holds up other threads.
    public var trimsAfterEveryStep: Bool { false }

    /// Calls `malloc_trim(0)` where it exists.
    public func trim() {
        #if os(Linux)
            _ = jetsam_malloc_trim()
        #endif
    }

    /// Nil: glibc does not count per thread.
    public func bytesFreedByThread() -> UInt64? { nil }
}
