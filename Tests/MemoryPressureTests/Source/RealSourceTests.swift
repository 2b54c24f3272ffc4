import CTestProcesses
import Dispatch
import Testing

@testable import MemoryPressure

private let mebibyte = 1 << 20

/// The source on the kernel's own files, of cgroups made for the test.
@Suite(.serialized, .enabled(if: TestCgroup.isPossible, "needs the right to make cgroups"))
struct RealSourceTests {
    private let record = SourceRecord()

    private func source(of child: Int32, ticks: Bool = true) -> MemoryPressureSource {
        var surroundings = PressureObserver.Surroundings()
        surroundings.root = KernelRoot(processIdentifier: child)
        surroundings.environment = [:]
        surroundings.ticks = ticks
        let source = MemoryPressureSource(eventMask: .all, queue: nil, observing: surroundings)
        source.report(to: record)
        source.activate()
        return source
    }

    @Test func `room that runs short in a cgroup is a warning, and shorter is critical`() async throws {
        let cgroup = try TestCgroup(limit: nil)
        try cgroup.setHardLimit(200 * mebibyte)
        let source = source(of: try cgroup.start(TEST_PROCESS_WAIT))
        defer { source.cancel() }
        #expect(await record.next() == .registered)
        #expect(source.sources.contains { $0.source == .limits && $0.isUsed })
        #expect(source.sources.contains { $0.source == .pressureTrigger && $0.isUsed })
        try cgroup.start(TEST_PROCESS_HOLD, bytes: 160 * mebibyte)
        #expect(await record.next() == .event(.warning))
        try cgroup.start(TEST_PROCESS_HOLD, bytes: 22 * mebibyte)
        #expect(await record.next(after: .event(.warning)) == .event(.critical))
    }

    @Test(.enabled(if: TestCgroup.version == .v1, "usage thresholds are a matter of cgroup v1"))
    func `crossing a usage threshold brings the warning without a timer`() async throws {
        let cgroup = try TestCgroup(limit: nil)
        try cgroup.setHardLimit(200 * mebibyte)
        let source = source(of: try cgroup.start(TEST_PROCESS_WAIT), ticks: false)
        defer { source.cancel() }
        #expect(await record.next() == .registered)
        #expect(source.observer.look() == .seconds(1))
        #expect(source.sources.contains { $0.source == .usageThreshold && $0.isUsed })
        // Past both thresholds: at the first crossing just as much may be left as the warning asks for.
        try cgroup.start(TEST_PROCESS_HOLD, bytes: 182 * mebibyte)
        let entry = try #require(await record.next())
        #expect([.event(.warning), .event(.critical)].contains(entry))
    }

    @Test(.enabled(if: TestCgroup.version == .v1, "the test machine of cgroup v2 has no disk to read from"))
    func `thrashing in a cgroup is pressure where room is short, and nothing where it is not`() async throws {
        let files = try TestDirectory()
        let cgroup = try TestCgroup(limit: 160 * mebibyte)
        let child = try cgroup.start(TEST_PROCESS_REREAD, file: files.path + "/data", bytes: 320 * mebibyte)
        let log = EventLog()
        let events = KernelEvents(
            root: KernelRoot(processIdentifier: child), queue: DispatchQueue(label: "test"),
            clock: SystemMonotonicClock(), environment: [:], handler: log.add)
        defer { events.cancel() }
        let source = source(of: child)
        defer { source.cancel() }
        #expect(await record.next() == .registered)
        events.activate()
        #expect(await log.wait { $0.count { $0.source == .pressureTrigger } >= 2 })
        #expect(record.entries == [.registered])
        try cgroup.start(TEST_PROCESS_HOLD, bytes: 86 * mebibyte)
        let entry = try #require(await record.next())
        #expect([.event(.warning), .event(.critical)].contains(entry))
        let reading = try KernelReader(root: KernelRoot(processIdentifier: child))
            .read(.full, at: SystemMonotonicClock().now, includingStall: false)
        let thresholds = HeadroomThresholds(limitBytes: reading.limitBytes)
        #expect(reading.headroomBytes > thresholds.warningEntry, "not what is left, but the stall raised it")
    }
}
