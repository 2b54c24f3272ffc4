internal import MemoryPressure

/// How the control groups are arranged, and how much of them can be seen.
struct CgroupFindings {
    enum Layout: String { case v1, v2, hybrid, none }

    var layout = Layout.none
    /// Whether a cgroup namespace other than the machine's is in force; nil where that cannot be told.
    var isNamespaced: Bool?
    /// What part of the hierarchy is mounted, where that is not the whole.
    var mountedPart: String?
    /// Whether the hierarchy with the memory controller is mounted read-only; nil where there is none.
    var isReadOnly: Bool?
    /// Whether the own v2 cgroup may swap; nil where it does not say.
    var maySwap: Bool?

    init(_ files: KernelText, own: CgroupLevel?) {
        let membership = CgroupMembership(parsing: (try? files.contents(files.root.process("cgroup"))) ?? "")
        let mountText = (try? files.contents("/proc/self/mountinfo")) ?? ""
        let mounts = CgroupMount.parse(mountText)
        let hasUnified = mounts.contains { $0.version == .v2 }
        if membership.v1Memory != nil {
            layout = hasUnified && membership.v2 != nil ? .hybrid : .v1
        } else if membership.v2 != nil {
            layout = .v2
        }
        isNamespaced = Self.isNamespaced(files, membership, mounts)
        guard let own else { return }
        let mount = mounts.filter { own.directory.hasPrefix($0.mountPoint) && $0.version == own.version }
            .max { $0.mountPoint.utf8.count < $1.mountPoint.utf8.count }
        guard let mount else { return }
        if mount.root != "/" { mountedPart = mount.root }
        isReadOnly = Self.isReadOnly(mount.mountPoint, in: mountText)
        if own.version == .v2 { maySwap = files.line(own.directory + "/memory.swap.max").map { $0 != "0" } }
    }

    var hidesAncestors: Bool { isNamespaced == true || mountedPart != nil }

    private static func isNamespaced(
        _ files: KernelText, _ membership: CgroupMembership, _ mounts: [CgroupMount]
    ) -> Bool? {
        if let link = files.link("/proc/self/ns/cgroup") {
            // The number of the first cgroup namespace is fixed (PROC_CGROUP_INIT_INO, linux/proc_ns.h).
            return link != "cgroup:[\(0xEFFF_FFFB)]"
        }
        // Only the machine's real root is no cgroup with events of its own.
        guard membership.v2 == "/", let unified = mounts.first(where: { $0.version == .v2 }) else { return nil }
        return files.exists(unified.mountPoint + "/cgroup.events")
    }

    private static func isReadOnly(_ mountPoint: String, in mounts: String) -> Bool {
        mounts.split(separator: "\n").contains { line in
            let fields = line.split(separator: " ")
            return fields.count > 6 && fields[4] == mountPoint && fields[5].split(separator: ",").contains("ro")
        }
    }

    var layoutText: String {
        switch layout {
        case .v1: "version 1"
        case .v2: "version 2"
        case .hybrid: "hybrid: the memory controller on version 1, a version 2 hierarchy beside it"
        case .none: "none can be seen"
        }
    }

    var accessText: String? {
        isReadOnly.map { $0 ? "mounted read-only, as in an ordinary container" : "mounted read-write" }
    }
}
