internal import SystemPackage

/// The place of the process's memory accounting and stall times: what discovery has learned, before anything is opened.
struct CgroupMap: Equatable {
    /// Directories with memory accounting, the process's own first, then its ancestors.
    var levels: [Place] = []
    /// The reason why there is none, or why the process's own cannot be seen; nil where neither is so.
    var obstacle: String?
    /// Indicates whether a limit may be set that cannot be seen from here; `obstacle` says why.
    var mayHideLimit = false
    /// The process's own v2 cgroup, where it is not the root of the machine's hierarchy.
    var ownV2Directory: String?
    /// The bytes of `/proc/PID/cgroup` that this was made from.
    var membership: [UInt8] = []

    struct Place: Equatable {
        var version: CgroupVersion
        var directory: String
    }

    /// The PSI file of the process's own cgroup where it has one, else the machine's.
    func pressurePath(in root: KernelRoot) -> String {
        if let own = ownV2Directory.map({ $0 + "/memory.pressure" }), Syscalls.exists(root.outer(own)) { return own }
        return "/proc/pressure/memory"
    }

    /// Looks at the membership and the mounts of `root`. Never fails: what is missing is said in `obstacle`.
    static func discover(in root: KernelRoot) -> CgroupMap {
        var map = CgroupMap()
        let mounts: [CgroupMount]
        do throws(Errno) {
            map.membership = try contents(root.process("cgroup"), in: root)
            let text = try contents("/proc/self/mountinfo", in: root)
            mounts = CgroupMount.parse(String(decoding: text, as: UTF8.self))
        } catch {
            map.obstacle = "the process's cgroup cannot be found: \(ErrnoText.reading(error))"
            map.mayHideLimit = true
            return map
        }
        let membership = CgroupMembership(parsing: String(decoding: map.membership, as: UTF8.self))
        let exists = { (path: String) in Syscalls.exists(root.outer(path)) }

        let v2 = membership.v2.flatMap { path in place(path, mounts.filter { $0.version == .v2 }, exists) }
        // Only a cgroup that is not the hierarchy's real root has this file.
        map.ownV2Directory = v2?.directories.first.flatMap { exists($0 + "/cgroup.events") ? $0 : nil }

        if let path = membership.v1Memory {
            let found = place(path, mounts.filter { $0.version == .v1 }, exists)
            map.levels = (found?.directories ?? []).map { Place(version: .v1, directory: $0) }
            if found?.isWhole != true { map.hideLimit(found, "cgroup v1 path \(path) of the memory controller") }
        } else if let path = membership.v2 {
            // The real root has no memory.max, and neither has a cgroup whose parent keeps the controller to itself.
            let found = (v2?.directories ?? []).filter { exists($0 + "/memory.max") }
            map.levels = found.map { Place(version: .v2, directory: $0) }
            if v2?.isWhole != true {
                map.hideLimit(v2, "cgroup v2 path \(path)")
            } else if found.isEmpty {
                map.obstacle = "the cgroup v2 path \(path) has no memory controller, and neither has an ancestor"
            }
        } else {
            map.obstacle = "the process is in no cgroup with a memory controller"
        }
        return map
    }

    /// Directories of a path, the deepest first, and whether its own is among them.
    private typealias Found = (directories: [String], isWhole: Bool)

    /// Says that the process's own cgroup cannot be seen, with or without an ancestor of it.
    private mutating func hideLimit(_ found: Found?, _ path: String) {
        obstacle = "no mount here shows \(found == nil ? "" : "all of ")the \(path)"
        mayHideLimit = true
    }

    /// The directories of `path` and its ancestors through the first mount that shows the cgroup itself, else through the
    /// one that shows its nearest ancestor.
    private static func place(_ path: String, _ mounts: [CgroupMount], _ exists: (String) -> Bool) -> Found? {
        let candidates = mounts.compactMap { $0.directories(of: path) }
        if let whole = candidates.first(where: { exists($0[0]) }) { return (whole, true) }
        let parts = candidates.map { $0.filter(exists) }.filter { !$0.isEmpty }
        return parts.max { $0.count < $1.count }.map { ($0, false) }
    }

    private static func contents(_ path: String, in root: KernelRoot) throws(Errno) -> [UInt8] {
        if let fault = root.readingFault(path) { throw fault }
        return try Syscalls.contents(of: root.outer(path))
    }
}
