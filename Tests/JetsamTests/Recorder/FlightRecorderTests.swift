import MemoryPressure
import SystemPackage
import Testing

@testable import Jetsam

@Suite struct FlightRecorderTests {
    @Test(
        "What was appended is read back, in order, with its time and kind", arguments: [0, 1, 7, 8, 9, 223, 224, 225])
    func readBack(length: Int) throws {
        let recorder = try FlightRecorder(TemporaryDirectory())
        let bytes: [UInt8] = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ 1) }
        #expect(recorder.append(500, at: 102, bytes: bytes) == 1)
        #expect(recorder.append(501, at: 103, bytes: bytes.reversed()) == 2)
        let recording = try recorder.recording
        #expect(recording.records.map(\.sequence) == [1, 2])
        #expect(recording.records.map(\.kind.rawValue) == [500, 501])
        #expect(recording.records.map(\.instant) == [.seconds(102), .seconds(103)])
        let payloads: [[UInt8]] = recording.records.map { Array($0.payload) }
        let kept: [[UInt8]] = [Array(bytes.prefix(224)), Array(bytes.reversed().prefix(224))]
        #expect(payloads == kept)
        #expect(recording.begun == 2)
        #expect(recording.torn == 0 && recording.missing == 0 && recording.lostSlots == 0 && recording.dropped == 0)
    }

    @Test("A recording without records says which run it is of")
    func empty() throws {
        let run = madeRun()
        let recording = try FlightRecorder(TemporaryDirectory(), slots: 5, run: run).recording
        var expected = run
        expected.slots = 5
        #expect(recording.run == expected)
        #expect(recording.records.isEmpty && recording.lastState == nil && recording.state == .running)
        #expect(recording.torn == 0 && recording.missing == 0 && recording.begun == 0)
    }

    @Test("The ring keeps the latest records", arguments: [1, 2, 3, 16, 17])
    func wrapped(slots: Int) throws {
        let recorder = try FlightRecorder(TemporaryDirectory(), slots: slots)
        for number in 0..<100 { recorder.append(9, bytes: [UInt8(number)]) }
        let recording = try recorder.recording
        #expect(recording.records.map(\.sequence) == (101 - UInt64(slots)...100).map { $0 })
        #expect(recording.records.map { $0.payload.first } == (100 - slots..<100).map { UInt8($0) })
        #expect(recording.torn == 0 && recording.missing == 0)
    }

    @Test("What was under way is kept however many records come after it")
    func keptState() throws {
        let recorder = try FlightRecorder(TemporaryDirectory())
        var state = FlightState()
        for held in 1...30 {
            state.heldTasks = held
            recorder.keep(state, at: .seconds(Double(held)))
            recorder.keep(heldTasks: ["upload \(held)", "index"], at: .seconds(Double(held)))
        }
        for _ in 0..<100 { recorder.append(9, bytes: []) }
        let recording = try recorder.recording
        #expect(recording.records.allSatisfy { $0.kind.rawValue == 9 })
        #expect(recording.lastState?.state == state)
        #expect(recording.lastState?.instant == .seconds(30))
        #expect(recording.heldTaskNames == ["upload 30", "index"])
    }

    @Test("Notes and ends are read back; the first end counts, and what a run says is only its last word")
    func end() throws {
        let recorder = try FlightRecorder(TemporaryDirectory())
        recorder.note("it began", at: .seconds(101))
        recorder.end(.watchdog, at: .seconds(102))
        recorder.end(.clean, at: .seconds(103))
        let recording = try recorder.recording
        #expect(recording.state == .watchdog)
        #expect(recording.records.map(\.kind) == [.note, .end])
        #expect(recording.records.first.map { String(decoding: $0.payload, as: UTF8.self) } == "it began")
        #expect(recording.records.last?.payload == [UInt8(RunState.watchdog.rawValue)])
    }

    @Test("Records of many threads are all whole, and their numbers are theirs alone")
    func manyThreads() async throws {
        let recorder = try FlightRecorder(TemporaryDirectory(), slots: 8 * 2000)
        let numbers = await withTaskGroup { group in
            for thread in 0..<8 {
                group.addTask {
                    (0..<2000).map { recorder.append(UInt16(100 + thread), bytes: Self.payload(thread, $0)) }
                }
            }
            return await group.reduce(into: [UInt64]()) { $0 += $1 }
        }
        let recording = try recorder.recording
        #expect(Set(numbers).count == 16000)
        #expect(recording.torn == 0)
        // A number may be skipped where writers met, and the ring then has one record less of the oldest.
        #expect(recording.records.count + Int(recording.begun) - 16000 >= 16000)
        #expect(recording.records.allSatisfy(Self.isWhole))
    }

    @Test("Who reads while a small ring is written from many threads sees whole records or none")
    func readingMeanwhile() throws {
        let recorder = try FlightRecorder(TemporaryDirectory(), slots: 16)
        let isOver = Lock(false)
        defer { isOver.withLock { $0 = true } }
        for thread in 0..<3 {
            try ServiceThread.start("recording") {
                var number = 0
                while !isOver.withLock({ $0 }) {
                    recorder.append(UInt16(100 + thread), bytes: Self.payload(thread, number))
                    number += 1
                }
            }
        }
        var read = 0
        while read < 2000 {
            let recording = try recorder.recording
            #expect(recording.records.allSatisfy(Self.isWhole))
            read += recording.records.count
        }
    }

    private static func payload(_ thread: Int, _ number: Int) -> [UInt8] {
        let length = 1 + (thread &* 31 &+ number &* 17) % 224
        return (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 3 &+ number &+ thread) }
    }

    private static func isWhole(_ record: RecordingContents.Record) -> Bool {
        // Bytes of two records would not go on from one to the next.
        guard let first = record.payload.first else { return false }
        return record.payload.enumerated().allSatisfy { $1 == first &+ UInt8(truncatingIfNeeded: $0 &* 3) }
    }

    @Test("The file is this user's alone, named after the process, and the directory is made so")
    func modes() throws {
        let directory = try TemporaryDirectory()
        let recorder = try FlightRecorder(directory)
        #expect(try TemporaryDirectory.mode(directory.path.appending("ring")) == 0o700)
        #expect(try TemporaryDirectory.names(directory.path.appending("ring")) == ["jetsam-7-4242.ring"])
        #expect(try TemporaryDirectory.mode(directory.path.appending("ring/jetsam-7-4242.ring")) == 0o600)
        #expect(recorder.path == directory.path.string + "/ring/jetsam-7-4242.ring")
        #expect(recorder.lockObstacle == nil)
    }

    @Test("What is under way is written and read", arguments: [FlightState(), FlightRecorderTests.fullState])
    func stateCoding(state: FlightState) {
        unsafe state.withEncoded { bytes in
            let payload = unsafe Array(bytes)
            #expect(payload.count <= 224)
            #expect(FlightState(payload[...]) == state)
        }
    }

    private static let fullState: FlightState = {
        var state = FlightState()
        state.level = .critical
        state.isReclaiming = true
        state.isHeadroomCritical = true
        state.isLastResortCalled = true
        state.isDraining = true
        state.heldTasks = 12345
        state.headroomBytes = 0
        state.limitBytes = 512 << 20
        state.footprintBytes = 300 << 20
        state.oomKills = 9
        return state
    }()

    @Test("Names for which there is no room are left out, and a line feed ends one")
    func longNames() throws {
        let recorder = try FlightRecorder(TemporaryDirectory())
        let long = (0..<3).map { String(repeating: "x", count: 58) + "\($0)" }
        recorder.keep(heldTasks: long + [String(repeating: "y", count: 60), "Übergabe\nzwei"], at: .seconds(101))
        #expect(try recorder.recording.heldTaskNames == long + ["Übergabe"])
    }
}
