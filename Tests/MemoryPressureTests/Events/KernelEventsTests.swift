import Dispatch
import JetsamTesting
import SystemPackage
import Testing

@testable import MemoryPressure

private func events(
    _ root: KernelRoot, _ environment: [String: String] = [:], _ log: EventLog = EventLog()
) -> KernelEvents {
    KernelEvents(
        root: root, queue: DispatchQueue(label: "test"), clock: SystemMonotonicClock(), environment: environment,
        handler: log.add)
}

extension KernelEvents {
    fileprivate func reason(_ source: MemorySignalSource) -> String? {
        switch statuses.first(where: { $0.source == source })?.availability {
        case .notAvailable(let reason): reason
        default: nil
        }
    }
}

/// What can be woken by, on made-up machines, and what is said of the rest.
@Suite struct KernelEventsTests {
    @Test(
        arguments: [
            (Errno.permissionDenied, "EACCES: this user may not write to it, as in an ordinary container"),
            (.readOnlyFileSystem, "EROFS: the cgroup file system is mounted read-only, as in an ordinary container"),
            (.notSupported, "EOPNOTSUPP: PSI is switched off (psi=0)"),
            (.resourceBusy, "EBUSY: this descriptor has a trigger already"),
            (.invalidArgument, "EINVAL: the kernel does not take this window or threshold"),
            (.tooManyOpenFiles, "EMFILE: file descriptors are exhausted"),
            (.tooManyOpenFilesInSystem, "ENFILE: file descriptors are exhausted"),
        ], [true, false])
    func `a trigger that cannot be armed says why`(failure: (error: Errno, reason: String), onWrite: Bool) throws {
        let tree = try KernelTree.v2(limit: 1 << 29)
        if onWrite {
            tree.fail(tree.pressurePath, arming: failure.error)
        } else {
            tree.fail(tree.pressurePath, writing: failure.error)
        }
        let events = events(tree.root)
        defer { events.cancel() }
        events.activate()
        #expect(events.reason(.pressureTrigger) == failure.reason)
        #expect(events.statuses.first?.path == tree.pressurePath)
        #expect(!events.hasLiveTrigger)
    }

