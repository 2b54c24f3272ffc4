import Jetsam
import MemoryPressure

/// An allocator that keeps a part of what is freed until it is trimmed.
final class RetainingAllocator: MemoryAllocator, @unchecked Sendable {
    /// What part of what is freed it keeps, 0…1.
    let retainedShare: Double
    /// Whether it tells at once what it keeps, like jemalloc, or has to count, like glibc's.
    let isCheap: Bool
    private(set) var retainedBytes = 0
    private(set) var trims = 0
    private let world: World

    init(retainedShare: Double, isCheap: Bool, in world: World) {
        self.retainedShare = retainedShare
        self.isCheap = isCheap
        self.world = world
    }

    /// So much is allocated: from what was kept, as far as that reaches.
    func allocate(_ bytes: Int) {
        retainedBytes -= min(bytes, retainedBytes)
    }

    /// So much is freed.
    func free(_ bytes: Int) {
        retainedBytes += Int(Double(bytes) * retainedShare)
    }

    func drop() {
        retainedBytes = 0
    }

    var name: String { "simulated" }
    var canTrim: Bool { true }
    var trimsAfterEveryStep: Bool { isCheap }

    var statistics: AllocatorStatistics? {
        guard isCheap else { return nil }
        return AllocatorStatistics(allocatedBytes: 0, activeBytes: 0, residentBytes: retainedBytes)
    }

    func countFreeBytes() -> Int? { retainedBytes }

    /// A trim takes a millisecond, and another for each 16 MiB.
    func trim() {
        trims += 1
        world.conductor.sleep(1_000_000 + Int64(retainedBytes >> 24) * 1_000_000)
        retainedBytes = 0
        world.recount()
    }

    func bytesFreedByThread() -> UInt64? { nil }
}
