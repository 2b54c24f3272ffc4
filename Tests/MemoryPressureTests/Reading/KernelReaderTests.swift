import JetsamTesting
import MemoryPressure
import Testing

private let mebibyte = 1 << 20

/// The instant that many milliseconds after the made-up clock's start.
private func at(_ milliseconds: Int64) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: 1_000_000_000_000 + milliseconds * 1_000_000)
}

@Suite struct KernelReaderTests {
    @Test(arguments: KernelTreeLayout.all.filter { $0 != .bare })
    func `a full reading has the limit, the unreclaimable bytes and the headroom of the own cgroup`(
        layout: KernelTreeLayout
    ) throws {
        let tree = try KernelTree(layout, limit: 512 * mebibyte)
        tree.setUnreclaimable(bytes: 320 * mebibyte)
        tree.setPageCache(bytes: 100 * mebibyte)
        tree.setFootprint(bytes: 300 * mebibyte, swapped: 16 * mebibyte, residentShared: 8 * mebibyte)
        tree.addEvents(max: 3, oomKill: 1)
        let reading = try KernelReader(root: tree.root).read(.full, at: at(0), includingStall: true)
        #expect(reading.sequence == 1)
        #expect(reading.isLimited)
        #expect(reading.tightestLevel == 0)
        #expect(reading.limitBytes == 512 * mebibyte)
        #expect(reading.usageBytes == 420 * mebibyte)
        #expect(reading.unreclaimableBytes == 320 * mebibyte)
        #expect(reading.headroomBytes == 192 * mebibyte)
        #expect(reading.availableBytes == 12 << 30)
        #expect(reading.footprintBytes == 300 * mebibyte)
        #expect(reading.events?.max == 3)
        #expect(reading.events?.oomKill == 1)
    }

    @Test(arguments: [KernelTreeLayout.v2, .v1, .hybrid])
    func `swap that may be used is bounded by the machine, the cgroup and its ancestors, and is no headroom`(
        layout: KernelTreeLayout
    ) throws {
        let tree = try KernelTree(layout, limit: 512 * mebibyte, ancestorLimits: [1024 * mebibyte])
        tree.setUnreclaimable(bytes: 500 * mebibyte)
        let reader = try KernelReader(root: tree.root)
        var time: Int64 = 0
        func read() -> MemoryReading {
            time += 2000
            return reader.read(.full, at: at(time), includingStall: false)
        }
        tree.setSwap(limit: 300 * mebibyte, used: 100 * mebibyte)
        #expect(read().usableSwapBytes == 0, "the machine has none")
        tree.setSwapFree(bytes: 1 << 30)
        #expect(read().usableSwapBytes == 200 * mebibyte)
        tree.setSwap(limit: 150 * mebibyte, used: 30 * mebibyte, level: 1)
        #expect(read().usableSwapBytes == 120 * mebibyte)
        #expect(read().headroomBytes == 12 * mebibyte)
        tree.setSwapFree(bytes: 50 * mebibyte)
        #expect(read().usableSwapBytes == 50 * mebibyte)
        tree.setSwap(limit: nil, level: 0)
        tree.setSwap(limit: 0, level: 1)
        #expect(read().usableSwapBytes == 0)
    }

    @Test func `where the machine is the bound, pages that come back are counted there`() throws {
        let tree = try KernelTree.v2(limit: 512 * mebibyte, available: 100 * mebibyte)
        tree.addRefaults(pages: 7)
        tree.addMachineRefaults(pages: 1000)
        let reader = try KernelReader(root: tree.root)
        func pages(at milliseconds: Int64) -> UInt64? {
            reader.read(.full, at: at(milliseconds), includingStall: false).refaultedPages
        }
        #expect(pages(at: 0) == 1007)
        tree.addMachineRefaults(pages: 50)
        #expect(pages(at: 99) == 1007, "ten times a second")
        #expect(pages(at: 100) == 1057)
        tree.setAvailable(bytes: 12 << 30)
        #expect(pages(at: 5000) == 7)
        let bare = try KernelTree(.bare)
        bare.addMachineRefaults(pages: 3)
        let machine = try KernelReader(root: bare.root)
        #expect(machine.read(.full, at: at(0), includingStall: false).refaultedPages == 3)
    }

