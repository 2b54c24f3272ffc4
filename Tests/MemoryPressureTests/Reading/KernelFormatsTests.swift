import Testing

@testable import MemoryPressure

/// What each kernel file's bytes are taken to say.
@Suite struct KernelFormatsTests {
    @Test(
        arguments: [
            ("0\n", 0), ("max\n", .max), ("536870912\n", 536_870_912),
            ("9223372036854771712\n", 9_223_372_036_854_771_712),
            ("18446744073709551615\n", .max), ("512", 512), ("", nil), ("\n", nil), ("none\n", nil), ("-1\n", nil),
        ] as [(String, Int?)])
    func `a single value is a number or max`(text: String, value: Int?) {
        #expect(SingleValue.parse(Array(text.utf8).span) == value)
    }

    @Test func `v2 unreclaimable memory counts the swap-backed lists, locked pages, the kernel's part and sockets`() {
        let text = """
            anon 1000
            file 5000
            kernel 700
            kernel_stack 100
            sock 30
            shmem 200
            anon_thp 999999
            inactive_anon 300
            active_anon 800
            inactive_file 4000
            active_file 600
            unevictable 50
            slab_reclaimable 400
            slab_unreclaimable 100
            slab 500
            workingset_refault_anon 70000
            workingset_refault_file 7777
            workingset_activate_anon 600
            workingset_activate_file 55
            workingset_restore_anon 300
            workingset_restore_file 5

            """
        let stat = MemoryStat(v2: Array(text.utf8).span)
        #expect(stat?.unreclaimable == 300 + 800 + 50 + (700 - 400) + 30)
        #expect(stat?.refaults.pages == 77777 && stat?.refaults.workingSet == 55 && stat?.refaults.scanned == 7722)
    }

    @Test(arguments: [
        ("workingset_refault_anon 7\nworkingset_refault_file 900\nworkingset_activate_file 30\n", 907, 870),
        // What is read with read(2) is only restored where the kernel keeps generations of pages.
        ("workingset_refault_file 900\nworkingset_activate_file 30\nworkingset_restore_file 40\n", 900, 860),
        ("workingset_refault 900\nworkingset_activate 20\nworkingset_restore 10\n", 900, 880),  // Before Linux 5.9.
        ("workingset_refault_file 9\nworkingset_activate_file 30\n", 9, 0),
        ("workingset_refault_file 900\n", 900, 0),  // A kernel that does not say which belong to a working set.
        ("workingset_nodes 3\nnr_free_pages 7\n", nil, nil),
    ])
    func `pages of the machine that came back are told from those of a scan`(text: String, pages: Int?, scanned: Int?) {
        let counts = RefaultCounts(machine: Array(text.utf8).span)
        #expect(counts?.pages == pages)
        #expect(counts?.scanned == scanned)
    }

    @Test func `on v1 as many pages belong to a working set as the machine counts, and the others to a scan`() {
        var refaults = LegacyRefaults()
        func scanned(anonymous: Int = 0, file: Int, machine: Int?) -> Int? {
            let text = """
                total_inactive_anon 10
                total_workingset_refault_anon \(anonymous)
                total_workingset_refault_file \(file)

                """
            guard let stat = MemoryStat(v1: Array(text.utf8).span) else { return nil }
            let machine = machine.flatMap {
                RefaultCounts(machine: Array("workingset_activate_file \($0)\n".utf8).span)
            }
            refaults.count(stat.refaults, machine: machine)
            #expect(refaults.pages == anonymous + file)
            return refaults.scanned
        }
        #expect(scanned(file: 5000, machine: 900) == 0, "what was counted before is nobody's news")
        #expect(scanned(file: 6000, machine: 1300) == 600)
        #expect(scanned(file: 9000, machine: 1300) == 3600, "a scan")
        #expect(scanned(file: 9000, machine: 9000) == 3600, "a working set elsewhere")
        #expect(scanned(anonymous: 7, file: 9000, machine: 9000) == 3600, "swapped pages are none of a scan")
        #expect(scanned(anonymous: 7, file: 9100, machine: 19000) == 3600)
        #expect(scanned(anonymous: 7, file: 3, machine: 20000) == 3600, "a count that falls adds nothing")
        refaults = LegacyRefaults()
        #expect(scanned(file: 5000, machine: nil) == 0)
        #expect(scanned(file: 6000, machine: nil) == 0, "where the machine does not count, none is a scan's")
    }

    @Test func `before there was a kernel total its parts are added up`() {
        let text = """
            anon 1000
            shmem 200
            inactive_anon 1000
            active_anon 200
            unevictable 0
            kernel_stack 16
            pagetables 32
            percpu 8
            sock 4
            slab_reclaimable 512
            slab_unreclaimable 64

            """
        #expect(MemoryStat(v2: Array(text.utf8).span)?.unreclaimable == 1200 + 16 + 32 + 8 + 64 + 4)
    }

