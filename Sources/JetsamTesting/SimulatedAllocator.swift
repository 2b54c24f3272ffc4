public import Jetsam
internal import MemoryPressure

/// An allocator that retains as much as a test says, to see how reclaim answers; it has nothing to do with the process's own.
public final class SimulatedAllocator: MemoryAllocator {
    private struct State {
        var retainedBytes = 0
        var residueBytes = 0
        var trims = 0
        var counts = 0
        var onTrim: (@Sendable (Int) -> Void)?
    }

    private let state = Lock(State())
    /// Indicates whether it behaves like jemalloc or like glibc's allocator. jemalloc tells at once what it retains and is
    /// trimmed after every step; glibc's has to count.
    public let isCheap: Bool

    /// One that retains nothing.
    public init(isCheap: Bool = false) {
        self.isCheap = isCheap
    }

    /// Bytes that were freed and that the next trim gives back.
    public var retainedBytes: Int {
        get { state.withLock { $0.retainedBytes } }
        set { state.withLock { $0.retainedBytes = max(0, newValue) } }
    }

    /// Bytes that count as free and that no trim gives back, such as free chunks of pages that are in use.
    public var residueBytes: Int {
        get { state.withLock { $0.residueBytes } }
        set { state.withLock { $0.residueBytes = max(0, newValue) } }
    }

    /// The number of times that it was trimmed.
    public var trims: Int { state.withLock { $0.trims } }

    /// The number of times that its free bytes were counted one by one.
    public var counts: Int { state.withLock { $0.counts } }

    /// Calls `body` in each trim with the bytes that it gives back: the place to make the made-up files fall by as much.
    public func onTrim(_ body: @escaping @Sendable (_ bytes: Int) -> Void) {
        state.withLock { $0.onTrim = body }
    }

    /// `simulated`.
    public var name: String { "simulated" }

    /// True.
    public var canTrim: Bool { true }

    /// As it was made.
    public var trimsAfterEveryStep: Bool { isCheap }

    /// The bytes that it retains, where it is cheap to tell.
    public var statistics: AllocatorStatistics? {
        guard isCheap else { return nil }
        let free = state.withLock { $0.retainedBytes + $0.residueBytes }
        return AllocatorStatistics(allocatedBytes: 0, activeBytes: 0, residentBytes: free)
    }

    /// Returns the bytes that it retains, and those that no trim brings.
    public func countFreeBytes() -> Int? {
        state.withLock { state in
            state.counts += 1
            return state.retainedBytes + state.residueBytes
        }
    }

    /// Gives back what it retains.
    public func trim() {
        let (bytes, onTrim) = state.withLock { state in
            state.trims += 1
            defer { state.retainedBytes = 0 }
            return (state.retainedBytes, state.onTrim)
        }
        onTrim?(bytes)
    }

    /// Nil: it does not count by thread.
    public func bytesFreedByThread() -> UInt64? { nil }
}
