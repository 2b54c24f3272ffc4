/// The process's cgroups and every file that readings are taken from: found and opened apart from a reader, which can go on
/// meanwhile.
///
/// Sendable because it is handed over whole: nobody keeps a part of what is given away.
package struct Discovery: @unchecked Sendable {
    let map: CgroupMap
    private(set) var places: [LevelFiles]
    let membershipFile: KernelFile
    let pressureFile: KernelFile
    let machineFile: KernelFile
    let machineStatFile: KernelFile
    let pagesFile: KernelFile
    let statusFile: KernelFile
    /// Indicates whether `pressureFile` is of the process's own cgroup rather than of the machine.
    let isPrivate: Bool

    /// Opens and reads files, and allocates.
    package init(in root: KernelRoot) {
        let buffer = ReadBuffer()
        map = CgroupMap.discover(in: root)
        membershipFile = KernelFile(root.process("cgroup"), in: root)
        machineFile = KernelFile("/proc/meminfo", in: root)
        machineStatFile = KernelFile("/proc/vmstat", in: root)
        pagesFile = KernelFile(root.process("statm"), in: root)
        statusFile = KernelFile(root.process("status"), in: root)
        places = map.levels.enumerated().map { index, place in LevelFiles(place, isOwn: index == 0, in: root) }
        let own = map.ownV2Directory.map { KernelFile($0 + "/memory.pressure", in: root) }
        if let own, own.isOpen, buffer.read(own, { StallTotals($0) }) != nil {
            pressureFile = own
            isPrivate = true
        } else {
            pressureFile = KernelFile("/proc/pressure/memory", in: root)
            isPrivate = false
        }
        for place in places {
            place.readLimits(buffer)
            place.countProcesses(buffer)
            place.readEvents(buffer)
        }
    }

    /// Indicates whether a file could not be opened because there were too many open ones.
    package var isStarved: Bool {
        membershipFile.isStarved || pressureFile.isStarved || machineFile.isStarved || pagesFile.isStarved
            || statusFile.isStarved || places.contains { $0.files.contains(where: \.isStarved) }
    }

    /// Closes the files of the cgroups.
    mutating func close() {
        places = []
    }
}