    @Test func `without lists, anonymous and shared memory are taken`() {
        let text = "anon 1000\nshmem 200\nunevictable 5\nkernel 70\n"
        #expect(MemoryStat(v2: Array(text.utf8).span)?.unreclaimable == 1275)
    }

    @Test func `v1 unreclaimable memory counts whole subtrees`() {
        let text = """
            cache 1
            inactive_anon 1
            active_anon 2
            unevictable 3
            total_cache 4096
            total_rss 10
            total_inactive_anon 100
            total_active_anon 200
            total_unevictable 30

            """
        #expect(MemoryStat(v1: Array(text.utf8).span)?.unreclaimable == 330)
    }

    @Test(arguments: ["", "\n\n", "garbage", "anon_thp 5\n", "anonymous 5\n", "ano 5\n", "anon x\n", "\u{1} 1"])
    func `a memory stat without a known key is no empty cgroup`(text: String) {
        #expect(MemoryStat(v2: Array(text.utf8).span) == nil)
        #expect(MemoryStat(v1: Array(text.utf8).span) == nil)
    }

    @Test func `events are told apart by their whole name`() {
        let text = "low 1\nhigh 2\nmax 3\noom 4\noom_kill 5\noom_group_kill 6\nsock_throttled 7\n"
        let events = MemoryEventCounters(v2: Array(text.utf8).span)
        #expect(events?.high == 2)
        #expect(events?.max == 3)
        #expect(events?.oom == 4)
        #expect(events?.oomKill == 5)
        #expect(MemoryEventCounters(v2: Array("low 1\n".utf8).span) == nil)
    }

    @Test(
        arguments: [
            ("oom_kill_disable 0\nunder_oom 0\noom_kill 7\n", 7), ("oom_kill_disable 1\nunder_oom 0\n", nil), ("", nil),
        ] as [(String, UInt64?)])
    func `v1 kills stand behind the switch of a similar name`(text: String, kills: UInt64?) {
        #expect(MemoryEventCounters.oomKills(v1: Array(text.utf8).span) == kills)
    }

    @Test(
        arguments: [
            (
                "some avg10=0.22 avg60=0.17 avg300=1.11 total=58761459\nfull avg10=0.23 avg60=0.16 avg300=1.08 total=58525\n",
                58_761_459, 58525
            ),
            ("some avg10=0.00 avg60=0.00 avg300=0.00 total=12", 12, 0),
            ("full avg10=0.00 total=3\nsome avg10=0.00 total=4\n", 4, 3),
            ("some avg10=0.00 avg60=0.00\n", nil, nil),
            ("full avg10=0.00 total=3\n", nil, nil),
            ("awesome total=3\n", nil, nil),
            ("", nil, nil),
        ] as [(String, UInt64?, UInt64?)])
    func `stall totals stand at the end of their lines`(text: String, some: UInt64?, full: UInt64?) {
        let totals = StallTotals(Array(text.utf8).span)
        #expect(totals?.some == some)
        #expect(totals?.full == full)
    }

    @Test func `meminfo is in kibibytes, and needs its three lines`() {
        let text =
            "MemTotal:       24684096 kB\nMemFree:        21953160 kB\nMemAvailable:   24196816 kB\nCached: 1 kB\n"
        let memory = MachineMemory(Array(text.utf8).span)
        #expect(memory?.total == 24_684_096 << 10)
        #expect(memory?.available == 24_196_816 << 10)
        #expect(memory?.free == 21_953_160 << 10)
        #expect(MachineMemory(Array("MemTotal: 5 kB\nMemFree: 5 kB\n".utf8).span) == nil)
    }

    @Test(
        arguments: [
            ("765 414 376 5 0 90 0\n", 414, 376), ("1 2", nil, nil), ("", nil, nil), ("a b c", nil, nil),
        ] as [(String, Int?, Int?)])
    func `statm gives resident and shared pages`(text: String, resident: Int?, shared: Int?) {
        let pages = ProcessPages(Array(text.utf8).span)
        #expect(pages?.resident == resident)
        #expect(pages?.shared == shared)
    }

    @Test func `status gives what was swapped out and what is shared, whatever else is in it`() {
        let text = "Name:\tVmSwap: 9 kB\nVmRSS:\t   100 kB\nRssShmem:\t       8 kB\nVmSwap:\t      16 kB\nThreads:\t1\n"
        let status = ProcessStatus(Array(text.utf8).span)
        #expect(status.swapped == 16384)
        #expect(status.residentShared == 8192)
    }
}
