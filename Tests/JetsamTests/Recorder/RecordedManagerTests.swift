import JetsamTesting
import MemoryPressure
import ServiceLifecycle
import SystemPackage
import Testing

@testable import BackgroundTasks
@testable import Jetsam

/// A manager with a flight recorder, from one run to the next.
@Suite struct RecordedManagerTests {
    private static func configuration(_ directory: TemporaryDirectory) -> ManagerConfiguration {
        var configuration = ManagerConfiguration()
        configuration.recorder.directory = directory.path.appending("ring").string
        configuration.recorder.capacityBytes = 4 << 20
        return configuration
    }

    private static func recording(_ directory: TemporaryDirectory) throws -> RecordingContents {
        try RecordingFile(directory.path.appending("ring").string).recording
    }

    @Test("A run that ends in order is recorded so, and the next one knows, and tells its observers")
    func clean() async throws {
        let directory = try TemporaryDirectory()
        let first = try Fixture(configuration: Self.configuration(directory))
        try await first.run { fixture in
            #expect(fixture.manager.lastExit == nil)
            let state = try Self.recording(directory).state
            #expect(state == .running)
        }
        let recording = try Self.recording(directory)
        #expect(recording.state == .clean)
        #expect(recording.records.last?.kind == .end)
        let processes = recording.records.compactMap { record -> String? in
            guard record.kind.rawValue == TraceKind.process.rawValue else { return nil }
            return RecordBytes.read(ProcessRecord.self, from: record.payload).map { "\($0.to) \($0.cause)" }
        }
        #expect(processes.first == "inactive launch" && processes.count > 1, "\(processes)")

        let second = try Fixture(configuration: Self.configuration(directory))
        let record = LifecycleRecord()
        let observation = second.manager.observeLifecycle(record)
        try await second.run { fixture in
            #expect(fixture.manager.lastExit?.reason == .clean)
            #expect(fixture.manager.status.process.launchReason?.previousExit == .clean)
        }
        #expect(record.reasons.first?.previousExit == .clean)
        observation.cancel()
    }

    @Test("After a run that ended without a word it is known how things stood, and what was held")
    func killed() async throws {
        let directory = try TemporaryDirectory()
        let first = try Fixture(configuration: Self.configuration(directory))
        let copy = try await first.run { fixture in
            var task = try fixture.backgroundTasks.begin("upload")
            fixture.set(used: 495 * mebibyte)
            for _ in 0..<20 {
                fixture.machine.advance(by: .milliseconds(100))
                await fixture.toldEverything()
            }
            // What a kill would leave now.
            let bytes = try #require(fixture.manager.recorder.flight).snapshot()
            task.end()
            return bytes
        }
        let name = try #require(try TemporaryDirectory.names(directory.path.appending("ring")).first)
        try TemporaryDirectory.write(copy, to: directory.path.appending("ring").appending(name))
        let recording = try Self.recording(directory)
        #expect(recording.state == .running)
        #expect(recording.torn == 0)
        for kind in [TraceKind.reading, .level, .demand] {
            #expect(recording.records.contains { $0.kind.rawValue == kind.rawValue }, "\(kind)")
        }
        #expect(
            recording.records.allSatisfy { record in
                TraceKind(rawValue: record.kind.rawValue).map { TraceEvent(kind: $0, bytes: record.payload) != nil }
                    ?? (record.kind.rawValue < 16)
            })

