// Loops here go over indices: without optimisation, an array's iterator and `first` allocate at every element.
extension KernelReader {
    /// Takes a reading. Allocates nothing, also where files fail, and takes no lock.
    ///
    /// A cheap reading reads the usage of the tightest level and the process's `statm`, and estimates the rest: whatever
    /// usage has grown by since the last full reading is taken to be unreclaimable. The first reading is always full. A full one
    /// sees limits that were changed, but not that a level has got its first: see ``refreshLimits(includingUnlimited:)``.
    /// - Parameters:
    ///   - depth: The parts to read afresh.
    ///   - now: The present instant, which the reading bears.
    ///   - includingStall: True where a full reading reads the PSI file. Reading it starves unprivileged triggers that are armed
    ///     on it, so it is left alone while one is relied on.
    public func read(_ depth: MemoryReading.Depth, at now: MonotonicInstant, includingStall: Bool) -> MemoryReading {
        last.sequence &+= 1
        last.instant = now
        last.stallSomeMicroseconds = nil
        last.stallFullMicroseconds = nil
        if depth == .full || !hasFull {
            readFull(at: now, includingStall: includingStall)
        } else {
            last.depth = .cheap
            readPages()
            if tightestCgroup >= 0 { places[tightestCgroup].readUsage(buffer) }
            settle()
        }
        return last
    }

    private func readFull(at now: MonotonicInstant, includingStall: Bool) {
        last.depth = .full
        hasFull = true
        readPages()
        readStatusIfChanged(at: now)
        tightestCgroup = -1
        var smallest = Int.max
        for index in places.indices where places[index].isCounted {
            let place = places[index]
            // A limit that is cut to just above what is used is reached long before anybody looks at limits for their own sake.
            place.readLimits(buffer)
            place.readUsage(buffer)
            place.readEvents(buffer)
            place.readStat(buffer, floor: last.footprintBytes)
            guard place.isLimited else { continue }
            let headroom = place.limit &- place.unreclaimable
            if headroom < smallest {
                smallest = headroom
                tightestCgroup = index
            }
        }
        readEventTotals()
        let isOld = !hasMachine || machineReadAt.duration(to: now) >= .seconds(1)
        if isOld || tightestCgroup < 0 || smallest > availableEstimate / 2 || machine.freeSwap > 0 {
            readMachine(at: now)
        }
        readSwap()
        if includingStall, let totals = buffer.read(pressureFile, { StallTotals($0) }) {
            last.stallSomeMicroseconds = totals.some
            last.stallFullMicroseconds = totals.full
        }
        readMachineRefaults(isMachineBound: hasMachine && availableEstimate < smallest, at: now)
        settle()
    }

    /// The kernel adds them up over all processors for each reader: ten times a second is enough for what is counted over two.
    private func readMachineRefaults(isMachineBound: Bool, at now: MonotonicInstant) {
        let isLegacy = tightestCgroup >= 0 && places[tightestCgroup].version == .v1
        guard isMachineBound || isLegacy else {
            machineRefaults = nil
            machineRefaultsReadAt = nil
            return
        }
        // A level that has just become the tightest is counted at once: what it counted before would be taken for news later.
        let isSame = machineRefaultsLevel == tightestCgroup
        if isSame, let readAt = machineRefaultsReadAt, readAt.duration(to: now) < .milliseconds(100) { return }
        machineRefaultsReadAt = now
        machineRefaultsLevel = tightestCgroup
        machineRefaults = buffer.read(machineStatFile) { RefaultCounts(machine: $0) }
        if isLegacy { places[tightestCgroup].countLegacyRefaults(machine: machineRefaults) }
    }

    /// A machine without swap is not asked further.
    private func readSwap() {
        last.usableSwapBytes = hasMachine ? machine.freeSwap : 0
        guard last.usableSwapBytes > 0 else { return }
        for index in places.indices where places[index].isCounted {
            places[index].readSwap(buffer)
            last.usableSwapBytes = min(last.usableSwapBytes, places[index].swapRoom)
        }
    }

