/// Takes readings of the memory signals from the kernel's files.
///
/// It finds the process's cgroups once, keeps every file open, and reads into one buffer, so that ``read(_:at:includingStall:)``
/// allocates nothing and takes no lock: neither may be counted on when memory is short. A reader is not `Sendable`; its
/// owner guards it. What cannot be read is left out and said so in ``sources``.
public final class KernelReader {
    let root: KernelRoot
    let buffer = ReadBuffer()
    var map = CgroupMap()
    var places: [LevelFiles] = []
    var membershipFile: KernelFile
    var pressureFile: KernelFile
    var machineFile: KernelFile
    var pagesFile: KernelFile
    var statusFile: KernelFile
    /// Whether `pressureFile` is of the process's own cgroup rather than of the machine.
    public private(set) var isPrivate = false

    /// What the last reading said; what a reading leaves out is carried over from it.
    var last = MemoryReading()
    var machine = MachineMemory()
    var hasMachine = false
    var hasFull = false
    var machineReadAt = MonotonicInstant(nanoseconds: 0)
    var footprintAtMachine = 0
    var hasStatus = false
    var statusReadAt = MonotonicInstant(nanoseconds: 0)
    var beyondPages = 0
    var residentPages = 0
    var sharedPages = 0
    var residentAtStatus = 0
    var sharedAtStatus = 0
    /// Index of the limited level with the least headroom at the last full reading; -1 where none is limited.
    var tightestCgroup = -1

    /// Finds the process's cgroups and opens the files.
    ///
    /// - Throws: ``MemoryPressureError`` where nothing at all can be read; anything less is a matter of ``sources``.
    public init(root: KernelRoot = KernelRoot()) throws(MemoryPressureError) {
        self.root = root
        membershipFile = KernelFile(root.process("cgroup"), in: root)
        pressureFile = KernelFile("/proc/pressure/memory", in: root)
        machineFile = KernelFile("/proc/meminfo", in: root)
        pagesFile = KernelFile(root.process("statm"), in: root)
        statusFile = KernelFile(root.process("status"), in: root)
        discover()
        _ = read(.full, at: MonotonicInstant(nanoseconds: 0), includingStall: true)
        last.sequence = 0
        hasFull = false
        hasStatus = false
        hasMachine = false
        if !sources.contains(where: \.isUsed) { throw .noSignalAvailable(statuses: sources) }
    }

    /// Finds the cgroups anew and opens their files again, as after a move to another cgroup. Allocates and opens.
    public func rediscover() {
        // Closed first: where descriptors are short, these are the ones to be had again.
        places = []
        discover()
        hasFull = false
    }

    private func discover() {
        map = CgroupMap.discover(in: root)
        if !membershipFile.isOpen { membershipFile = KernelFile(root.process("cgroup"), in: root) }
        if !machineFile.isOpen { machineFile = KernelFile("/proc/meminfo", in: root) }
        if !pagesFile.isOpen { pagesFile = KernelFile(root.process("statm"), in: root) }
        if !statusFile.isOpen { statusFile = KernelFile(root.process("status"), in: root) }
        places = map.levels.enumerated().map { index, place in LevelFiles(place, isOwn: index == 0, in: root) }
        openPressure()
        refreshLimits()
        for place in places { place.readEvents(buffer) }
    }

    private func openPressure() {
        if let directory = map.ownV2Directory {
            let own = KernelFile(directory + "/memory.pressure", in: root)
            if own.isOpen, buffer.read(own, { StallTotals($0) }) != nil {
                pressureFile = own
                isPrivate = true
                return
            }
        }
        isPrivate = false
        pressureFile = KernelFile("/proc/pressure/memory", in: root)
    }

    /// Reads the levels' limits again, which are resized in place. Allocates nothing.
    ///
    /// - Parameter includingUnlimited: Whether levels that had no limit are looked at too.
    public func refreshLimits(includingUnlimited: Bool = true) {
        for index in places.indices where includingUnlimited || places[index].isCounted {
            places[index].readLimits(buffer)
        }
    }

    /// Whether the process was moved to another cgroup, its cgroup was removed, or files could not be opened for want of
    /// descriptors: each a reason to ``rediscover()``. Allocates nothing.
    public func cgroupHasMoved() -> Bool {
        if membershipFile.isStarved || pressureFile.isStarved || pagesFile.isStarved { return true }
        if pressureFile.isGone { return true }
        if !places.isEmpty {
            let own = places[0]
            own.readUsage(buffer)
            if own.usageFile.isGone || own.usageFile.isStarved || own.limitFile.isStarved || own.statFile.isStarved {
                return true
            }
        }
        let known = map.membership
        return buffer.read(membershipFile) { bytes in
            guard bytes.count == known.count else { return true }
            for index in 0..<bytes.count where bytes[index] != known[index] { return true }
            return false
        } ?? false
    }
}
