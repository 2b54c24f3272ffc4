import Testing

@testable import jetsam_stress

@Suite struct CgroupPlacesTests {
    private static let unifiedMount = "31 23 0:28 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"
    private static let hybridMounts = """
        22 1 8:1 / / rw - ext4 /dev/sda1 rw
        32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct
        35 31 0:32 / /sys/fs/cgroup/memory rw,relatime shared:9 master:2 - cgroup cgroup rw,memory
        41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
        """

    @Test(
        "The own cgroup comes first, then those above it, on the hierarchy that has the memory",
        arguments: [
            (
                "0::/user.slice/a.scope\n", unifiedMount,
                ["/sys/fs/cgroup/user.slice/a.scope", "/sys/fs/cgroup/user.slice", "/sys/fs/cgroup"], []
            ),
            ("0::/\n", unifiedMount, ["/sys/fs/cgroup"], []),
            (
                "5:cpu,cpuacct:/x\n4:memory:/a/b\n1:name=systemd:/\n0::/u\n", hybridMounts,
                ["/sys/fs/cgroup/unified/u", "/sys/fs/cgroup/unified"],
                ["/sys/fs/cgroup/memory/a/b", "/sys/fs/cgroup/memory/a", "/sys/fs/cgroup/memory"]
            ),
            // A hierarchy whose name only looks like it.
            ("4:name=memory:/a\n", hybridMounts, [], []),
            ("4:memory:/a\n", unifiedMount, [], []),
            ("", "", [], []),
            ("nonsense\n0\n", "nonsense\n1 2 3 4 5 6 - \n", [], []),
        ]
    )
    func table(cgroup: String, mounts: String, unified: [String], memory: [String]) {
        let places = CgroupPlaces(cgroup: cgroup, mounts: mounts)
        #expect(places.unified == unified)
        #expect(places.memory == memory)
    }

    @Test("A container's bind mount takes its root off the cgroup's path")
    func bindMount() {
        let mount = "35 31 0:32 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n"
        #expect(CgroupPlaces(cgroup: "4:memory:/docker/abc\n", mounts: mount).memory == ["/sys/fs/cgroup/memory"])
        #expect(
            CgroupPlaces(cgroup: "4:memory:/docker/abc/x\n", mounts: mount).memory
                == ["/sys/fs/cgroup/memory/x", "/sys/fs/cgroup/memory"]
        )
    }

    @Test("A path that leads out of a namespace counts as the top of the mount")
    func outside() {
        let places = CgroupPlaces(cgroup: "0::/../other\n", mounts: Self.unifiedMount)
        #expect(places.unified == ["/sys/fs/cgroup"])
    }

    @Test("A blank in a mount point is read as the kernel writes it")
    func escaped() {
        let mount = #"31 23 0:28 / /mnt/c\040g rw - cgroup2 cgroup2 rw"#
        #expect(CgroupPlaces(cgroup: "0::/a", mounts: mount).unified == ["/mnt/c g/a", "/mnt/c g"])
    }
}