    @Test(arguments: [KernelTreeLayout.v2, .v1])
    func `pages of a file that is read from end to end are told from those of a working set`(
        layout: KernelTreeLayout
    ) throws {
        let tree = try KernelTree(layout, limit: 512 * mebibyte, available: 12 << 30)
        let reader = try KernelReader(root: tree.root)
        func counts(at milliseconds: Int64) -> [Int] {
            let reading = reader.read(.full, at: at(milliseconds), includingStall: false)
            return [Int(reading.refaultedPages ?? 0), reading.scannedPages]
        }
        #expect(counts(at: 0) == [0, 0])
        tree.addRefaults(pages: 5000, ofScan: true)
        #expect(counts(at: 100) == [5000, 5000])
        tree.addRefaults(pages: 7)
        #expect(counts(at: 200) == [5007, 5000])
        tree.addMachineRefaults(pages: 5000)
        #expect(counts(at: 300) == [5007, 5000], "a working set of others")
        tree.addRefaults(pages: 5000, ofScan: true)
        #expect(counts(at: 400) == [10007, 10000])
    }

    @Test func `what v1 counted before is no news after the cgroups were found again, or at another level`() throws {
        let tree = try KernelTree(.v1, limit: 512 * mebibyte, ancestorLimits: [1024 * mebibyte], available: 12 << 30)
        tree.addRefaults(pages: 5000, ofScan: true)
        let reader = try KernelReader(root: tree.root)
        func pages(at milliseconds: Int64) -> UInt64? {
            reader.read(.full, at: at(milliseconds), includingStall: false).refaultedPages
        }
        #expect(pages(at: 0) == 5000)
        reader.rediscover()
        #expect(pages(at: 10) == 5000)
        tree.setLimit(bytes: 256 * mebibyte, level: 1)
        tree.addRefaults(pages: 70, level: 1)
        reader.refreshLimits(includingUnlimited: true)
        #expect(pages(at: 20) == 70)
    }

    @Test func `where v1 has no count of the machine, no page is taken for a scan's`() throws {
        let tree = try KernelTree(.v1, limit: 512 * mebibyte, available: 12 << 30)
        tree.damage("/proc/vmstat", .missing)
        let reader = try KernelReader(root: tree.root)
        _ = reader.read(.full, at: at(0), includingStall: false)
        tree.addRefaults(pages: 5000, ofScan: true)
        let reading = reader.read(.full, at: at(100), includingStall: false)
        #expect(reading.refaultedPages == 5000 && reading.scannedPages == 0)
    }

    @Test(arguments: [KernelTreeLayout.v2, .v1])
    func `the processes of the tightest level are counted`(layout: KernelTreeLayout) throws {
        let tree = try KernelTree(layout, limit: 512 * mebibyte, available: 12 << 30)
        let reader = try KernelReader(root: tree.root)
        #expect(reader.read(.full, at: at(0), includingStall: false).processes == 1)
        tree.setProcesses(23)
        #expect(reader.read(.full, at: at(1), includingStall: false).processes == 1, "counted with the limits")
        reader.refreshLimits()
        #expect(reader.read(.full, at: at(2), includingStall: false).processes == 23)
        tree.setProcesses(0)
        reader.refreshLimits()
        #expect(reader.read(.full, at: at(3), includingStall: false).processes == nil)
        tree.setAvailable(bytes: 10 * mebibyte)
        #expect(reader.read(.full, at: at(5000), includingStall: false).processes == nil, "the machine is the bound")
    }

