import AllocationCounter
import JetsamTesting
import Testing

@testable import MemoryPressure

/// Readings are taken when memory is short, so they may not need any.
@Suite(.enabled(if: allocation_counter_works(), "jemalloc serves the process, and counts, but not under a sanitizer"))
struct AllocationTests {
    /// What `count` rounds of `body` allocate on this thread, in bytes, after one round to warm up.
    private func allocated(rounds count: Int, _ body: (MonotonicInstant) -> Void) -> UInt64 {
        var now = MonotonicInstant(nanoseconds: 1_000_000_000_000)
        body(now)
        let before = allocation_counter_thread_bytes()
        for _ in 0..<count {
            now = now.advanced(by: .milliseconds(10))
            body(now)
        }
        return allocation_counter_thread_bytes() - before
    }

    @Test(arguments: KernelTreeLayout.all)
    func `ten thousand readings allocate nothing`(layout: KernelTreeLayout) throws {
        let tree = try KernelTree(layout, limit: 1 << 29, ancestorLimits: [1 << 30])
        let reader = try KernelReader(root: tree.root)
        var sum = 0
        let bytes = allocated(rounds: 10000) { now in
            sum &+= reader.read(.cheap, at: now, includingStall: false).headroomBytes
            sum &+= reader.read(.full, at: now, includingStall: true).headroomBytes
            reader.refreshLimits()
            if reader.cgroupHasMoved() { sum &+= 1 }
        }
        #expect(bytes == 0)
    }

    @Test(arguments: [KernelTree.Damage.empty, .garbage])
    func `readings of files that fail allocate nothing either`(damage: KernelTree.Damage) throws {
        let tree = try KernelTree.v2(limit: 1 << 29, high: 1 << 28)
        let reader = try KernelReader(root: tree.root)
        for name in ["current", "max", "high", "stat", "events", "pressure"] {
            tree.damage("/sys/fs/cgroup/server/memory.\(name)", damage)
        }
        for name in ["meminfo", "self/statm", "self/status", "self/cgroup"] { tree.damage("/proc/\(name)", damage) }
        let bytes = allocated(rounds: 1000) { now in
            _ = reader.read(.cheap, at: now, includingStall: false)
            _ = reader.read(.full, at: now, includingStall: true)
            reader.refreshLimits()
            _ = reader.cgroupHasMoved()
        }
        #expect(bytes == 0)
        #expect(reader.sources.allSatisfy { !$0.isUsed })
    }

    @Test func `readings of this very process allocate nothing`() throws {
        let reader = try KernelReader()
        let bytes = allocated(rounds: 1000) { now in
            _ = reader.read(.full, at: now, includingStall: true)
            _ = reader.cgroupHasMoved()
        }
        #expect(bytes == 0)
    }
}
