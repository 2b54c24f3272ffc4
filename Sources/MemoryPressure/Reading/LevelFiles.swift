/// One cgroup's files, kept open, and what they last said. `Int.max` stands for "no limit".
final class LevelFiles {
    let version: CgroupVersion
    let directory: String
    let usageFile: KernelFile
    let statFile: KernelFile
    let limitFile: KernelFile
    /// v2 only: `memory.high`.
    let highFile: KernelFile?
    /// v2: `memory.events`, of an ancestor `memory.events.local`. v1: `memory.failcnt`.
    let eventsFile: KernelFile
    /// v1 only, and only of the process's own cgroup: the kernel counts a kill at the victim's cgroup alone.
    let oomFile: KernelFile?
    /// v1 only: what the kernel itself holds for the cgroup.
    let kernelFile: KernelFile?
    /// The bytes that the group may swap out, and those that it has swapped out: on v2 of swap alone, on v1 of memory and swap
    /// together.
    let swapLimitFile: KernelFile
    let swapUsageFile: KernelFile
    let processesFile: KernelFile

    var limit = Int.max
    var high = Int.max
    var usage = 0
    /// Indicates whether usage could ever be read.
    var hasUsage = false
    var unreclaimable = 0
    private var refaultCounts = RefaultCounts()
    private var legacyRefaults = LegacyRefaults()
    /// The usage that belongs to `unreclaimable`: what it has grown by since is added to a cheap reading.
    var usageAtStat = 0
    var hasStat = false
    /// Bytes that the group may still swap out by its own limits.
    var swapRoom = Int.max
    /// The number of processes that the group itself has; nil where it has none or cannot be asked.
    var processes: Int?
    var events = MemoryEventCounters()
    var hasEvents = false

    init(_ place: CgroupMap.Place, isOwn: Bool, in root: KernelRoot) {
        version = place.version
        directory = place.directory
        let file = { (name: String) in KernelFile(place.directory + "/" + name, in: root) }
        statFile = file("memory.stat")
        switch place.version {
        case .v2:
            usageFile = file("memory.current")
            limitFile = file("memory.max")
            highFile = file("memory.high")
            // An ancestor's own file also counts what happens to the process's siblings.
            eventsFile = file(isOwn ? "memory.events" : "memory.events.local")
            oomFile = nil
            kernelFile = nil
            swapLimitFile = file("memory.swap.max")
            swapUsageFile = file("memory.swap.current")
        case .v1:
            usageFile = file("memory.usage_in_bytes")
            limitFile = file("memory.limit_in_bytes")
            highFile = nil
            eventsFile = file("memory.failcnt")
            oomFile = isOwn ? file("memory.oom_control") : nil
            kernelFile = file("memory.kmem.usage_in_bytes")
            swapLimitFile = file("memory.memsw.limit_in_bytes")
            swapUsageFile = file("memory.memsw.usage_in_bytes")
        }
        processesFile = file("cgroup.procs")
    }

    var isLimited: Bool { limit != .max }
    var isCounted: Bool { limit != .max || high != .max }

    var files: [KernelFile] {
        [
            usageFile, statFile, limitFile, highFile, eventsFile, oomFile, kernelFile, swapLimitFile, swapUsageFile,
            processesFile,
        ].compactMap { $0 }
    }

    func readLimits(_ buffer: ReadBuffer) {
        if let value = buffer.read(limitFile, { SingleValue.parse($0) }) {
            // v1 writes "none" as the largest multiple of the page size, which differs from machine to machine.
            limit = Self.bytes(value)
        }
        if let highFile, let value = buffer.read(highFile, { SingleValue.parse($0) }) { high = value }
    }

    /// The kernel sorts them for it: not for every reading.
    func countProcesses(_ buffer: ReadBuffer) {
        processes = buffer.read(processesFile) { ProcessList.count($0) }
    }

    /// `.max` where there is no limit.
    private static func bytes(_ value: Int) -> Int { value >= 1 << 62 ? .max : value }

    /// After usage, which v1's figures include. Where the kernel does not account for swap, nothing but the machine bounds it.
    func readSwap(_ buffer: ReadBuffer) {
        swapRoom = .max
        guard let most = buffer.read(swapLimitFile, { SingleValue.parse($0) }).map(Self.bytes), most != .max,
            let used = buffer.read(swapUsageFile, { SingleValue.parse($0) })
        else { return }
        switch version {
        case .v2: swapRoom = max(0, most &- used)
        case .v1: swapRoom = limit == .max ? .max : max(0, (most &- limit) &- (used &- usage))
        }
    }

    func readUsage(_ buffer: ReadBuffer) {
        if let value = buffer.read(usageFile, { SingleValue.parse($0) }) {
            usage = value
            hasUsage = true
        }
    }

    /// `floor` stands in for the unreclaimable bytes where `memory.stat` was never readable: page cache would otherwise
    /// pass for memory that cannot be had back, for ever.
    func readStat(_ buffer: ReadBuffer, floor: Int) {
        let stat =
            version == .v2
            ? buffer.read(statFile) { MemoryStat(v2: $0) } : buffer.read(statFile) { MemoryStat(v1: $0) }
        if let stat {
            var kernel = 0
            if let kernelFile { kernel = buffer.read(kernelFile) { SingleValue.parse($0) } ?? 0 }
            unreclaimable = stat.unreclaimable &+ kernel
            refaultCounts = stat.refaults
            usageAtStat = usage
            hasStat = true
        } else if !hasStat {
            unreclaimable = hasUsage ? min(usage, floor) : floor
            usageAtStat = usage
        }
    }

    /// Pages that were read back after they had been reclaimed.
    var refaults: Int { version == .v2 ? refaultCounts.pages : legacyRefaults.pages }
    /// Those of them that belong to no working set.
    var scannedPages: Int { version == .v2 ? refaultCounts.scanned : legacyRefaults.scanned }

    /// Counts on v1 the pages that came back, after `memory.stat`, by what the machine counts.
    func countLegacyRefaults(machine: RefaultCounts?) {
        legacyRefaults.count(refaultCounts, machine: machine)
    }

    func readEvents(_ buffer: ReadBuffer) {
        switch version {
        case .v2:
            guard let value = buffer.read(eventsFile, { MemoryEventCounters(v2: $0) }) else { return }
            events = value
            hasEvents = true
        case .v1:
            if let failures = buffer.read(eventsFile, { SingleValue.parse($0) }) {
                events.max = UInt64(failures)
                hasEvents = true
            }
            if let oomFile, let kills = buffer.read(oomFile, { MemoryEventCounters.oomKills(v1: $0) }) {
                events.oomKill = kills
                hasEvents = true
            }
        }
    }

    /// The unreclaimable bytes now, where usage has been read since the last `memory.stat`: only growth counts.
    var estimatedUnreclaimable: Int { unreclaimable &+ max(0, usage &- usageAtStat) }
}