    @Test func `with no cgroup at all the machine is the bound`() throws {
        let tree = try KernelTree(.bare, total: 1000 * mebibyte, available: 400 * mebibyte)
        let reading = try KernelReader(root: tree.root).read(.full, at: at(0), includingStall: true)
        #expect(!reading.isLimited)
        #expect(reading.tightestLevel == -1)
        #expect(reading.limitBytes == 1000 * mebibyte)
        #expect(reading.headroomBytes == 400 * mebibyte)
        #expect(reading.unreclaimableBytes == 600 * mebibyte)
        #expect(reading.events == nil)
    }

    @Test(arguments: [KernelTreeLayout.v2, .v1, .hybrid])
    func `the level with the least headroom is the tightest, wherever it is`(layout: KernelTreeLayout) throws {
        let tree = try KernelTree(
            layout, limit: 512 * mebibyte, ancestorLimits: [nil, 1024 * mebibyte])
        tree.setUnreclaimable(bytes: 100 * mebibyte)
        tree.setNeighbours(bytes: 800 * mebibyte, level: 2)
        let reader = try KernelReader(root: tree.root)
        let reading = reader.read(.full, at: at(0), includingStall: true)
        #expect(reading.tightestLevel == 2)
        #expect(reading.limitBytes == 1024 * mebibyte)
        #expect(reading.unreclaimableBytes == 900 * mebibyte)
        #expect(reading.headroomBytes == 124 * mebibyte)
        #expect(reader.levels.prefix(3).map(\.hardLimitBytes) == [512 * mebibyte, nil, 1024 * mebibyte])
    }

    @Test func `memory that the machine does not have is no headroom`() throws {
        let tree = try KernelTree.v2(limit: 512 * mebibyte, total: 1024 * mebibyte, available: 50 * mebibyte)
        tree.setUnreclaimable(bytes: 100 * mebibyte)
        let reading = try KernelReader(root: tree.root).read(.full, at: at(0), includingStall: false)
        #expect(reading.headroomBytes == 50 * mebibyte)
        #expect(reading.tightestLevel == -1)
        #expect(!reading.isLimited)
        #expect(reading.limitBytes == 1024 * mebibyte)
        #expect(reading.unreclaimableBytes == 974 * mebibyte)
    }

    @Test func `a cheap reading takes growth of usage for unreclaimable, and shrinking for nothing`() throws {
        let tree = try KernelTree.v2(limit: 512 * mebibyte)
        tree.setUnreclaimable(bytes: 200 * mebibyte)
        tree.setPageCache(bytes: 100 * mebibyte)
        let reader = try KernelReader(root: tree.root)
        _ = reader.read(.full, at: at(0), includingStall: false)
        tree.setUnreclaimable(bytes: 260 * mebibyte)
        let grown = reader.read(.cheap, at: at(1), includingStall: false)
        #expect(grown.depth == .cheap)
        #expect(grown.sequence == 2)
        #expect(grown.unreclaimableBytes == 260 * mebibyte)
        #expect(grown.headroomBytes == 252 * mebibyte)
        #expect(grown.stallSomeMicroseconds == nil)
        tree.setUnreclaimable(bytes: 10 * mebibyte)
        let shrunk = reader.read(.cheap, at: at(2), includingStall: false)
        #expect(shrunk.usageBytes == 110 * mebibyte)
        #expect(shrunk.unreclaimableBytes == 200 * mebibyte)
        let full = reader.read(.full, at: at(3), includingStall: false)
        #expect(full.unreclaimableBytes == 10 * mebibyte)
    }