    @Test func `a kernel without PSI is told apart`() throws {
        let tree = try KernelTree.v2(limit: 1 << 29)
        for path in [tree.pressurePath, "/proc/pressure/memory"] {
            tree.damage(path, .missing)
            tree.fail(path)
        }
        let events = events(tree.root)
        defer { events.cancel() }
        events.activate()
        #expect(
            events.reason(.pressureTrigger)
                == "ENOENT: there is no such file; of PSI: the kernel has none, or it is switched off")
    }

    @Test(
        arguments: [
            (.v1, "cgroup v1 has no such file; usage thresholds take its place"),
            (.hybrid, "cgroup v1 has no such file; usage thresholds take its place"),
            (.bare, "the process is in no cgroup with a memory controller"),
            (.v2, "EPERM: it cannot be waited on, or this user may not arm it"),
        ] as [(KernelTreeLayout, String)])
    func `memory events that cannot be waited for say why`(layout: KernelTreeLayout, reason: String) throws {
        let tree = try KernelTree(layout, limit: 1 << 29)
        let events = events(tree.root)
        defer { events.cancel() }
        events.activate()
        #expect(events.reason(.memoryEvents) == reason)
    }

    @Test func `before it is activated and after it is cancelled nothing is live`() throws {
        let events = events(KernelRoot())
        #expect(events.statuses.isEmpty)
        #expect(!events.hasLiveTrigger)
        #expect(!events.armUsageThresholds(directory: "/", bytes: [1]))
        events.cancel()
        events.activate()
        events.cancel()
        #expect(!events.hasLiveTrigger)
        #expect(events.statuses.allSatisfy { !$0.isUsed })
    }

    @Test(
        arguments: [
            (KernelTreeLayout.v2, "ENOENT: this cgroup has no usage thresholds; only v1 has"),
            (.v1, "EROFS: the cgroup file system is mounted read-only, as in an ordinary container"),
        ])
    func `usage thresholds that cannot be armed say why`(layout: KernelTreeLayout, reason: String) throws {
        let tree = try KernelTree(layout, limit: 1 << 29)
        let directory = try #require(tree.directory())
        if layout == .v1 { tree.fail(directory + "/cgroup.event_control", writing: .readOnlyFileSystem) }
        let events = events(tree.root)
        defer { events.cancel() }
        events.activate()
        #expect(events.reason(.usageThreshold) == "none was asked for so far")
        #expect(!events.armUsageThresholds(directory: directory, bytes: [1 << 20]))
        #expect(events.reason(.usageThreshold) == reason)
    }

    @Test func `bytes in systemd's FIFO are a warning, and are drained`() async throws {
        let directory = try TestDirectory()
        let fifo = try directory.makeFIFO("watch")
        let log = EventLog()
        let events = events(KernelRoot(), ["MEMORY_PRESSURE_WATCH": fifo], log)
        defer { events.cancel() }
        events.activate()
        #expect(events.reason(.systemdWatch) == nil)
        let writer = try Syscalls.open(fifo, .readingAndWriting)
        defer { Syscalls.close(writer) }
        for count in 1...3 {
            try Syscalls.write(writer, Array("pressure".utf8))
            #expect(await log.wait { $0.count { $0.source == .systemdWatch } == count })
        }
        let expected = KernelEvent(source: .systemdWatch, grade: .warning, path: fifo)
        #expect(log.events.filter { $0.source == .systemdWatch } == Array(repeating: expected, count: 3))
    }

    @Test func `bytes on systemd's socket are a warning, and its end is noticed`() async throws {
        let directory = try TestDirectory()
        let server = try TestSocket(directory.path + "/watch")
        let log = EventLog()
        let environment = ["MEMORY_PRESSURE_WATCH": server.path, "MEMORY_PRESSURE_WRITE": "aGVsbG8="]
        let events = events(KernelRoot(), environment, log)
        defer { events.cancel() }
        events.activate()
        #expect(events.reason(.systemdWatch) == nil)
        let peer = try server.accept()
        #expect(try peer.read() == "hello")
        try peer.write("pressure")
        #expect(await log.wait { $0.contains { $0.source == .systemdWatch && $0.grade == .warning } })
        peer.close()
        #expect(await log.wait { $0.contains { $0.source == .systemdWatch && $0.grade == .normal } })
        #expect(events.reason(.systemdWatch) == "EPIPE: the other side has closed it")
    }

    @Test(
        arguments: [
            ("/no/such/file", "ENOENT: there is no such file"),
            ("/proc/self/statm", "EPERM: it cannot be waited on, or this user may not arm it"),
        ])
    func `a watch that cannot be set up says why`(path: String, reason: String) {
        let events = events(KernelRoot(), ["MEMORY_PRESSURE_WATCH": path])
        defer { events.cancel() }
        events.activate()
        #expect(events.reason(.systemdWatch)?.hasPrefix(reason) == true)
    }

    @Test func `a watch that dies while it is set up is not taken for a live one, and is let go`() async throws {
        let directory = try TestDirectory()
        let fifo = try directory.makeFIFO("watch")
        var root = KernelRoot()
        root.faults[fifo] = KernelFault(dying: .operationNotSupportedByDevice)
        let queue = DispatchQueue(label: "test")
        let events = KernelEvents(
            root: root, queue: queue, clock: SystemMonotonicClock(), environment: ["MEMORY_PRESSURE_WATCH": fifo],
            triggers: []
        ) { _ in }
        defer { events.cancel() }
        events.activate()
        #expect(events.reason(.systemdWatch) == "ENODEV: its cgroup was removed")
        #expect(await becomesTrue(on: queue) { !openPaths().contains(fifo) })
    }

    @Test(arguments: [nil, Errno.operationNotSupportedByDevice])
    func `a usage threshold that dies while it is armed is not taken for an armed one`(death: Errno?) throws {
        let tree = try KernelTree.v1(limit: 1 << 29)
        let directory = try #require(tree.directory())
        var root = tree.root
        let control = root.outer(directory + "/cgroup.event_control")
        try makeFile(control)
        defer {
            removeFile(control)
            tree.remove()
        }
        root.faults[directory + "/memory.usage_in_bytes"] = KernelFault(dying: death)
        let events = events(root)
        defer { events.cancel() }
        events.activate()
        #expect(events.armUsageThresholds(directory: directory, bytes: [1 << 20]) == (death == nil))
        #expect(events.hasLiveThreshold == (death == nil))
        #expect(events.reason(.usageThreshold) == death.map { _ in "ENODEV: its cgroup was removed" })
    }

    @Test func `everything is closed after cancelling`() async throws {
        let directory = try TestDirectory()
        let fifo = try directory.makeFIFO("watch")
        let queue = DispatchQueue(label: "test")
        let events = KernelEvents(
            root: KernelRoot(), queue: queue, clock: SystemMonotonicClock(),
            environment: ["MEMORY_PRESSURE_WATCH": fifo]
        ) { _ in }
        events.activate()
        #expect(openPaths().contains(fifo))
        events.cancel()
        #expect(await becomesTrue(on: queue) { !openPaths().contains(fifo) })
    }
}
