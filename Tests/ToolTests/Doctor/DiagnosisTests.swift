import ArgumentParser
import JetsamTesting
import MemoryPressure
import SystemPackage
import Testing

@testable import jetsam

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

private let mebibyte = 1 << 20

/// The line of the text that names `name`, with what is said below it.
private func section(_ name: String, of text: String) -> String {
    var found: [Substring] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
        if line.hasPrefix("  used  ") || line.hasPrefix("  not available  ") {
            if !found.isEmpty { break }
            if line.dropFirst(17).hasPrefix(name) { found.append(line) }
        } else if !found.isEmpty {
            found.append(line)
        }
    }
    return found.joined(separator: " ").split(separator: " ").joined(separator: " ")
}

@Suite struct DiagnosisTests {
    @Test("An ordinary container can be worked with, and every reason is said")
    func readOnly() throws {
        let tree = try KernelTree.readOnly(limit: 512 * mebibyte)
        tree.setUnreclaimable(bytes: 112 * mebibyte)
        let diagnosis = Diagnosis(of: tree.root)
        let text = diagnosis.text
        #expect(diagnosis.isUsable)
        #expect(text.contains("version      version 2"))
        #expect(text.contains("mounted read-only, as in an ordinary container"))
        #expect(text.contains("A cgroup namespace is in force"))
        #expect(section("PSI trigger", of: text).hasPrefix("not available"))
        #expect(section("PSI trigger", of: text).contains("EROFS"))
        #expect(
            section("usage threshold", of: text).contains("ENOENT: this cgroup has no usage thresholds; only v1 has"))
        #expect(section("systemd watch", of: text).contains("MEMORY_PRESSURE_WATCH is not set"))
        #expect(section("cgroup limits", of: text).hasPrefix("used"))
        #expect(section("PSI totals", of: text).hasPrefix("used"))
        #expect(diagnosis.verdict.hasPrefix("Jetsam can work here with: headroom (400 MiB of 512 MiB left)"))
        #expect(diagnosis.verdict.contains("stall times that are read"))
        #expect(diagnosis.verdict.contains("the sampler alone to look"))
    }

    @Test("Every layout is named, and none is usable where nothing can be read of it", arguments: KernelTreeLayout.all)
    func layouts(layout: KernelTreeLayout) throws {
        let tree = try KernelTree(layout, limit: 512 * mebibyte)
        let diagnosis = Diagnosis(of: tree.root)
        let expected: [KernelTreeLayout: CgroupFindings.Layout] = [
            .v2: .v2, .namespaced: .v2, .readOnly: .v2, .v1: .v1, .bindMounted: .v1, .hybrid: .hybrid, .bare: .none,
        ]
        #expect(diagnosis.cgroup.layout == expected[layout])
        #expect(diagnosis.isUsable)
        #expect(diagnosis.cgroup.hidesAncestors == [.namespaced, .readOnly, .bindMounted].contains(layout))
        #expect(diagnosis.text.split(separator: "\n").allSatisfy { $0.count <= 100 })
        for reason in diagnosis.sources.compactMap(\.reason) { #expect(!reason.isEmpty) }
        #expect(diagnosis.sources.allSatisfy { !$0.meaning.isEmpty })
        if layout == .bare {
            #expect(diagnosis.text.contains("No limit is set"))
        } else {
            #expect(diagnosis.tightest?.hardLimitBytes == 512 * mebibyte)
        }
    }

    @Test("The tightest level is marked, be it the own one, an ancestor or the machine")
    func tightest() throws {
        func marked(_ tree: KernelTree) -> String? {
            Diagnosis(of: tree.root).text.split(separator: "\n").first { $0.hasPrefix("  * ") }.map(String.init)
        }
        let own = try KernelTree.v2(limit: 256 * mebibyte, ancestorLimits: [512 * mebibyte])
        #expect(marked(own)?.contains("256 MiB") == true)
        let ancestor = try KernelTree.hybrid(limit: 512 * mebibyte, ancestorLimits: [300 * mebibyte])
        ancestor.setUnreclaimable(bytes: 100 * mebibyte)
        #expect(
            marked(ancestor)?.split(separator: " ").joined(separator: " ") == "* box0 300 MiB - 100 MiB 100 MiB 200 MiB"
        )
        let machine = try KernelTree.v1(limit: 4096 * mebibyte, total: 8192 * mebibyte, available: 100 * mebibyte)
        #expect(marked(machine)?.hasPrefix("  * the machine") == true)
    }

    @Test("Where nothing can be read, that is the verdict, with a reason", arguments: KernelTree.Damage.allCases)
    func nothing(damage: KernelTree.Damage) throws {
        let tree = try KernelTree(.bare)
        for path in ["/proc/meminfo", "/proc/self/statm", "/proc/self/status", "/proc/pressure/memory"] {
            tree.damage(path, damage)
        }
        let diagnosis = Diagnosis(of: tree.root)
        #expect(!diagnosis.isUsable)
        #expect(diagnosis.verdict.hasPrefix("Nothing is available: cgroup usage: "))
        #expect(diagnosis.json.description.contains(#""headroom":null"#))
        #expect(diagnosis.text.contains("not known: /proc/meminfo cannot be read"))
    }

    @Test("Where only the room cannot be told, that is said")
    func blind() throws {
        let tree = try KernelTree(.bare)
        tree.fail("/proc/meminfo", reading: .permissionDenied)
        let diagnosis = Diagnosis(of: tree.root)
        #expect(!diagnosis.isUsable)
        #expect(diagnosis.verdict.hasPrefix("Jetsam cannot work here: no signal shows how much memory is left"))
        #expect(section("meminfo", of: diagnosis.text).contains("EACCES"))
    }

    @Test("Broken files are named with what is wrong with them")
    func broken() throws {
        let tree = try KernelTree.v2(limit: 512 * mebibyte)
        tree.damage("/sys/fs/cgroup/server/memory.stat", .garbage)
        tree.damage("/proc/pressure/memory", .missing)
        tree.fail("/sys/fs/cgroup/server/memory.pressure", reading: .notSupported, writing: .notSupported)
        let text = Diagnosis(of: tree.root).text
        #expect(section("cgroup usage", of: text).contains("does not have the form"))
        #expect(section("PSI totals", of: text).contains("ENOENT"))
        #expect(section("PSI trigger", of: text).contains("EOPNOTSUPP: PSI is switched off (psi=0)"))
    }

    @Test("Copies of the kernel's files are looked at and never written to")
    func copies() throws {
        let tree = try KernelTree.v1(limit: 512 * mebibyte)
        let before = try Syscalls.contents(of: tree.root.path + "/proc/pressure/memory")
        let diagnosis = Diagnosis(of: KernelRoot(path: tree.root.path))
        #expect(diagnosis.isUsable)
        #expect(section("PSI trigger", of: diagnosis.text).contains("not tried: these are copies"))
        #expect(try Syscalls.contents(of: tree.root.path + "/proc/pressure/memory") == before)
    }

    @Test(
        "A container whose own grace period may differ is told of it, and nobody else",
        arguments: [
            (["root/.dockerenv": ""], "Docker kills 10 s after SIGTERM"),
            (["root/run/.containerenv": ""], "Podman kills 10 s after SIGTERM"),
            (
                ["environ": "PATH=/bin\0KUBERNETES_SERVICE_HOST=10.0.0.1\0", "root/.dockerenv": ""],
                "Kubernetes kills 30 s after"
            ),
            (["environ": "PATH=/bin\0"], nil),
        ])
    func stopTime(files: [String: String], expected: String?) throws {
        let tree = try KernelTree.readOnly(limit: 512 * mebibyte)
        for directory in ["root", "root/run"] { _ = unsafe mkdir(tree.root.path + tree.root.process(directory), 0o755) }
        for (name, text) in files {
            let file = try FileDescriptor.open(
                FilePath(tree.root.path + tree.root.process(name)), .writeOnly, options: [.create, .truncate],
                permissions: [.ownerReadWrite])
            try file.closeAfter { _ = try file.writeAll(text.utf8) }
        }
        let notes = Diagnosis(of: tree.root).notes.filter { $0.contains("lifecycle.terminationGracePeriod") }
        #expect(notes.count == (expected == nil ? 0 : 1))
        if let expected { #expect(notes.first?.contains(expected) == true) }
    }

    @Test("The findings are the same as JSON, with the documented keys")
    func json() throws {
        let tree = try KernelTree.v2(limit: 512 * mebibyte, high: 400 * mebibyte)
        tree.setUnreclaimable(bytes: 112 * mebibyte)
        let json = Diagnosis(of: tree.root).json.description
        let help = JetsamCommand.helpMessage(for: DoctorCommand.self)
        for key in [
            "usable", "verdict", "process", "machine", "cgroup", "levels", "headroom", "sources", "notes", "uid",
            "capSysResource", "allocator", "allocatorFile", "kernel", "pageSizeBytes", "totalBytes", "availableBytes",
            "swapBytes", "layout", "namespaced", "ancestorsHidden", "readOnly", "name", "directory", "version",
            "hardLimitBytes", "highLimitBytes", "usageBytes", "unreclaimableBytes", "headroomBytes", "isTightest",
            "bytes", "limitBytes", "isLimited", "level", "source", "kind", "used", "path", "reason", "meaning", "pid",
        ] {
            #expect(json.contains("\"\(key)\":"))
            #expect(help.contains(key))
        }
        #expect(json.contains(#""headroom":{"bytes":419430400,"limitBytes":536870912,"isLimited":true,"level":0}"#))
        #expect(json.contains(#""highLimitBytes":419430400"#))
    }
}
