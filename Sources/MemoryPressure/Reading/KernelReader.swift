/// Takes readings of the memory signals from the kernel's files.
///
/// It finds the process's cgroups once, keeps every file open, and reads into one buffer, so that
/// ``read(_:at:includingStall:)`` allocates nothing and takes no lock: neither may be counted on when memory is short. A reader
/// is not `Sendable`; its owner guards it. A signal that cannot be read is left out, and ``sources`` says so.
public final class KernelReader {
    package let root: KernelRoot
    let buffer = ReadBuffer()
    private var found: Discovery
    var map: CgroupMap { found.map }
    @inline(__always) var places: [LevelFiles] { found.places }
    var membershipFile: KernelFile { found.membershipFile }
    var pressureFile: KernelFile { found.pressureFile }
    var machineFile: KernelFile { found.machineFile }
    var machineStatFile: KernelFile { found.machineStatFile }
    var pagesFile: KernelFile { found.pagesFile }
    var statusFile: KernelFile { found.statusFile }
    /// Indicates whether stall times are those of the process's own cgroup rather than of the machine.
    public var isPrivate: Bool { found.isPrivate }

    /// The last reading. The parts that a new reading leaves out are carried over from it.
    var last = MemoryReading()
    var machine = MachineMemory()
    var hasMachine = false
    var hasFull = false
    var machineReadAt = MonotonicInstant(nanoseconds: 0)
    /// Nil where they were not read, because a cgroup of v2 is the bound, or cannot be.
    var machineRefaults: RefaultCounts?
    var machineRefaultsReadAt: MonotonicInstant?
    /// The tightest level at that time.
    var machineRefaultsLevel = -1
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
        found = Discovery(in: root)
        _ = read(.full, at: MonotonicInstant(nanoseconds: 0), includingStall: true)
        last.sequence = 0
        hasFull = false
        hasStatus = false
        hasMachine = false
        if !sources.contains(where: \.isUsed) { throw .noSignalAvailable(statuses: sources) }
    }

    /// Finds the cgroups and opens their files again, as after a move to another cgroup. Allocates and opens.
    public func rediscover() {
        // Closed first: where descriptors are short, these are the ones to be had again.
        found.close()
        adopt(Discovery(in: root))
    }

    /// Reads from what was found meanwhile, from now on. Gives what it read from before, for the caller to let go of: the files are
    /// closed then.
    @discardableResult
    package func adopt(_ discovery: Discovery) -> Discovery {
        defer {
            found = discovery
            hasFull = false
            machineRefaultsReadAt = nil
        }
        return found
    }

    /// Reads the levels' limits again, which are resized in place, and counts their processes. Allocates nothing.
    ///
    /// - Parameter includingUnlimited: True to look also at levels that had no limit.
    public func refreshLimits(includingUnlimited: Bool = true) {
        for index in places.indices where includingUnlimited || places[index].isCounted {
            places[index].readLimits(buffer)
            places[index].countProcesses(buffer)
        }
    }

    /// Indicates whether files could not be opened for want of descriptors.
    package var isStarved: Bool { found.isStarved }

    /// Returns whether the process was moved to another cgroup, its cgroup was removed, or files could not be opened because no
    /// descriptors were left. Each is a reason to ``rediscover()``. Allocates nothing.
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
