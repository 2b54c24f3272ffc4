internal import SystemPackage

/// One cgroup, told from every other one since the machine was booted, and how many processes the OOM killer has taken in it.
package struct CgroupIdentity: Sendable, Equatable {
    /// The device of its file system.
    package var device: UInt64
    /// The inode of its directory: a cgroup that is made anew under the same name has another one.
    package var inode: UInt64
    /// `oom_kill` of v2's `memory.events` or v1's `memory.oom_control`; nil where it cannot be read.
    package var oomKills: UInt64?

    package init(device: UInt64, inode: UInt64, oomKills: UInt64? = nil) {
        self.device = device
        self.inode = inode
        self.oomKills = oomKills
    }

    /// Returns whether it is the same cgroup, whatever happened in it.
    package func isSame(as other: CgroupIdentity) -> Bool {
        device == other.device && inode == other.inode
    }

    /// The cgroup whose memory accounting covers the process nearest, and the one above it where that can be seen and counts kills
    /// below itself, as cgroup v2 does. Opens files and allocates.
    package static func current(in root: KernelRoot) -> (own: CgroupIdentity?, parent: CgroupIdentity?) {
        let places = CgroupMap.discover(in: root).levels
        let parent = places.dropFirst().first { $0.version == .v2 }
        return (places.first.flatMap { identity(of: $0, in: root) }, parent.flatMap { identity(of: $0, in: root) })
    }

    private static func identity(of place: CgroupMap.Place, in root: KernelRoot) -> CgroupIdentity? {
        guard let (device, inode) = Syscalls.identity(of: root.outer(place.directory)) else { return nil }
        let name = place.version == .v2 ? "memory.events" : "memory.oom_control"
        var kills: UInt64?
        if let text = try? Syscalls.contents(of: root.outer("\(place.directory)/\(name)")) {
            let span = text.span
            kills =
                place.version == .v2
                ? MemoryEventCounters(v2: span)?.oomKill : MemoryEventCounters.oomKills(v1: span)
        }
        return CgroupIdentity(device: device, inode: inode, oomKills: kills)
    }
}
