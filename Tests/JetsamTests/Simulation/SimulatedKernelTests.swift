import JetsamTesting
import MemoryPressure
import Testing

@testable import Jetsam
@testable import JetsamSimulation

struct SimulatedKernelTests {
    private func read(_ reader: KernelReader, at seconds: Double) -> MemoryReading {
        reader.read(.full, at: .seconds(seconds), includingStall: true)
    }

    @Test("A reader finds in made-up files what the made-up kernel says, anew at each reading")
    func reading() throws {
        let tree = try KernelTree.v2(limit: 1 << 30)
        defer { tree.remove() }
        let cgroup = SimulatedCgroup(limitBytes: 512 * mebibyte)
        cgroup.serverBytes = 100 * mebibyte
        cgroup.neighbourBytes = 50 * mebibyte
        let files = SimulatedKernelFiles(in: cgroup, tree: tree) { cgroup.serverBytes }
        let reader = try KernelReader(root: files.root)
        var reading = read(reader, at: 1)
        #expect(reading.limitBytes == 512 * mebibyte && reading.isLimited)
        #expect(reading.unreclaimableBytes == 150 * mebibyte && reading.footprintBytes == 100 * mebibyte)
        #expect(reading.headroomBytes == 362 * mebibyte && reading.usageBytes == cgroup.usageBytes)
        #expect(reading.events == MemoryEventCounters() && reading.stallSomeMicroseconds == 0)
        cgroup.serverBytes = 300 * mebibyte
        cgroup.limitBytes = 400 * mebibyte
        cgroup.noteKill()
        reading = read(reader, at: 2)
        #expect(reading.limitBytes == 400 * mebibyte && reading.headroomBytes == 50 * mebibyte)
        #expect(reading.events?.oomKill == 1)
    }

    @Test("Files that are needed all the time and have no room make somebody wait, others only touch the limit")
    func pageCache() {
        let cgroup = SimulatedCgroup(limitBytes: 100 * mebibyte)
        cgroup.serverBytes = 60 * mebibyte
        cgroup.move(by: 1_000_000_000)
        #expect(cgroup.limitTouches == 0 && cgroup.pageCacheBytes == 5 * mebibyte)
        cgroup.coldFileBytes = 200 * mebibyte
        cgroup.move(by: 1_000_000_000)
        #expect(cgroup.limitTouches > 0 && cgroup.stalledMicroseconds == 0)
        #expect(cgroup.usageBytes == 100 * mebibyte && cgroup.headroomBytes == 40 * mebibyte)
        cgroup.hotFileBytes = 80 * mebibyte
        cgroup.move(by: 1_000_000_000)
        #expect(cgroup.isThrashing && cgroup.stalledMicroseconds == 500_000 && cgroup.refaultedPages > 0)
        #expect(!cgroup.isOverLimit)
        cgroup.serverBytes = 101 * mebibyte
        #expect(cgroup.isOverLimit)
    }

    @Test("A memory.high leaves files less room than the hard limit, and is touched in its place")
    func pageCacheUnderHigh() {
        let cgroup = SimulatedCgroup(limitBytes: 200 * mebibyte)
        cgroup.highBytes = 100 * mebibyte
        cgroup.serverBytes = 60 * mebibyte
        cgroup.hotFileBytes = 75 * mebibyte
        cgroup.move(by: 1_000_000_000)
        #expect(cgroup.highTouches > 0 && cgroup.limitTouches == 0)
        #expect(cgroup.isThrashing && cgroup.pageCacheBytes == 40 * mebibyte && cgroup.stalledMicroseconds > 0)
        cgroup.highBytes = nil
        #expect(!cgroup.isThrashing && cgroup.pageCacheBytes == 85 * mebibyte)
    }
}