    @Test func `limits that are resized in place are seen by full readings, first ones after a refresh`() throws {
        let tree = try KernelTree.v2(limit: 512 * mebibyte, ancestorLimits: [nil])
        tree.setUnreclaimable(bytes: 100 * mebibyte)
        let reader = try KernelReader(root: tree.root)
        func read(_ depth: MemoryReading.Depth) -> MemoryReading {
            reader.read(depth, at: at(0), includingStall: false)
        }
        #expect(read(.full).limitBytes == 512 * mebibyte)
        tree.setLimit(bytes: 256 * mebibyte)
        #expect(read(.cheap).limitBytes == 512 * mebibyte)
        #expect(read(.full).headroomBytes == 156 * mebibyte)
        tree.setLimit(bytes: 200 * mebibyte, level: 1)
        #expect(read(.full).tightestLevel == 0)
        reader.refreshLimits()
        #expect(read(.full).tightestLevel == 1)
        tree.setLimit(bytes: nil, level: 1)
        tree.setLimit(bytes: nil)
        #expect(!read(.full).isLimited)
    }

    @Test func `the distance to memory high is that of the nearest one`() throws {
        let tree = try KernelTree.v2(limit: nil, high: 300 * mebibyte, ancestorLimits: [nil])
        tree.setUnreclaimable(bytes: 200 * mebibyte)
        tree.setHigh(bytes: 250 * mebibyte, level: 1)
        tree.setNeighbours(bytes: 75 * mebibyte, level: 1)
        tree.setPageCache(bytes: 90 * mebibyte, level: 1)
        let reading = try KernelReader(root: tree.root).read(.full, at: at(0), includingStall: false)
        #expect(reading.highBytes == 250 * mebibyte)
        #expect(reading.distanceToHighBytes == -25 * mebibyte)
    }

    @Test(arguments: [(KernelTreeLayout.v2, true), (.hybrid, true), (.namespaced, true), (.v1, false), (.bare, false)])
    func `stall times come from the own v2 cgroup where there is one`(
        layout: KernelTreeLayout, isPrivate: Bool
    ) throws {
        let tree = try KernelTree(layout, limit: 512 * mebibyte)
        tree.setStall(some: .milliseconds(1500), full: .milliseconds(20))
        let reader = try KernelReader(root: tree.root)
        #expect(reader.isPrivate == isPrivate)
        #expect(reader.pressurePath == tree.pressurePath)
        let reading = reader.read(.full, at: at(0), includingStall: true)
        #expect(reading.stallSomeMicroseconds == 1_500_000)
        #expect(reading.stallFullMicroseconds == 20_000)
        #expect(reader.read(.full, at: at(10), includingStall: false).stallSomeMicroseconds == nil)
    }

    @Test func `the available memory is read again once a second while it is far away`() throws {
        let tree = try KernelTree.v2(limit: 512 * mebibyte)
        let reader = try KernelReader(root: tree.root)
        _ = reader.read(.full, at: at(0), includingStall: false)
        tree.setAvailable(bytes: 10 << 30)
        #expect(reader.read(.full, at: at(999), includingStall: false).availableBytes == 12 << 30)
        #expect(reader.read(.full, at: at(1000), includingStall: false).availableBytes == 10 << 30)
    }

    @Test func `the available memory is read at every full reading while it is near`() throws {
        let tree = try KernelTree.v2(limit: 512 * mebibyte, available: 900 * mebibyte)
        let reader = try KernelReader(root: tree.root)
        _ = reader.read(.full, at: at(0), includingStall: false)
        tree.setAvailable(bytes: 300 * mebibyte)
        let reading = reader.read(.full, at: at(10), includingStall: false)
        #expect(reading.headroomBytes == 300 * mebibyte)
    }

    @Test func `a process that was moved is noticed, and found again`() throws {
        let tree = try KernelTree.v2(limit: 512 * mebibyte, ancestorLimits: [256 * mebibyte])
        let reader = try KernelReader(root: tree.root)
        #expect(!reader.cgroupHasMoved())
        tree.moveProcess(to: "/box0")
        #expect(reader.cgroupHasMoved())
        reader.rediscover()
        #expect(!reader.cgroupHasMoved())
        #expect(reader.read(.full, at: at(0), includingStall: false).limitBytes == 256 * mebibyte)
        #expect(reader.levels.first?.name == "box0")
    }
}
