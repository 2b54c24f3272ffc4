import Jetsam
import JetsamTesting
import MemoryPressure

/// The kernel's files of one simulated process: those that change are made up at each reading, the others are on disk.
struct SimulatedKernelFiles {
    private static let machineBytes = 64 << 30
    private static let sharedPages = 1000

    /// What the process's files are read from.
    let root: KernelRoot

    /// - Parameters:
    ///   - tree: A made-up tree on disk, in which the cgroup is found.
    ///   - footprint: What the process costs at the moment, in bytes.
    init(in cgroup: SimulatedCgroup, tree: KernelTree, footprint: @escaping () -> Int) {
        var root = tree.root
        let directory = tree.directory() ?? ""
        var files: [String: any MadeUpFiles.Source] = [
            directory + "/memory.current": TextSource { $0.addLine("", cgroup.usageBytes) },
            directory + "/memory.max": TextSource { $0.addLine("", cgroup.limitBytes) },
            directory + "/memory.stat": TextSource { text in
                text.addLine("anon ", cgroup.unreclaimableBytes)
                text.addLine("file ", cgroup.pageCacheBytes)
                text.addLine("kernel ", 0)
                text.addLine("sock ", 0)
                text.addLine("inactive_anon ", 0)
                text.addLine("active_anon ", cgroup.unreclaimableBytes)
                text.addLine("workingset_refault_file ", cgroup.refaultedPages)
                text.addLine("workingset_activate_file ", cgroup.refaultedPages)
            },
            directory + "/memory.events": TextSource { text in
                text.addLine("high ", cgroup.highTouches)
                text.addLine("max ", cgroup.limitTouches)
                text.addLine("oom ", cgroup.kills)
                text.addLine("oom_kill ", cgroup.kills)
            },
            directory + "/cgroup.procs": TextSource { text in
                for number in 0..<cgroup.processCount { text.addLine("", number + 1) }
            },
            tree.pressurePath: TextSource { text in
                text.addLine("some avg10=0.00 avg60=0.00 avg300=0.00 total=", cgroup.stalledMicroseconds)
                text.addLine("full avg10=0.00 avg60=0.00 avg300=0.00 total=", cgroup.stalledMicroseconds / 2)
            },
            "/proc/self/statm": TextSource { text in
                let resident = footprint() / 4096 + Self.sharedPages
                text.add(resident * 2)
                text.add(" ")
                text.add(resident)
                text.add(" ")
                text.add(Self.sharedPages)
                text.add(" 1 0 1 0\n")
            },
            "/proc/self/status": TextSource { text in
                text.add("VmSwap:\t0 kB\nRssShmem:\t0 kB\n")
            },
            "/proc/meminfo": TextSource { text in
                text.add("MemTotal:       ")
                text.add(Self.machineBytes / 1024)
                text.add(" kB\nMemFree:        ")
                text.add(Self.machineBytes / 2048)
                text.add(" kB\nMemAvailable:   ")
                text.add((Self.machineBytes - cgroup.unreclaimableBytes) / 1024)
                text.add(" kB\n")
            },
        ]
        if let high = cgroup.highBytes { files[directory + "/memory.high"] = TextSource { $0.addLine("", high) } }
        root.madeUpFiles = MadeUpFiles(files)
        self.root = root
    }
}