    /// Fills in what follows from the figures read: which bound is the nearest, and how far it is.
    private func settle() {
        last.availableBytes = hasMachine ? machine.available : nil
        last.headroomBytes = 0
        last.isLimited = false
        last.tightestLevel = -1
        last.refaultedPages = nil
        last.scannedPages = 0
        last.processes = nil
        var headroom = Int.max
        if tightestCgroup >= 0 {
            let place = places[tightestCgroup]
            let unreclaimable = place.estimatedUnreclaimable
            headroom = max(0, place.limit &- unreclaimable)
            last.tightestLevel = tightestCgroup
            last.isLimited = true
            last.limitBytes = place.limit
            last.usageBytes = place.usage
            last.unreclaimableBytes = unreclaimable
            last.headroomBytes = headroom
            last.processes = place.processes
            if place.hasStat {
                last.refaultedPages = UInt64(place.refaults)
                last.scannedPages = place.scannedPages
            }
        }
        if hasMachine, availableEstimate < headroom {
            last.tightestLevel = -1
            last.isLimited = false
            last.processes = nil
            last.refaultedPages = machineRefaults.map { UInt64($0.pages) }
            last.scannedPages = machineRefaults?.scanned ?? 0
            last.limitBytes = machine.total
            last.usageBytes = max(0, machine.total &- machine.free)
            last.headroomBytes = max(0, availableEstimate)
            last.unreclaimableBytes = max(0, machine.total &- last.headroomBytes)
        } else if tightestCgroup < 0 {
            last.limitBytes = 0
            last.usageBytes = 0
            last.unreclaimableBytes = 0
        }
        settleHigh()
    }

    private func settleHigh() {
        last.highBytes = nil
        last.distanceToHighBytes = nil
        for index in places.indices where places[index].high != .max {
            let place = places[index]
            // Page cache fills a group up to its `memory.high` and is taken back for free: it is no sign of throttling to come.
            let distance = place.high &- place.estimatedUnreclaimable
            guard distance < last.distanceToHighBytes ?? .max else { continue }
            last.distanceToHighBytes = distance
            last.highBytes = place.high
        }
    }

    /// MemAvailable less what this process has grown by since it was read.
    private var availableEstimate: Int {
        hasMachine ? machine.available &- max(0, last.footprintBytes &- footprintAtMachine) : .max
    }

    private func readEventTotals() {
        // The process's own cgroup counts kills whether it is limited itself or not.
        if !places.isEmpty, !places[0].isCounted { places[0].readEvents(buffer) }
        var total = MemoryEventCounters()
        var known = false
        for index in places.indices where places[index].hasEvents {
            let events = places[index].events
            known = true
            total.high &+= events.high
            total.max &+= events.max
            total.oom &+= events.oom
            total.oomKill &+= events.oomKill
        }
        last.events = known ? total : nil
    }

    private func readPages() {
        guard let pages = buffer.read(pagesFile, { ProcessPages($0) }) else { return }
        residentPages = pages.resident
        sharedPages = pages.shared
        last.footprintBytes = max(0, pages.resident &- pages.shared) &* Syscalls.pageSize &+ beyondPages
    }

    /// `status` costs as much as all else together, and what is taken from it changes only where `statm` shows it: shared
    /// memory counts as shared there, and what is swapped out is resident no more.
    private func readStatusIfChanged(at now: MonotonicInstant) {
        let age = hasStatus ? statusReadAt.duration(to: now) : .seconds(10)
        let mayHaveChanged = sharedPages != sharedAtStatus || residentPages < residentAtStatus
        guard age >= .seconds(10) || (mayHaveChanged && age >= .seconds(1)) else { return }
        // The attempt counts, so that a file that fails is not asked again at every reading.
        hasStatus = true
        statusReadAt = now
        sharedAtStatus = sharedPages
        residentAtStatus = residentPages
        guard let status = buffer.read(statusFile, { ProcessStatus($0) }) else { return }
        last.footprintBytes &-= beyondPages
        beyondPages = status.swapped &+ status.residentShared
        last.footprintBytes &+= beyondPages
    }

    private func readMachine(at now: MonotonicInstant) {
        machineReadAt = now
        guard let value = buffer.read(machineFile, { MachineMemory($0) }) else { return }
        machine = value
        hasMachine = true
        footprintAtMachine = last.footprintBytes
    }
}
