import CTestProcesses
import Testing

@testable import MemoryPressure

private let mebibyte = 1 << 20
/// What 64 MiB are counted as: the kernel's statistics may lack 64 pages for each processor, and beside them a child has pages
/// of its own.
private let about64MiB = 63 * mebibyte...80 * mebibyte

private func at(_ milliseconds: Int64) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: 1_000_000_000_000 + milliseconds * 1_000_000)
}

/// The kernel's own files, of cgroups made for the test.
@Suite(.enabled(if: TestCgroup.isPossible, "needs the right to make cgroups"))
struct RealCgroupTests {
    @Test func `memory that a process holds is unreclaimable, at its level, and is its footprint`() throws {
        let cgroup = try TestCgroup(limit: nil)
        try cgroup.setHardLimit(256 * mebibyte)
        let child = try cgroup.start(TEST_PROCESS_HOLD, bytes: 64 * mebibyte)
        let reader = try KernelReader(root: KernelRoot(processIdentifier: child))
        #expect(reader.sources.allSatisfy { $0.isUsed }, "\(reader.sources)")
        let reading = reader.read(.full, at: at(0), includingStall: true)
        #expect(reading.isLimited)
        #expect(reading.limitBytes == 256 * mebibyte)
        #expect(about64MiB.contains(reading.unreclaimableBytes))
        #expect(reading.headroomBytes == 256 * mebibyte - reading.unreclaimableBytes)
        // A forked child also has what it shares with nobody any more of its parent's memory.
        #expect(reading.footprintBytes >= about64MiB.lowerBound)
        #expect(reading.events?.oomKill == 0)
        #expect(reading.stallSomeMicroseconds != nil)
        #expect(reader.levels.first?.directory == cgroup.directory)
        #expect(reader.pressurePath == cgroup.pressureDirectory + "/memory.pressure")
        #expect(reader.isPrivate)
    }

    @Test func `locked memory counts once`() throws {
        let cgroup = try TestCgroup(limit: nil)
        try cgroup.setHardLimit(256 * mebibyte)
        let child = try cgroup.start(TEST_PROCESS_LOCK, bytes: 64 * mebibyte)
        let reading = try KernelReader(root: KernelRoot(processIdentifier: child))
            .read(.full, at: at(0), includingStall: false)
        #expect(about64MiB.contains(reading.unreclaimableBytes))
    }

    @Test func `a limit that is set while the process runs is seen`() throws {
        let cgroup = try TestCgroup(limit: nil)
        let child = try cgroup.start(TEST_PROCESS_WAIT)
        let reader = try KernelReader(root: KernelRoot(processIdentifier: child))
        #expect(reader.levels.first?.hardLimitBytes == nil)
        try cgroup.setHardLimit(128 * mebibyte)
        reader.refreshLimits()
        #expect(reader.levels.first?.hardLimitBytes == 128 * mebibyte)
        #expect(reader.read(.full, at: at(0), includingStall: false).limitBytes == 128 * mebibyte)
    }

    @Test func `a cgroup that was removed is noticed, and readings go on`() throws {
        let cgroup = try TestCgroup(limit: nil)
        try cgroup.setHardLimit(128 * mebibyte)
        let child = try cgroup.start(TEST_PROCESS_WAIT)
        let reader = try KernelReader(root: KernelRoot(processIdentifier: child))
        let before = reader.read(.full, at: at(0), includingStall: true)
        #expect(!reader.cgroupHasMoved())
        cgroup.remove()
        #expect(reader.cgroupHasMoved())
        let after = reader.read(.full, at: at(10), includingStall: true)
        #expect(after.limitBytes == before.limitBytes)
        #expect(after.stallSomeMicroseconds == nil)
        let usage = reader.sources.first { $0.source == .usage }
        #expect(usage?.availability == .notAvailable(reason: "ENODEV: its cgroup was removed"))
    }

    @Test func `this process's own readings agree with what the kernel says elsewhere`() throws {
        let reader = try KernelReader()
        let reading = reader.read(.full, at: at(0), includingStall: true)
        let text = String(decoding: try Syscalls.contents(of: "/proc/meminfo"), as: UTF8.self)
        let total = try #require(text.split(separator: "\n").first?.split(separator: " ").dropFirst().first)
        if !reading.isLimited { #expect(reading.limitBytes == Int(total)! * 1024) }
        #expect(reading.headroomBytes > 0)
        #expect(reading.footprintBytes > mebibyte)
        #expect(reading.headroomBytes <= reading.availableBytes ?? 0)
    }
}
