internal import MemoryPressure

/// The figures that a made-up tree's files are written from.
struct KernelTreeModel {
    struct Level {
        /// The path in the hierarchy, such as `/box/server`.
        var path: String
        var limit: Int?
        var high: Int?
        var unreclaimable = 0
        var pageCache = 0
        /// Bytes of other processes at this level, which are unreclaimable too.
        var neighbours = 0
        var events = MemoryEventCounters()
        /// Pages of a working set that came back.
        var refaults = 0
        /// Pages of files that are read from end to end.
        var scannedPages = 0
        var processes = 1
        /// The most that may be swapped out; nil for no limit.
        var swapLimit: Int?
        var swapped = 0
    }

    let layout: KernelTreeLayout
    /// The process's own first.
    var levels: [Level]
    var totalBytes: Int
    var availableBytes: Int
    var swapFreeBytes = 0
    var refaults = 0
    var footprintBytes = 0
    var swappedBytes = 0
    var residentSharedBytes = 0
    var stallSome: Duration = .zero
    var stallFull: Duration = .zero
    /// The path that `/proc/self/cgroup` tells; nil while it is the own level's path.
    var movedTo: String?

    /// The files that describe one level's figures, as names and contents.
    func files(ofLevel index: Int) -> [(name: String, text: String)] {
        let level = levels[index]
        let unreclaimable = levels[...index].reduce(level.neighbours) { $0 + $1.unreclaimable }
        let below = levels[..<index].reduce(0) { $0 + $1.neighbours + $1.pageCache }
        let fixed = unreclaimable + levels[..<index].reduce(0) { $0 + $1.neighbours }
        let usage = unreclaimable + level.pageCache + below
        return layout.isV2
            ? v2Files(level, usage: usage, fixed: fixed, cache: usage - fixed)
            : v1Files(level, usage: usage, fixed: fixed, cache: usage - fixed)
    }

    private func v2Files(_ level: Level, usage: Int, fixed: Int, cache: Int) -> [(name: String, text: String)] {
        // A little of it is the kernel's, as in life; part of that (slab) can be had back and comes on top.
        let kernel = fixed / 32, slab = min(cache, 65536)
        let stat = """
            anon \(fixed - kernel)
            file \(cache - slab)
            kernel \(kernel + slab)
            kernel_stack \(kernel / 2)
            pagetables \(kernel - kernel / 2)
            percpu 0
            sock 0
            shmem 0
            file_mapped \(cache / 2)
            anon_thp \(fixed / 2)
            inactive_anon \((fixed - kernel) / 4)
            active_anon \((fixed - kernel) - (fixed - kernel) / 4)
            inactive_file \(cache - slab)
            active_file 0
            unevictable 0
            slab_reclaimable \(slab)
            slab_unreclaimable 0
            slab \(slab)
            pgfault 12345
            workingset_refault_anon 0
            workingset_refault_file \(level.refaults + level.scannedPages)
            workingset_activate_file \(level.refaults)

            """
        let events = level.events
        let counters = """
            low 0
            high \(events.high)
            max \(events.max)
            oom \(events.oom)
            oom_kill \(events.oomKill)
            oom_group_kill 0

            """
        return [
            ("memory.current", "\(usage)\n"),
            ("memory.max", level.limit.map { "\($0)\n" } ?? "max\n"),
            ("memory.high", level.high.map { "\($0)\n" } ?? "max\n"),
            ("memory.stat", stat),
            ("memory.events", counters),
            ("memory.events.local", counters),
            ("memory.swap.max", level.swapLimit.map { "\($0)\n" } ?? "max\n"),
            ("memory.swap.current", "\(level.swapped)\n"),
            ("cgroup.procs", processes(level)),
        ]
    }

    private func v1Files(_ level: Level, usage: Int, fixed: Int, cache: Int) -> [(name: String, text: String)] {
        let kernel = fixed / 32, anonymous = fixed - kernel
        // Together with memory, and never less than its limit.
        let both = level.swapLimit.flatMap { swap in level.limit.map { $0 + swap } } ?? KernelTree.v1Unlimited
        let stat = """
            cache \(cache)
            rss \(anonymous)
            shmem 0
            inactive_anon \(anonymous / 4)
            active_anon \(anonymous - anonymous / 4)
            inactive_file \(cache)
            active_file 0
            unevictable 0
            hierarchical_memory_limit \(level.limit ?? KernelTree.v1Unlimited)
            total_cache \(cache)
            total_rss \(anonymous)
            total_rss_huge 0
            total_shmem 0
            total_inactive_anon \(anonymous / 4)
            total_active_anon \(anonymous - anonymous / 4)
            total_inactive_file \(cache)
            total_active_file 0
            total_unevictable 0
            total_workingset_refault_file \(level.refaults + level.scannedPages)

            """
        return [
            ("memory.usage_in_bytes", "\(usage)\n"),
            ("memory.limit_in_bytes", "\(level.limit ?? KernelTree.v1Unlimited)\n"),
            ("memory.soft_limit_in_bytes", "\(KernelTree.v1Unlimited)\n"),
            ("memory.kmem.usage_in_bytes", "\(kernel)\n"),
            ("memory.stat", stat),
            ("memory.failcnt", "\(level.events.max)\n"),
            ("memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill \(level.events.oomKill)\n"),
            ("memory.memsw.limit_in_bytes", "\(both)\n"),
            ("memory.memsw.usage_in_bytes", "\(usage + level.swapped)\n"),
            ("cgroup.procs", processes(level)),
        ]
    }

    private func processes(_ level: Level) -> String {
        (0..<level.processes).reduce(into: "") { $0 += "\($1 + 1)\n" }
    }

    /// A PSI file.
    var pressure: String {
        """
        some avg10=0.00 avg60=0.00 avg300=0.00 total=\(stallSome.nanoseconds / 1000)
        full avg10=0.00 avg60=0.00 avg300=0.00 total=\(stallFull.nanoseconds / 1000)

        """
    }

    var memoryInfo: String {
        """
        MemTotal:       \(totalBytes / 1024) kB
        MemFree:        \(availableBytes / 2048) kB
        MemAvailable:   \(availableBytes / 1024) kB
        Buffers:               0 kB
        Cached:         \(availableBytes / 2048) kB
        SwapTotal:      \(swapFreeBytes / 1024) kB
        SwapFree:       \(swapFreeBytes / 1024) kB

        """
    }

    var machineStat: String {
        let all = refaults + levels.reduce(0) { $0 + $1.refaults }
        return """
            nr_free_pages \(availableBytes / 8192)
            workingset_nodes 12
            workingset_refault_anon 0
            workingset_refault_file \(all + levels.reduce(0) { $0 + $1.scannedPages })
            workingset_activate_anon 7
            workingset_activate_file \(all)

            """
    }

    /// Contents of `statm` for pages of `pageSize` bytes; a thousand pages are shared with other processes.
    func pages(_ pageSize: Int) -> String {
        let beyond = swappedBytes + residentSharedBytes
        let resident = max(0, footprintBytes - beyond) / pageSize + 1000
        return "\(resident * 3) \(resident) 1000 50 0 \(resident * 2) 0\n"
    }

    var status: String {
        """
        Name:\tserver
        VmSwap:\t\(swappedBytes / 1024) kB
        RssShmem:\t\(residentSharedBytes / 1024) kB
        Threads:\t4

        """
    }
}