        let second = try Fixture(configuration: Self.configuration(directory))
        try await second.run { fixture in
            let exit = try #require(fixture.manager.lastExit)
            #expect(exit.reason == .killedProbablyOOM)
            #expect(exit.level == .critical)
            #expect(exit.headroomBytes == 17 * mebibyte)
            #expect(exit.heldBackgroundTasks == 1)
            #expect(exit.heldBackgroundTaskNames == ["upload"])
        }
    }

    @Test("A run that throws is recorded as failed")
    func threw() throws {
        struct Failure: Error {}
        let directory = try TemporaryDirectory()
        let fixture = try Fixture(configuration: Self.configuration(directory))
        defer { fixture.machine.tree.remove() }
        fixture.manager.startFlightRecorder()
        fixture.manager.endFlightRecorder(Failure())
        let recording = try Self.recording(directory)
        #expect(recording.state == .failed)
        #expect(recording.records.map(\.kind) == [.note, .end])
    }

    private struct Failing: Service {
        let record: LifecycleRecord

        func run() async throws {
            await record.heard("didBecomeActive")
            throw CancellationError()
        }
    }

    @Test("A group that another service's error cancels has failed, and did not end in order")
    func serviceThrew() async throws {
        let directory = try TemporaryDirectory()
        let fixture = try LifecycleFixture(recorderDirectory: directory.path.appending("ring").string)
        await #expect(throws: (any Error).self) {
            try await fixture.run(servers: [Failing(record: fixture.record)]) { _, _ in }
        }
        #expect(try Self.recording(directory).state == .failed)
    }

    @Test("A group that is cancelled because a server did not stop in time says so")
    func graceExceeded() async throws {
        let directory = try TemporaryDirectory()
        let fixture = try LifecycleFixture(recorderDirectory: directory.path.appending("ring").string) {
            $0.terminationGracePeriod = .seconds(10)
        }
        defer { fixture.machine.tree.remove() }
        let (spot, events) = (SlowSpot(), GroupRecord())
        let server = FakeService("server", in: events) { await spot.stay() }
        let group = ServiceGroup(
            configuration: fixture.manager.serviceGroupConfiguration(servers: [server], serving: .started))
        let running = Task { try await group.run() }
        await fixture.record.heard("didBecomeActive")
        await group.triggerGracefulShutdown()
        try await fixture.until("the server is told") { events.events.contains("server is told") }
        fixture.machine.advance(by: .seconds(3))
        try await fixture.until("the server is waited for") { fixture.nextDeadline == 7.95 }
        fixture.machine.advance(by: .seconds(5))
        await fixture.record.heard("willTerminate")
        // What the group does by itself when its time is over.
        running.cancel()
        try await fixture.until("the manager has ended") { fixture.manager.processState == .notRunning }
        spot.open()
        try? await running.value
        #expect(try Self.recording(directory).state == .graceExceeded)
    }

    @Test("A run in which the last resort was called and that then ends in order is a shutdown under pressure")
    func pressureShutdown() async throws {
        let directory = try TemporaryDirectory()
        let called = Lock(false)
        var configuration = Self.configuration(directory)
        configuration.lastResort.degradedLimit = .seconds(1)
        let fixture = try Fixture(configuration: configuration) { _ in called.withLock { $0 = true } }
        try await fixture.run { fixture in
            fixture.set(used: 511 * mebibyte)
            for _ in 0..<600 where !called.withLock({ $0 }) {
                fixture.machine.advance(by: .milliseconds(100))
                await fixture.settle()
            }
        }
        #expect(called.withLock { $0 })
        let recording = try Self.recording(directory)
        #expect(recording.state == .pressureShutdown)
        let notes = recording.records.filter { $0.kind == .note }.map { String(decoding: $0.payload, as: UTF8.self) }
        #expect(notes == ["the last resort is called"])
    }

    @Test("A process that leaves because of a missed deadline says so")
    func watchdog() async throws {
        let directory = try TemporaryDirectory()
        let ring = directory.path.appending("ring").string
        let fixture = try LifecycleFixture(recorderDirectory: ring) {
            $0.missedDeadline = .exit
            $0.transitionDeadline = .seconds(2)
        }
        try await fixture.run { fixture in
            fixture.record.hold("willResignActive")
            let change = Task { try await fixture.lifecycle.request(.inactive, cause: .operator) }
            try await fixture.until("it is waited for") { fixture.record.events.last == "willResignActive" }
            fixture.machine.advance(by: .seconds(3))
            try await fixture.until("it leaves") { !fixture.exits.withLock { $0.isEmpty } }
            let state = try RecordingFile(ring).recording.state
            #expect(state == .watchdog)
            fixture.record.release("willResignActive")
            try await change.value
        }
        #expect(try RecordingFile(ring).recording.state == .watchdog)
    }

    @Test("Where the directory cannot be recorded to, the manager says why and runs without")
    func refused() async throws {
        let fixture = try LifecycleFixture(recorderDirectory: "/nowhere/at/all")
        try await fixture.run { fixture in #expect(fixture.manager.lastExit == nil) }
        let lines = fixture.logs.warnings.filter { $0.contains("flight recorder") }
        #expect(lines.count == 1)
        #expect(lines.first?.contains("/nowhere/at/all: making the directory: ENOENT") == true)
    }

    @Test("Names are recorded as hashes where that is asked for")
    func hashedNames() async throws {
        let directory = try TemporaryDirectory()
        var configuration = Self.configuration(directory)
        configuration.recorder.hashesNames = true
        let fixture = try Fixture(configuration: configuration)
        try await fixture.run { fixture in
            var task = try fixture.backgroundTasks.begin("secret-tenant")
            fixture.manager.simulate(.warning)
            fixture.machine.advance(by: .seconds(2))
            await fixture.toldEverything()
            let recording = try Self.recording(directory)
            #expect(recording.heldTaskNames == [NameHash.of("secret-tenant")])
            task.end()
        }
        let ring = directory.path.appending("ring")
        let name = try #require(try TemporaryDirectory.names(ring).first)
        let bytes = try TemporaryDirectory.read(ring.appending(name))
        #expect(!String(decoding: bytes, as: UTF8.self).contains("secret-tenant"))
    }
}
