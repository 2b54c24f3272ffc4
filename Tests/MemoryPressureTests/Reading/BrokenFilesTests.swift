import JetsamTesting
import MemoryPressure
import SystemPackage
import Testing

private let mebibyte = 1 << 20

private func at(_ milliseconds: Int64) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: 1_000_000_000_000 + milliseconds * 1_000_000)
}

/// Kernel files that are missing, broken, or break while they are read: the rest goes on, and it is said what is not.
@Suite struct BrokenFilesTests {
    /// A file, which source it stands for, and whether the reader can do without it from the start.
    private static let files: [(name: String, source: MemorySignalSource)] = [
        ("/sys/fs/cgroup/server/memory.current", .usage),
        ("/sys/fs/cgroup/server/memory.stat", .usage),
        ("/sys/fs/cgroup/server/memory.events", .memoryEvents),
        ("/proc/meminfo", .memoryInfo),
        ("/proc/self/statm", .footprint),
        ("/sys/fs/cgroup/server/memory.pressure", .pressureTotals),
    ]

    @Test(arguments: Self.files, [KernelTree.Damage.empty, .garbage])
    func `a file that breaks while it is in use is left out, and the rest is read`(
        file: (name: String, source: MemorySignalSource), damage: KernelTree.Damage
    ) throws {
        let tree = try KernelTree.v2(limit: 512 * mebibyte)
        tree.setUnreclaimable(bytes: 200 * mebibyte)
        tree.setFootprint(bytes: 150 * mebibyte)
        let reader = try KernelReader(root: tree.root)
        let before = reader.read(.full, at: at(0), includingStall: true)
        #expect(reader.sources.allSatisfy { $0.isUsed })

        tree.damage(file.name, damage)
        let after = reader.read(.full, at: at(2000), includingStall: true)
        #expect(after.headroomBytes == before.headroomBytes)
        #expect(after.footprintBytes == before.footprintBytes)
        #expect(after.events == before.events)
        #expect((after.stallSomeMicroseconds == nil) == (file.source == .pressureTotals))
        let broken = reader.sources.filter { !$0.isUsed }
        #expect(broken.map(\.source) == [file.source])
        #expect(broken.map(\.path) == [file.name])
        let reason = damage == .empty ? "the file is empty" : "the file does not have the form that is expected of it"
        #expect(broken.first?.availability == .notAvailable(reason: reason))
    }

    @Test(arguments: Self.files)
    func `a file that was never there is said to be missing`(file: (name: String, source: MemorySignalSource)) throws {
        let tree = try KernelTree.v2(limit: 512 * mebibyte)
        tree.setUnreclaimable(bytes: 200 * mebibyte)
        tree.setFootprint(bytes: 150 * mebibyte)
        tree.damage(file.name, .missing)
        if file.source == .pressureTotals { tree.damage("/proc/pressure/memory", .missing) }
        let reader = try KernelReader(root: tree.root)
        let reading = reader.read(.full, at: at(0), includingStall: true)
        let broken = reader.sources.filter { !$0.isUsed }
        #expect(broken.map(\.source) == [file.source])
        #expect(broken.first?.description.contains("ENOENT: there is no such file") == true)
        // Without memory.stat, the process's own footprint is the least that cannot be had back.
        #expect(reading.headroomBytes >= 312 * mebibyte)
        #expect(reading.isLimited)
    }

    @Test func `without a memory stat the footprint stands in, not the page cache`() throws {
        let tree = try KernelTree.v2(limit: 512 * mebibyte)
        tree.setUnreclaimable(bytes: 200 * mebibyte)
        tree.setPageCache(bytes: 300 * mebibyte)
        tree.setFootprint(bytes: 150 * mebibyte)
        tree.damage("/sys/fs/cgroup/server/memory.stat", .missing)
        let reading = try KernelReader(root: tree.root).read(.full, at: at(0), includingStall: false)
        #expect(reading.unreclaimableBytes == 150 * mebibyte)
    }

    @Test func `without usage and memory stat the footprint is what cannot be had back`() throws {
        let tree = try KernelTree.v2(limit: 512 * mebibyte)
        tree.setUnreclaimable(bytes: 200 * mebibyte)
        tree.setFootprint(bytes: 150 * mebibyte)
        tree.damage("/sys/fs/cgroup/server/memory.current", .missing)
        tree.damage("/sys/fs/cgroup/server/memory.stat", .missing)
        let reading = try KernelReader(root: tree.root).read(.full, at: at(0), includingStall: false)
        #expect(reading.unreclaimableBytes == 150 * mebibyte)
        #expect(reading.headroomBytes == 362 * mebibyte)
    }

    @Test func `where the own PSI file cannot be read the machine's is`() throws {
        let tree = try KernelTree.v2(limit: 512 * mebibyte)
        tree.setStall(some: .milliseconds(7))
        tree.damage("/sys/fs/cgroup/server/memory.pressure", .missing)
        let reader = try KernelReader(root: tree.root)
        #expect(reader.pressurePath == "/proc/pressure/memory")
        #expect(!reader.isPrivate)
        #expect(reader.read(.full, at: at(0), includingStall: true).stallSomeMicroseconds == 7000)
    }

    @Test(
        arguments: [
            (Errno.permissionDenied, "EACCES: this user may not read it"),
            (.tooManyOpenFiles, "EMFILE: file descriptors are exhausted"),
            (.tooManyOpenFilesInSystem, "ENFILE: file descriptors are exhausted"),
            (.notSupported, "EOPNOTSUPP: the kernel has it switched off"),
            (.ioError, "EIO"),
        ])
    func `an error names itself and says what it means`(error: Errno, text: String) throws {
        let tree = try KernelTree.v2(limit: 512 * mebibyte)
        tree.fail("/proc/meminfo", reading: error)
        let status = try KernelReader(root: tree.root).sources.first { $0.source == .memoryInfo }
        #expect(status?.description == "meminfo: not available (/proc/meminfo), \(text)")
    }

    @Test func `files that there were no descriptors for are a reason to look again`() throws {
        let tree = try KernelTree.v2(limit: 512 * mebibyte)
        let whole = try KernelReader(root: tree.root)
        #expect(!whole.cgroupHasMoved())
        tree.fail("/sys/fs/cgroup/server/memory.max", reading: .tooManyOpenFiles)
        let starved = try KernelReader(root: tree.root)
        #expect(starved.cgroupHasMoved())
    }

    @Test func `where nothing at all can be read, that is an error that says why`() throws {
        let tree = try KernelTree(.bare)
        for path in ["/proc/meminfo", "/proc/self/statm", "/proc/pressure/memory"] { tree.damage(path, .missing) }
        let error = try #require(throws: MemoryPressureError.self) { _ = try KernelReader(root: tree.root) }
        #expect(error.code == .noSignalAvailable)
        #expect(error.statuses.count == 6)
        #expect(error.description.hasPrefix("no memory signal is available: cgroup usage: not available, "))
        #expect(error.description.utf8.count < 600)
    }

    @Test func `a directory in a file's place does no harm`() throws {
        let tree = try KernelTree.v2(limit: 512 * mebibyte)
        tree.fail("/proc/self/statm", reading: .isDirectory)
        let reader = try KernelReader(root: tree.root)
        #expect(reader.read(.full, at: at(0), includingStall: true).footprintBytes == 0)
    }
}
