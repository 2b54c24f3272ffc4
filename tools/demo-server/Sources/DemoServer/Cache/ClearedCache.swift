internal import Dispatch
internal import MemoryPressure
internal import NIOConcurrencyHelpers
internal import NIOCore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// A least-recently-used cache without a limit that is emptied at each memory warning.
///
/// It is what the handler of a memory warning does on a phone, and what a server can do with the kernel's signals alone.
final class ClearedCache: ResponseCache {
    private struct State {
        var list = LRUList()
        /// Bytes of the values that the last release gave up, by key.
        var ghosts: [Int: Int] = [:]
        var ghostsEnd = ContinuousClock.now
        var releases = ReleaseTotals()
    }

    /// How long after a release a value that is made again counts as fetched again.
    private static let memory = Duration.seconds(10)

    /// glibc's `malloc_trim`, which Swift's module of it lacks; nil with another allocator.
    private static let trim = unsafe dlsym(nil, "malloc_trim").map {
        unsafe unsafeBitCast($0, to: (@convention(c) (Int) -> Int32).self)
    }

    private let state = NIOLockedValueBox(State())
    private let source: MemoryPressureSource

    /// Listens to the kernel from now on.
    init() {
        source = .makeMemoryPressureSource(
            eventMask: [.warning, .critical], queue: DispatchQueue(label: "demo.warnings"))
        source.setEventHandler { [weak self] in self?.clear() }
        source.activate()
    }

    func value(for key: Int) -> ByteBuffer? {
        state.withLockedValue { $0.list.use(key) }
    }

    func insert(_ value: ByteBuffer, for key: Int) {
        let replaced = state.withLockedValue { state in
            if let bytes = state.ghosts.removeValue(forKey: key), ContinuousClock.now < state.ghostsEnd {
                state.releases.refetchedBytes += bytes
            }
            return state.list.insert(value, for: key)
        }
        withExtendedLifetime(replaced) {}
    }

    var size: CacheSize {
        state.withLockedValue { $0.list.size }
    }

    var releases: ReleaseTotals {
        state.withLockedValue { $0.releases }
    }

    /// Gives up every value, and has the allocator give the memory back.
    private func clear() {
        let before = ProcessUsage.current().footprintBytes ?? 0
        var old: LRUList? = state.withLockedValue { state in
            defer { state.list = LRUList() }
            return state.list
        }
        let bytes = old?.size.bytes ?? 0
        let ghosts = old?.bytesByKey ?? [:]
        old = nil
        _ = Self.trim?(0)
        // What came back, not what was dropped: the heap keeps some of it.
        let returned = min(bytes, max(0, before - (ProcessUsage.current().footprintBytes ?? 0)))
        state.withLockedValue { state in
            state.ghosts = ghosts
            state.ghostsEnd = ContinuousClock.now.advanced(by: Self.memory)
            state.releases.releasedBytes += returned
        }
    }
}
