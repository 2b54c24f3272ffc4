import JetsamTesting
import Logging
import MemoryPressure
import SystemPackage
import TestSupport
import Testing

@testable import BackgroundTasks
@testable import Jetsam
@testable import JetsamPolicy

struct TraceFileTests {
    private let file: TemporaryFile
    private let clock = ManualClock()

    init() throws {
        file = try TemporaryFile()
    }

    private func write(_ records: Int, capacity: Int = 64, maximumBytes: Int = 1 << 20) async throws -> TraceText {
        let queue = TraceQueue(capacity: capacity)
        let trace = try TraceFile(
            path: FilePath(file.path), maximumBytes: maximumBytes, header: TraceHeader(Decider.Setup()), queue: queue,
            clock: clock)
        let recorder = RecordSink(trace: queue)
        for number in 0..<records {
            recorder.record(CacheRecord(cache: UInt64(number), name: "cache \(number)"), at: clock.now)
        }
        try trace.start()
        await trace.stop()
        #expect(trace.error == nil)
        return try TraceText(file.read())
    }

    @Test("What was recorded is in the file, in its order, behind the header")
    func writes() async throws {
        let lines = try await write(10).lines
        #expect(lines.count == 11)
        #expect(lines.dropFirst().map(\.event) == (0..<10).map { .cache(CacheRecord(cache: $0, name: "cache \($0)")) })
    }

    @Test("What comes faster than it is taken is counted, and told where it is missing")
    func loses() async throws {
        let lines = try await write(70).lines
        #expect(lines.count == 66)
        #expect(lines.last?.event == .lost(LostRecord(.tooFast, records: 6)))
    }

    @Test("A file that is as long as it may become says so, and ends")
    func full() async throws {
        let lines = try await write(64, maximumBytes: 1000).lines
        #expect(lines.last?.event == .lost(LostRecord(.fileFull, records: 0)))
    }

    @Test("The trace of an earlier run is kept beside the new one")
    func keepsPrevious() async throws {
        _ = try await write(3)
        let first = try file.read()
        _ = try await write(5)
        let previous = try FileDescriptor.open(FilePath(file.path + ".previous"), .readOnly)
        var bytes = [UInt8](repeating: 0, count: first.count + 1)
        let count = try previous.closeAfter {
            try unsafe bytes.withUnsafeMutableBytes { unsafe try previous.read(into: $0) }
        }
        #expect(Array(bytes[..<count]) == first)
    }

    @Test("While a disk keeps the thread that writes waiting, nobody waits who asks for errors")
    func slowDisk() async throws {
        let gate = Gate()
        let trace = try TraceFile(
            path: FilePath(file.path), maximumBytes: 1 << 20, header: TraceHeader(Decider.Setup()),
            queue: TraceQueue(capacity: 64), clock: clock,
            write: { _, _ in
                gate.arrive()
                gate.waitUntilOpen()
                throw Errno.ioError
            })
        try trace.start()
        await gate.waitForArrivals(1)
        let answers = Lock<[Errno?]>([])
        let asking = Task.detached { answers.withLock { $0.append(trace.error) } }
        defer { gate.open() }
        try await eventually("it is said that there is no error yet") { answers.withLock { $0 } == [nil] }
        gate.open()
        await asking.value
        await trace.stop()
        #expect(trace.error == .ioError)
    }

    #if canImport(Glibc)
        @Test(
            "A disk that gets full while a server runs is said, once",
            .enabled(if: SmallDisk.isAllowed, "needs the right to make a file system (CAP_SYS_ADMIN)"))
        func fullDisk() async throws {
            let disk = try SmallDisk(bytes: 64 << 10)
            let queue = TraceQueue(capacity: 4096)
            let clock = clock
            let opened = disk.perform { path in
                Result {
                    try TraceFile(
                        path: path.appending("trace.jsonl"), maximumBytes: 1 << 20,
                        header: TraceHeader(Decider.Setup()), queue: queue, clock: clock)
                }
            }
            let trace = try opened.get()
            let log = LogRecord()
            let reports = FileReports(logger: log.logger)
            reports.watch(trace, at: "trace.jsonl")
            try trace.start()
            reports.look(at: clock.now)
            #expect(log.lines.isEmpty)
            let recorder = RecordSink(trace: queue)
            for number: UInt64 in 0..<4000 {
                recorder.record(CacheRecord(cache: number, name: "a cache with a longer name"), at: clock.now)
            }
            try await eventually("the disk is full") { trace.error != nil }
            for _ in 0..<2 {
                clock.advance(by: .seconds(6))
                reports.look(at: clock.now)
            }
            #expect(trace.error == .noSpace)
            #expect(log.lines.map(\.level) == [.error])
            #expect(
                log.warnings == [
                    "The trace ends here: trace.jsonl: it could not be written: ENOSPC: the file system has no room for it"
                ])
            await trace.stop()
        }
    #endif

    @Test("Where no trace can be written the manager says why and runs")
    func cannotBeWritten() async throws {
        var configuration = ManagerConfiguration()
        configuration.recorder.traceFile = "/proc/jetsam/trace.jsonl"
        let log = LogRecord()
        try await Fixture(configuration: configuration, logger: log.logger).run { fixture in
            #expect(fixture.manager.level == .normal)
        }
        #expect(log.warnings.contains { $0.hasPrefix("No trace is written: /proc/jetsam/trace.jsonl: ") })
    }
}
