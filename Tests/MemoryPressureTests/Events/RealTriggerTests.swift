import CTestProcesses
import Dispatch
import Testing

@testable import MemoryPressure

private let mebibyte = 1 << 20

/// Wake-ups from the kernel itself, on cgroups made for the test.
@Suite(.serialized, .enabled(if: TestCgroup.isPossible, "needs the right to make cgroups"))
struct RealTriggerTests {
    private let queue = DispatchQueue(label: "test")
    private let log = EventLog()

    private func events(of child: Int32, _ triggers: [PressureTrigger] = [.warning, .critical]) -> KernelEvents {
        KernelEvents(
            root: KernelRoot(processIdentifier: child), queue: queue, clock: SystemMonotonicClock(), environment: [:],
            triggers: triggers, handler: log.add)
    }

    /// Starts a child that thrashes in a cgroup that is too small for it.
    private func thrash(in cgroup: TestCgroup, _ files: TestDirectory) throws -> Int32 {
        cgroup.version == .v1
            ? try cgroup.start(TEST_PROCESS_REREAD, file: files.path + "/data", bytes: 160 * mebibyte)
            : try cgroup.start(TEST_PROCESS_REFAULT, bytes: 64 * mebibyte)
    }

    @Test(arguments: [
        [PressureTrigger.warning, .critical],
        [PressureTrigger(kind: .some, stall: .milliseconds(35), window: .milliseconds(500), grade: .warning)],
    ])
    func `thrashing in a cgroup fires its PSI trigger, with privilege or without`(
        triggers: [PressureTrigger]
    ) async throws {
        let files = try TestDirectory()
        let cgroup = try TestCgroup(limit: 48 * mebibyte)
        let events = events(of: try thrash(in: cgroup, files), triggers)
        defer { events.cancel() }
        events.activate()
        #expect(events.hasLiveTrigger)
        let path = cgroup.pressureDirectory + "/memory.pressure"
        #expect(events.statuses.first?.description == "PSI trigger: used (\(path))")
        let expected = KernelEvent(source: .pressureTrigger, grade: .warning, path: path)
        #expect(await log.wait { $0.contains(expected) })
    }

    @Test func `a cgroup that is removed kills its trigger, which is let go at once`() async throws {
        let cgroup = try TestCgroup(limit: nil)
        let events = events(of: try cgroup.start(TEST_PROCESS_WAIT))
        defer { events.cancel() }
        events.activate()
        let path = cgroup.pressureDirectory + "/memory.pressure"
        #expect(openPaths().contains(path))
        cgroup.remove()
        #expect(await log.wait { $0.contains(KernelEvent(source: .pressureTrigger, grade: .normal, path: path)) })
        // Once closed, it cannot fire again: no spinning.
        #expect(await becomesTrue(on: queue) { !openPaths().contains { $0.hasPrefix(path) } })
        // On a busy machine it may listen already where the process, which has ended, is said to be now.
        #expect(
            await becomesTrue(on: queue) {
                guard let status = events.statuses.first else { return false }
                return status.description.hasSuffix("ENODEV: its cgroup was removed")
                    || status.isUsed && status.path != path
            })
        #expect(log.events.count { $0.path == path } <= 4)
    }

    @Test func `after a move it listens where the process is now`() async throws {
        let (old, new) = (try TestCgroup(limit: nil), try TestCgroup(limit: nil))
        let child = try old.start(TEST_PROCESS_WAIT)
        let events = events(of: child)
        defer { events.cancel() }
        events.activate()
        try new.adopt(child, from: old)
        events.rediscover()
        #expect(events.statuses.first?.path == new.pressureDirectory + "/memory.pressure")
        #expect(events.hasLiveTrigger)
        old.remove()
        let oldPath = old.pressureDirectory
        #expect(await becomesTrue(on: queue) { !openPaths().contains { $0.hasPrefix(oldPath) } })
        #expect(events.hasLiveTrigger)
    }

    @Test(.enabled(if: TestCgroup.version == .v1, "usage thresholds are a matter of cgroup v1"))
    func `crossing a usage threshold wakes, and thresholds are replaced`() async throws {
        let cgroup = try TestCgroup(limit: nil)
        let events = events(of: try cgroup.start(TEST_PROCESS_WAIT))
        defer { events.cancel() }
        events.activate()
        #expect(events.armUsageThresholds(directory: cgroup.directory, bytes: [1 << 40]))
        #expect(events.armUsageThresholds(directory: cgroup.directory, bytes: [16 * mebibyte, 32 * mebibyte]))
        #expect(events.statuses.contains { $0.source == .usageThreshold && $0.isUsed })
        let path = cgroup.directory + "/memory.usage_in_bytes"
        let expected = KernelEvent(source: .usageThreshold, grade: .normal, path: path)
        let child = try cgroup.start(TEST_PROCESS_HOLD, bytes: 24 * mebibyte)
        #expect(await log.wait { $0.contains(expected) })
        // Falling below is told as well as rising above.
        let count = log.events.count
        cgroup.end(child)
        #expect(await log.wait { $0.count > count })
        cgroup.remove()
        #expect(
            await becomesTrue(on: queue) {
                events.statuses.contains { $0.source == .usageThreshold && !$0.isUsed }
            })
    }

    @Test(.enabled(if: TestCgroup.version == .v2, "on cgroup v1 there is no memory.events: tools/test-vm runs this"))
    func `reaching a limit wakes through memory events, and so does every later time`() async throws {
        let cgroup = try TestCgroup(limit: 16 * mebibyte)
        let child = try cgroup.start(TEST_PROCESS_WAIT)
        let events = events(of: child, [])
        defer { events.cancel() }
        events.activate()
        let path = cgroup.directory + "/memory.events"
        #expect(events.statuses.contains { $0.source == .memoryEvents && $0.isUsed && $0.path == path })
        try cgroup.start(TEST_PROCESS_REFAULT, bytes: 32 * mebibyte)
        let expected = KernelEvent(source: .memoryEvents, grade: .normal, path: path)
        // A notification that was not acknowledged would be the last, or repeat for ever.
        #expect(await log.wait { $0.count { $0 == expected } >= 3 })
    }
}
