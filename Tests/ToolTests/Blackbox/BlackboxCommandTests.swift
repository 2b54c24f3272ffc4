import ArgumentParser
import MemoryPressure
import SystemPackage
import Testing

@testable import Jetsam
@testable import _StressPatterns
@testable import jetsam
@testable import jetsam_stress

@Suite struct BlackboxCommandTests {
    /// A run of this machine's that recorded a little, and ended as told.
    private static func record(
        _ directory: TemporaryDirectory, end: RunState?, wallClock: Int64 = 1_774_747_800_000_000_000
    )
        throws -> String
    {
        var run = RunIdentity.current(
            in: KernelRoot(), processID: 42, wallClock: wallClock, start: MonotonicInstant(nanoseconds: 1_000_000_000))
        run.processStart = 17
        let recorder = try FlightRecorder(directory: directory.path, capacityBytes: 64 << 10, run: run)
        recorder.note("first \u{1B}[2Jnote\u{202E}", at: MonotonicInstant(nanoseconds: 1_500_000_000))
        var state = FlightState()
        state.level = .warning
        state.headroomBytes = 48 << 20
        state.heldTasks = 2
        recorder.keep(heldTasks: ["upload", "index"], at: MonotonicInstant(nanoseconds: 2_000_000_000))
        recorder.keep(state, at: MonotonicInstant(nanoseconds: 2_000_000_000))
        _ = unsafe [UInt8]([0xAB, 0x01]).withUnsafeBytes { bytes in
            unsafe recorder.append(
                RecordKind(rawValue: 65000), at: MonotonicInstant(nanoseconds: 3_000_000_500), bytes)
        }
        if let end { recorder.end(end, at: MonotonicInstant(nanoseconds: 4_000_000_000)) }
        return recorder.path
    }

    @Test("A recording is printed with its end, what was under way, and records of known and unknown kinds")
    func text() async throws {
        let directory = try TemporaryDirectory()
        let path = try Self.record(directory, end: .clean)
        let tool = try ToolProcess(["blackbox", path], in: TemporaryDirectory(), tool: "jetsam")
        #expect(await tool.end() == .exited(0))
        for words in [
            "process      42, started 2026-03-29 01:30:00 UTC", "ended        clean: ", "recorded     for 3.000000 s",
            "3 of 3 begun, room for 256; 0 torn; 0 missing", "held         upload\n  held         index\n",
            "level warning; headroom 48 MiB; 2 background tasks held", "0.500000       1   note  first .[2Jnote.\n",
            "2.000000       2  65000  ab01\n", "3.000000       3    end  clean\n",
        ] { #expect(tool.output.contains(words), "\(words) in\n\(tool.output)") }
        #expect(tool.errors.isEmpty)
    }

    @Test("--last shows so many records, --json all that is known")
    func json() async throws {
        let directory = try TemporaryDirectory()
        let path = try Self.record(directory, end: nil)
        let tool = try ToolProcess(
            ["blackbox", path, "--json", "--last", "1"], in: TemporaryDirectory(), tool: "jetsam")
        #expect(await tool.end() == .exited(0))
        for words in [
            #""live":false,"end":"killedUnknown","state":"running","#, #""run":{"pid":42,"processStart":17,"#,
            #""underWay":{"time":1000000000,"level":"warning","headroomBytes":50331648,"#,
            #""taskNames":["upload","index"]"#, #""read":2,"torn":0,"missing":0,"#,
            #""records":[{"sequence":2,"time":2000000500,"kind":65000,"name":null,"text":null,"payload":"ab01"}]"#,
        ] { #expect(tool.output.contains(words), "\(words) in\n\(tool.output)") }
    }

    @Test("Of a directory it is the recording that began last")
    func directory() async throws {
        let directory = try TemporaryDirectory()
        _ = try Self.record(directory, end: .watchdog, wallClock: 2_000_000_000_000_000_000)
        _ = try Self.record(directory, end: .clean, wallClock: 1_000_000_000_000_000_000)
        let tool = try ToolProcess(
            ["blackbox", directory.path, "--last", "0"], in: TemporaryDirectory(), tool: "jetsam")
        #expect(await tool.end() == .exited(0))
        #expect(tool.output.contains("ended        watchdog"))
        #expect(!tool.output.contains("Records"))
    }

    @Test("A recording that is still being written is said to be, and no more tasks are named than are held")
    func live() async throws {
        let directory = try TemporaryDirectory()
        let run = RunIdentity.current(
            in: KernelRoot(), processID: 42, wallClock: 0, start: MonotonicInstant(nanoseconds: 0))
        let recorder = try FlightRecorder(directory: directory.path, capacityBytes: 64 << 10, run: run)
        var state = FlightState()
        state.heldTasks = 1
        recorder.keep(heldTasks: ["upload", "index"], at: MonotonicInstant(nanoseconds: 1))
        recorder.keep(state, at: MonotonicInstant(nanoseconds: 2))
        let file = try RecordingFile(recorder.path)
        let report = BlackboxReport(file, here: nil)
        #expect(file.isLive && report.exit == nil)
        #expect(report.text(last: 5).contains("not yet: the process still runs"))
        #expect(report.text(last: 5).hasSuffix("held         upload"))
        #expect(report.json(last: nil).description.contains(#""taskNames":["upload"]"#))
        withExtendedLifetime(recorder) {}
    }

    @Test(
        "What is no recording is status 65, what cannot be read 66",
        arguments: [
            ("/etc/passwd", 65, "no flight recording"), ("/nowhere/at/all", 66, "no such file"),
            ("/proc/self/fdinfo", 66, "no recording in this directory"),
        ])
    func failures(path: String, status: Int32, words: String) async throws {
        let tool = try ToolProcess(["blackbox", path], in: TemporaryDirectory(), tool: "jetsam")
        #expect(await tool.end() == .exited(status))
        #expect(tool.errors.contains(words) && tool.errors.contains(path))
        #expect(tool.output.isEmpty)
    }

    @Test("A wrong command line is answered with what is allowed")
    func usage() {
        for arguments in [["blackbox"], ["blackbox", "x", "--last", "-1"]] {
            let error = #expect(throws: (any Error).self) { try JetsamCommand.parseAsRoot(arguments) }
            #expect(error.map { JetsamCommand.exitCode(for: $0) } == .validationFailure)
        }
    }

    @Test(
        "Wall-clock times are told in UTC",
        arguments: [
            (0, "1970-01-01 00:00:00 UTC"), (951_782_399_000_000_000, "2000-02-28 23:59:59 UTC"),
            (951_782_400_000_000_000, "2000-02-29 00:00:00 UTC"), (-1, "1969-12-31 23:59:59 UTC"),
            (1_735_689_599_999_999_999, "2024-12-31 23:59:59 UTC"),
            (4_107_542_400_000_000_000, "2100-03-01 00:00:00 UTC"),
        ] as [(Int64, String)])
    func times(nanoseconds: Int64, text: String) {
        #expect(UTCTime(nanoseconds: nanoseconds).description == text)
    }
}
