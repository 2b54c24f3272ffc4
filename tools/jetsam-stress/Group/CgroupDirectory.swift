internal import MemoryPressure
internal import SystemPackage
internal import _StressPatterns

/// One cgroup that the tool made, named after its process and locked as long as that process lives.
final class CgroupDirectory {
    let path: String
    /// The lock goes with the process, in whatever way it ends: what can be locked belongs to nobody any more.
    private var lock: FileDescriptor?
    /// The parent in which the memory controller was switched on for this one.
    private var enabledIn: String?

    init(makingIn parent: String) throws(Errno) {
        path = "\(parent)/\(LimitedGroup.namePrefix)\(System.processIdentifier)"
        // Only an earlier process with this one's number can have left it.
        if Syscalls.exists(path) { Self.remove(path) }
        try Syscalls.makeDirectory(path, mode: [.ownerReadWriteExecute, .groupReadExecute, .otherReadExecute])
        lock = try? System.lockDirectory(path)
    }

    static func makeLimitedV2(in parent: String, _ limits: LimitedGroup.Limits) throws(StressError) -> CgroupDirectory {
        try explaining("\(parent) (v2)") { () throws(Errno) in
            let controllers = try System.text(of: parent + "/cgroup.controllers").split { $0.isWhitespace }
            guard controllers.contains("memory") else { throw .notSupported }
            let switches = parent + "/cgroup.subtree_control"
            let isEnabled = try System.text(of: switches).split { $0.isWhitespace }.contains("memory")
            if !isEnabled { try System.write("+memory", to: switches) }
            let directory = try CgroupDirectory(makingIn: parent)
            if !isEnabled { directory.enabledIn = switches }
            try System.write("\(limits.hardBytes)", to: directory.path + "/memory.max")
            if let high = limits.highBytes { try System.write("\(high)", to: directory.path + "/memory.high") }
            // Absent where the kernel has no swap.
            try? System.write("\(limits.swapBytes)", to: directory.path + "/memory.swap.max")
            return directory
        }
    }

    static func makeLimitedV1(in parent: String, _ limits: LimitedGroup.Limits) throws(StressError) -> CgroupDirectory {
        try explaining("\(parent) (v1)") { () throws(Errno) in
            let directory = try CgroupDirectory(makingIn: parent)
            try System.write("\(limits.hardBytes)", to: directory.path + "/memory.limit_in_bytes")
            // Absent where the kernel does not account for swap.
            try? System.write(
                "\(limits.hardBytes + limits.swapBytes)", to: directory.path + "/memory.memsw.limit_in_bytes"
            )
            return directory
        }
    }

    private static func explaining(
        _ place: String, _ body: () throws(Errno) -> CgroupDirectory
    ) throws(StressError) -> CgroupDirectory {
        do throws(Errno) {
            return try body()
        } catch .notSupported {
            throw StressError("\(place): the memory controller is not there")
        } catch {
            throw StressError("\(place): \(error)")
        }
    }

    deinit {
        remove()
    }

    func kill() {
        Self.kill(path)
    }

    func remove() {
        guard lock != nil || Syscalls.exists(path) else { return }
        Self.remove(path)
        try? lock?.close()
        lock = nil
        if let enabledIn { try? System.write("-memory", to: enabledIn) }
        enabledIn = nil
    }
}
