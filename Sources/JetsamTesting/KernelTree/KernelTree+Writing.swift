internal import MemoryPressure
internal import SystemPackage

extension KernelTree.State {
    /// The directory where the hierarchy with the memory controller is mounted.
    private var mountPoint: String {
        model.layout.isV1 ? "/sys/fs/cgroup/memory" : "/sys/fs/cgroup"
    }

    /// The directory of a level, inside the root.
    func directory(_ index: Int) -> String {
        model.layout.showsAncestors ? mountPoint + model.levels[index].path : mountPoint
    }

    /// Every PSI file, the most private first.
    var pressurePaths: [String] {
        let machine = "/proc/pressure/memory"
        if model.layout.isV2 { return [directory(0) + "/memory.pressure", machine] }
        if model.layout.kind == .hybrid {
            return ["/sys/fs/cgroup/unified\(model.levels[0].path)/memory.pressure", machine]
        }
        return [machine]
    }

    /// Makes every folder and file.
    mutating func layOut() throws(Errno) {
        for folder in ["/proc/self", "/proc/pressure", "/sys/fs/cgroup"] { try files.makeFolder(folder) }
        for index in model.levels.indices {
            try files.makeFolder(directory(index))
            if model.layout.isV2 { try markAsChild(directory(index)) }
        }
        if model.layout.kind == .hybrid {
            let own = "/sys/fs/cgroup/unified\(model.levels[0].path)"
            try files.makeFolder(own)
            try markAsChild(own)
        }
        if model.layout.showsAncestors, model.layout.isV1 {
            // The v1 root has the files of its children, and no limit.
            try files.write(mountPoint + "/memory.limit_in_bytes", "\(KernelTree.v1Unlimited)\n")
        }
        try writeMembership()
        try files.write("/proc/self/mountinfo", mounts)
        for index in model.levels.indices { try writeLevel(index) }
        try writeStall()
        try writeProcess()
        try write("/proc/meminfo", model.memoryInfo)
        try write("/proc/vmstat", model.machineStat)
        for path in pressurePaths { root.faults[path] = KernelFault(arming: .permissionDenied) }
        if model.layout.kind == .readOnly {
            for name in ["memory.pressure", "memory.events", "memory.high", "memory.max", "memory.reclaim"] {
                root.faults[directory(0) + "/" + name] = KernelFault(writing: .readOnlyFileSystem)
            }
        }
    }

    /// Writes a file, unless it was broken on purpose.
    mutating func write(_ path: String, _ text: String) throws(Errno) {
        if !broken.contains(path) { try files.write(path, text) }
    }

    /// Writes the level's files and those of its ancestors, whose figures include it.
    mutating func writeLevel(_ index: Int) throws(Errno) {
        for index in index..<model.levels.count {
            for file in model.files(ofLevel: index) {
                try write(directory(index) + "/" + file.name, file.text)
            }
        }
    }

    mutating func writeStall() throws(Errno) {
        for path in pressurePaths { try write(path, model.pressure) }
    }

    mutating func writeProcess() throws(Errno) {
        try write("/proc/self/statm", model.pages(Syscalls.pageSize))
        try write("/proc/self/status", model.status)
    }

    mutating func writeMembership() throws(Errno) {
        let own = model.movedTo ?? model.levels.first?.path ?? "/"
        let text =
            switch model.layout.kind {
            case .v2: "0::\(own)\n"
            case .namespaced, .readOnly: "0::\(model.movedTo ?? "/")\n"
            case .v1: "9:name=systemd:/init\n4:cpu,cpuacct:/other\n3:memory:\(own)\n"
            // The first line is nobody's: a reader that takes it goes wrong.
            case .hybrid: "8:pids:/\n4:memory:\(own)\n1:cpu:/\n0::\(own)\n"
            case .bindMounted: "5:cpu:/docker/0123abcd\n4:memory:\(model.movedTo ?? "/docker/0123abcd")\n0::/\n"
            case .bare: ""
            }
        try write("/proc/self/cgroup", text)
    }

    private var mounts: String {
        let point = "/sys/fs/cgroup"
        let lines =
            switch model.layout.kind {
            case .v2, .namespaced:
                ["31 23 0:28 / \(point) rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate"]
            case .readOnly:
                ["31 23 0:28 / \(point) ro,nosuid master:4 - cgroup2 cgroup rw,nsdelegate"]
            case .v1:
                [
                    "32 31 0:29 / \(point)/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct",
                    "35 31 0:32 / \(point)/memory rw - cgroup cgroup rw,memory",
                ]
            case .hybrid:
                [
                    "35 31 0:32 / \(point)/memory rw,relatime - cgroup cgroup rw,memory",
                    "41 31 0:38 / \(point)/unified rw,relatime - cgroup2 cgroup2 rw",
                ]
            case .bindMounted:
                ["35 31 0:32 /docker/0123abcd \(point)/memory ro master:11 - cgroup cgroup rw,memory"]
            case .bare: [String]()
            }
        return (["22 27 0:21 / /proc rw,relatime - proc proc rw"] + lines).joined(separator: "\n") + "\n"
    }

    private mutating func markAsChild(_ directory: String) throws(Errno) {
        try files.write(directory + "/cgroup.events", "populated 1\nfrozen 0\n")
        try files.write(directory + "/cgroup.type", "domain\n")
    }
}
