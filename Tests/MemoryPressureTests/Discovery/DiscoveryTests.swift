import Testing

@testable import MemoryPressure

@Suite struct CgroupMembershipTests {
    @Test(
        arguments: [
            ("0::/user.slice/a.service\n", "/user.slice/a.service", nil),
            ("0::/\n", "/", nil),
            ("0::/../sibling\n", "/../sibling", nil),
            ("4:memory:/box\n", nil, "/box"),
            ("9:name=systemd:/init\n3:cpu,memory,pids:/box\n0::/own\n", "/own", "/box"),
            ("8:pids:/first\n4:memory:/second\n0::/third\n", "/third", "/second"),
            ("3:memory:/a:b:c\n", nil, "/a:b:c"),
            ("5:name=memory:/named\n", nil, nil),
            ("5:memoryfoo:/x\n", nil, nil),
            ("0::/gone (deleted)\n", "/gone", nil),
            ("", nil, nil),
            ("nonsense\n0:\n::\n0::relative\n", nil, nil),
        ] as [(String, String?, String?)])
    func `each hierarchy has its own line, whatever its place`(text: String, v2: String?, v1: String?) {
        let membership = CgroupMembership(parsing: text)
        #expect(membership.v2 == v2)
        #expect(membership.v1Memory == v1)
    }
}

@Suite struct CgroupMountTests {
    @Test func `cgroup mounts are picked out of all the others`() {
        let text = """
            22 27 0:21 / /proc rw,relatime - proc proc rw
            30 24 0:26 / /sys/fs/cgroup ro,nosuid shared:9 - tmpfs tmpfs ro,mode=755
            32 30 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu
            35 30 0:32 /docker/ab /sys/fs/cgroup/memory ro shared:1 master:11 - cgroup cgroup rw,memory
            41 30 0:38 / /sys/fs/cgroup/with\\040space rw,relatime - cgroup2 cgroup2 rw,nsdelegate
            42 30 0:39 / relative rw - cgroup2 none rw
            short line
            43 30 0:40 / /cut rw

            """
        #expect(
            CgroupMount.parse(text) == [
                CgroupMount(version: .v1, root: "/docker/ab", mountPoint: "/sys/fs/cgroup/memory"),
                CgroupMount(version: .v2, root: "/", mountPoint: "/sys/fs/cgroup/with space"),
            ])
    }

    @Test(
        arguments: [
            ("/", "/", ["/m"]),
            ("/", "/a/b", ["/m/a/b", "/m/a", "/m"]),
            ("/a", "/a/b", ["/m/b", "/m"]),
            ("/a/b", "/a/b", ["/m"]),
            ("/a", "/ab", nil),
            ("/a/b", "/a", nil),
            // Seen from inside a namespace: beside its root, above it, and a mount that was made outside.
            ("/", "/../x", nil),
            ("/..", "/../x", ["/m/x", "/m"]),
            ("/..", "/", ["/m"]),
            ("/../..", "/../x", ["/m"]),
            ("/..", "/../..", nil),
        ] as [(String, String, [String]?)])
    func `a cgroup's directories are what lies below the mount's root`(
        root: String, path: String, directories: [String]?
    ) {
        let mount = CgroupMount(version: .v2, root: root, mountPoint: "/m")
        #expect(mount.directories(of: path) == directories)
    }

    @Test func `a hierarchy mounted at the root of the file system is found`() {
        let mount = CgroupMount(version: .v2, root: "/", mountPoint: "/")
        #expect(mount.directories(of: "/a") == ["/a", "/"])
    }
}
