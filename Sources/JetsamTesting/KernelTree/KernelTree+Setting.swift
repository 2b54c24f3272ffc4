internal import MemoryPressure
internal import SystemPackage

extension KernelTree {
    /// Sets the bytes of the process's cgroup that cannot be taken back for free: `memory.stat` and usage, and those of the
    /// ancestors, follow.
    public func setUnreclaimable(bytes: Int) {
        change { state throws(Errno) in
            state.model.levels[0].unreclaimable = bytes
            try state.writeLevel(0)
        }
    }

    /// Sets the page cache charged to a level, in bytes, which counts as usage and can be taken back.
    public func setPageCache(bytes: Int, level: Int = 0) {
        change { state throws(Errno) in
            state.model.levels[level].pageCache = bytes
            try state.writeLevel(level)
        }
    }

    /// Sets the unreclaimable bytes that other processes have at a level, beside all that is below it.
    public func setNeighbours(bytes: Int, level: Int) {
        change { state throws(Errno) in
            state.model.levels[level].neighbours = bytes
            try state.writeLevel(level)
        }
    }

    /// Sets a level's hard limit in bytes; nil for none.
    public func setLimit(bytes: Int?, level: Int = 0) {
        change { state throws(Errno) in
            state.model.levels[level].limit = bytes
            try state.writeLevel(level)
        }
    }

    /// Sets a level's `memory.high` in bytes; nil for none. Nothing on v1.
    public func setHigh(bytes: Int?, level: Int = 0) {
        change { state throws(Errno) in
            state.model.levels[level].high = bytes
            try state.writeLevel(level)
        }
    }

    /// Counts up a level's events; on v1 only `max` (as failcnt) and `oomKill` exist.
    public func addEvents(high: UInt64 = 0, max: UInt64 = 0, oom: UInt64 = 0, oomKill: UInt64 = 0, level: Int = 0) {
        change { state throws(Errno) in
            state.model.levels[level].events.high += high
            state.model.levels[level].events.max += max
            state.model.levels[level].events.oom += oom
            state.model.levels[level].events.oomKill += oomKill
            try state.writeLevel(level)
        }
    }

    /// Counts up the pages of files that came back to a level after the kernel had taken them (`workingset_refault_file`).
    ///
    /// - Parameters:
    ///   - pages: The number of pages.
    ///   - ofScan: Pass true for pages of a file that is read once from end to end, and false for those of a working set
    ///     (`workingset_activate_file`, which v1 has in `/proc/vmstat` alone).
    ///   - level: The level: 0 for the process's own cgroup, 1 for its parent, and so on.
    public func addRefaults(pages: Int, ofScan: Bool = false, level: Int = 0) {
        change { state throws(Errno) in
            if ofScan {
                state.model.levels[level].scannedPages += pages
            } else {
                state.model.levels[level].refaults += pages
            }
            try state.write("/proc/vmstat", state.model.machineStat)
            try state.writeLevel(level)
        }
    }

    /// Counts up the pages of a working set that came back to memory anywhere on the machine (`/proc/vmstat`).
    public func addMachineRefaults(pages: Int) {
        change { state throws(Errno) in
            state.model.refaults += pages
            try state.write("/proc/vmstat", state.model.machineStat)
        }
    }

    /// Sets the totals of every PSI file: the time since boot in which some, or all, tasks waited for memory.
    public func setStall(some: Duration, full: Duration = .zero) {
        change { state throws(Errno) in
            state.model.stallSome = some
            state.model.stallFull = full
            try state.writeStall()
        }
    }

    /// Sets what the process costs, in bytes; `swapped` and `residentShared` are parts of it.
    public func setFootprint(bytes: Int, swapped: Int = 0, residentShared: Int = 0) {
        change { state throws(Errno) in
            state.model.footprintBytes = bytes
            state.model.swappedBytes = swapped
            state.model.residentSharedBytes = residentShared
            try state.writeProcess()
        }
    }

    /// Sets the machine's SwapFree in bytes.
    public func setSwapFree(bytes: Int) {
        change { state throws(Errno) in
            state.model.swapFreeBytes = bytes
            try state.write("/proc/meminfo", state.model.memoryInfo)
        }
    }

    /// Sets what a level may swap out in bytes, nil for no limit, and what of that it has swapped out. On v1 a limit needs
    /// a hard limit beside it.
    public func setSwap(limit: Int?, used: Int = 0, level: Int = 0) {
        change { state throws(Errno) in
            state.model.levels[level].swapLimit = limit
            state.model.levels[level].swapped = used
            try state.writeLevel(level)
        }
    }

    /// Sets how many processes a level has, 1 at first. Readers see it when they look at limits again.
    public func setProcesses(_ count: Int, level: Int = 0) {
        change { state throws(Errno) in
            state.model.levels[level].processes = count
            try state.writeLevel(level)
        }
    }

    /// Sets the machine's MemAvailable in bytes.
    public func setAvailable(bytes: Int) {
        change { state throws(Errno) in
            state.model.availableBytes = bytes
            try state.write("/proc/meminfo", state.model.memoryInfo)
        }
    }
}
