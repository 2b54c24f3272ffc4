import MemoryPressure
import Testing

@testable import Jetsam

/// Reading what is not as it was written.
@Suite struct RecordingContentsTests {
    /// A small recording that came round, with a state.
    private static func made() throws -> [UInt8] {
        let recorder = try FlightRecorder(TemporaryDirectory(), slots: 6)
        var state = FlightState()
        state.heldTasks = 3
        for number in 0..<9 {
            recorder.append(UInt16(10 + number), bytes: (0..<number * 25).map { UInt8(truncatingIfNeeded: $0) })
        }
        recorder.append(30, bytes: [1])
        recorder.keep(state, at: .seconds(103))
        return try recorder.contents
    }

    @Test("A byte that was changed anywhere costs at most its record, and is never read as something else")
    func changedBytes() throws {
        let bytes = try Self.made()
        let whole = try RecordingContents(bytes)
        #expect(whole.records.count == 6)
        var refused = 0
        var torn = 0
        for index in bytes.indices {
            for change: UInt8 in [1, 0x80, 0xFF] {
                var changed = bytes
                changed[index] ^= change
                guard let recording = try? RecordingContents(changed) else {
                    refused += 1
                    #expect(index < 108)
                    continue
                }
                #expect(index >= 108 || (104..<108).contains(index) == false)
                var run = whole.run
                if (112..<140).contains(index) { run.parentCgroup = nil }
                #expect(recording.run == run)
                #expect(recording.records.allSatisfy(whole.records.contains))
                #expect(recording.records.count + recording.torn >= whole.records.count - 1)
                #expect(recording.records.count >= whole.records.count - 1)
                torn += recording.torn
            }
        }
        #expect(refused == 108 * 3)
        #expect(torn > 0)
    }

    @Test("A file that was cut off anywhere is refused inside its header, and else read as far as it goes")
    func truncated() throws {
        let bytes = try Self.made()
        let whole = try RecordingContents(bytes)
        for length in 0..<bytes.count {
            guard length >= 4096 else {
                #expect(throws: RecordingFormatError.self) { try RecordingContents(Array(bytes[..<length])) }
                continue
            }
            let recording = try RecordingContents(Array(bytes[..<length]))
            #expect(recording.lostSlots == 6 - (length - 4096) / 256)
            #expect(recording.records.allSatisfy(whole.records.contains))
            #expect(recording.records.count == (length - 4096) / 256)
            #expect(recording.lastState?.state == whole.lastState?.state)
        }
    }

    @Test("Bytes behind the last slot are not looked at")
    func longer() throws {
        let bytes = try Self.made()
        let recording = try RecordingContents(bytes + [UInt8](repeating: 0xAB, count: 1000))
        #expect(recording.records == (try RecordingContents(bytes)).records)
    }

    @Test("Random bytes behind a good header are torn, and never a trap", arguments: seedBatches)
    func randomBytes(seeds: ClosedRange<UInt64>) throws {
        let bytes = try Self.made()
        for seed in seeds {
            var random = SeededGenerator(seed: seed)
            var changed = bytes
            for index in 108..<changed.count where random.next() % 3 == 0 {
                changed[index] = UInt8(truncatingIfNeeded: random.next())
            }
            let recording = try RecordingContents(changed)
            #expect(recording.records.count + recording.torn <= 6, "seed \(seed)")
            _ = LastExit(recording, path: "", now: madeRun()).description
        }
    }

    @Test("A slot that holds a copy of another one is torn, as is one whose record was being written")
    func misplaced() throws {
        let bytes = try Self.made()
        var copied = bytes
        copied.replaceSubrange(4096..<4352, with: bytes[4352..<4608])
        #expect(try RecordingContents(copied).torn == 1)
        #expect(try RecordingContents(copied).records.count == 5)
        var begun = bytes
        begun[4096] |= 1
        #expect(try RecordingContents(begun).torn == 1)
    }

    @Test("A record that is missing between others is counted")
    func missing() throws {
        var bytes = try Self.made()
        // Numbers 5 to 10 are there, 7 in the first slot.
        bytes[4096] |= 1
        let recording = try RecordingContents(bytes)
        #expect(recording.records.map(\.sequence) == [5, 6, 8, 9, 10])
        #expect(recording.missing == 1)
    }

    @Test("Another format is refused by its number")
    func otherVersion() throws {
        var bytes = try Self.made()
        bytes[8] = 9
        let error = #expect(throws: RecordingFormatError.self) { try RecordingContents(bytes) }
        #expect(error == .unsupported(version: 9))
        #expect(error.map { "\($0)" }?.contains("format 9") == true)
    }

    @Test("What is no recording is refused with what is wrong", arguments: [[], [1, 2, 3], Array("JTFR".utf8)])
    func somethingElse(bytes: [UInt8]) {
        #expect(throws: RecordingFormatError.notARecording("it does not begin like a recording")) {
            try RecordingContents(bytes)
        }
    }
}
