import JetsamTesting
import Testing

@testable import MemoryPressure

@Suite struct CgroupMapTests {
    @Test(
        arguments: [
            (.v2, ["/sys/fs/cgroup/box0/server", "/sys/fs/cgroup/box0"], "/sys/fs/cgroup/box0/server"),
            (
                .v1,
                ["/sys/fs/cgroup/memory/box0/server", "/sys/fs/cgroup/memory/box0", "/sys/fs/cgroup/memory"], nil
            ),
            (
                .hybrid,
                ["/sys/fs/cgroup/memory/box0/server", "/sys/fs/cgroup/memory/box0", "/sys/fs/cgroup/memory"],
                "/sys/fs/cgroup/unified/box0/server"
            ),
            (.namespaced, ["/sys/fs/cgroup"], "/sys/fs/cgroup"),
            (.readOnly, ["/sys/fs/cgroup"], "/sys/fs/cgroup"),
            (.bindMounted, ["/sys/fs/cgroup/memory"], nil),
            (.bare, [], nil),
        ] as [(KernelTreeLayout, [String], String?)])
    func `every arrangement of cgroups is found`(layout: KernelTreeLayout, levels: [String], own: String?) throws {
        let tree = try KernelTree(layout, limit: 1 << 29, ancestorLimits: [1 << 30])
        let map = CgroupMap.discover(in: tree.root)
        #expect(map.levels.map(\.directory) == levels)
        let isV1 = [KernelTreeLayout.v1, .hybrid, .bindMounted].contains(layout)
        #expect(map.levels.allSatisfy { $0.version == (isV1 ? .v1 : .v2) })
        #expect(map.ownV2Directory == own)
        #expect((map.obstacle == nil) == !levels.isEmpty)
    }

    @Test(arguments: [KernelTreeLayout.v2, .v1, .hybrid])
    func `a cgroup whose directory cannot be seen is read through its nearest visible ancestor`(
        layout: KernelTreeLayout
    ) throws {
        let tree = try KernelTree(layout, ancestorLimits: [1 << 30])
        tree.moveProcess(to: "/box0/elsewhere/deep")
        let map = CgroupMap.discover(in: tree.root)
        #expect(map.levels.first?.directory == tree.directory(level: 1))
        // Below it there may be limits.
        #expect(map.mayHideLimit)
        #expect(map.obstacle?.contains("shows all of the cgroup") == true)
    }

    @Test func `a cgroup outside the namespace is said to be out of sight`() throws {
        let tree = try KernelTree.namespaced(limit: 1 << 29)
        tree.moveProcess(to: "/../sibling")
        let map = CgroupMap.discover(in: tree.root)
        #expect(map.levels.isEmpty)
        #expect(map.obstacle == "no mount here shows the cgroup v2 path /../sibling")
    }

    @Test func `a v2 cgroup without the memory controller is accounted for in its parent`() throws {
        let tree = try KernelTree.v2(limit: 1 << 29, ancestorLimits: [1 << 30])
        for name in ["max", "current", "stat", "high", "events"] {
            tree.damage("/sys/fs/cgroup/box0/server/memory.\(name)", .missing)
        }
        let map = CgroupMap.discover(in: tree.root)
        #expect(map.levels.map(\.directory) == ["/sys/fs/cgroup/box0"])
        #expect(map.ownV2Directory == "/sys/fs/cgroup/box0/server")
    }

    @Test(arguments: ["/proc/self/cgroup", "/proc/self/mountinfo"])
    func `without the kernel's lists there is a reason instead of levels`(path: String) throws {
        let tree = try KernelTree.v2(limit: 1 << 29)
        tree.damage(path, .missing)
        let map = CgroupMap.discover(in: tree.root)
        #expect(map.levels.isEmpty)
        #expect(map.obstacle?.contains("ENOENT") == true)
    }

    @Test func `the cgroup of another process is found by its number`() throws {
        let tree = try KernelTree.v2(limit: 1 << 29)
        var root = tree.root
        root.processIdentifier = 1
        #expect(root.process("cgroup") == "/proc/1/cgroup")
        #expect(CgroupMap.discover(in: root).obstacle?.contains("ENOENT") == true)
    }
}
