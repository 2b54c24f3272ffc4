import Jetsam
import Synchronization

/// An allocator that counts what it is asked.
final class FakeAllocator: Allocator {
    private let count = Atomic<Int>(0)

    var trims: Int { count.load(ordering: .relaxed) }

    var name: String { "fake" }
    var canTrim: Bool { true }
    var trimsAfterEveryStep: Bool { false }
    func trim() { count.add(1, ordering: .relaxed) }
    func bytesFreedByThread() -> UInt64? { nil }
}
