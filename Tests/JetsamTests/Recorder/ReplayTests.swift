import JetsamTesting
import MemoryPressure
import Testing

@testable import BackgroundTasks
@testable import Jetsam
@testable import JetsamPolicy
@testable import JetsamTrace
@testable import PurgeableCaches

struct ReplayTests {
    @Test("What a manager decided under pressure is decided again from its trace, byte for byte")
    func replays() async throws {
        let trace = try await Self.recordPressure()
        let bytes = try trace.read()
        let expected: Set = [
            "trace", "reading", "notice", "level", "demand", "run", "client", "turn", "answer", "step", "cache",
            "counts",
            "process",
        ]
        #expect(try TraceText(bytes).kinds.isSuperset(of: expected))
        let again = try TraceText(bytes).replayed()
        #expect(again.differences == 0)
        #expect(again.text == String(decoding: bytes, as: UTF8.self))
    }

    @Test("A decision that was changed in the trace is found")
    func finds() async throws {
        let trace = try await Self.recordPressure()
        let text = String(decoding: try trace.read(), as: UTF8.self)
        #expect(text.contains("\"targetBytes\":"))
        let other = Self.replacingFirst("\"targetBytes\":", in: text, with: "\"targetBytes\":1")
        #expect(try TraceText(Array(other.utf8)).replayed().differences > 0)
    }

    @Test("A cache is read from a trace as fast as it was, also where it begins to give at once", arguments: [0, 40])
    func speed(latencyMilliseconds: Int) {
        var speed = ReleaseSpeed()
        for size in [4, 8] { speed.note(size * mebibyte, in: .milliseconds(latencyMilliseconds + size)) }
        let facts = ClientFacts(id: 1, priority: .normal, traits: [], bytes: mebibyte, speed: speed.atBeginning)
        #expect(speed.latencyNanoseconds != nil)
        #expect(ClientRecord(facts, run: 1).facts == facts)
    }

    @Test("A run is carried out again as urgent as it was", arguments: [false, true])
    func urgency(isUrgent: Bool) {
        var record = RunRecord()
        (record.run, record.level, record.step) = (1, .critical, 1)
        record.targetBytes = 500 * mebibyte
        (record.callDeadline, record.portionDeadline) = (.seconds(1), .seconds(1))
        record.clients = 2
        record.isUrgent = isUrgent ? 1 : 0
        var replay = RunReplay(record, at: .seconds(0))
        for id in 1...2 {
            let speed = ReleaseSpeed(bytesPerSecond: 1e9, latencyNanoseconds: 300_000_000)
            let facts = ClientFacts(
                id: UInt64(id), priority: ResourcePriority(rawValue: UInt8(id)), traits: [], bytes: 400 * mebibyte,
                speed: speed)
            replay.feed(ClientRecord(facts, run: 1))
        }
        var released: [Int?] = []
        for _ in 0..<8 {
            guard
                let turn = replay.turn(
                    TurnRecord(run: 1, shouldTrimLast: false, callsHandlers: true, action: .wait), at: .seconds(0))
            else { break }
            if turn.action == .release { released.append(turn.cache) }
            guard turn.action == .limit else { continue }
            var answer = AnswerRecord()
            (answer.run, answer.call, answer.cache) = (1, turn.call ?? 0, turn.cache ?? 0)
            _ = replay.answer(answer, at: .seconds(0))
        }
        #expect(released == (isUrgent ? [1, 2] : [1]))
    }

    @Test("A trace of version 2 is read: settings that there are no more are passed over, and the version is told")
    func versionTwo() async throws {
        let lines = String(decoding: try await Self.recordPressure().read(), as: UTF8.self).split(separator: "\n")
        var header = String(try #require(lines.first))
        for (today, then) in [
            (#""version":\#(TraceSchema.version)"#, #""version":2"#),
            (#""reclaim.sharePercent":5"#, #""reclaim.warningSharePercent":25"#),
            (
                #""timeToLimit.window":"#,
                #""timeToLimit.critical":3000000000,"timeToLimit.criticalExit":6000000000,"timeToLimit.window":"#
            ),
            (#""leadTime.safetyPercent":200,"leadTime.minimum":50000000,"leadTime.maximum":2000000000,"#, ""),
        ] {
            #expect(header.contains(today), "the header names \(today)")
            header = Self.replacingFirst(today, in: header, with: then)
        }
        let readings = lines.dropFirst().filter { $0.hasPrefix(#"{"k":"reading""#) }
        let text = ([header] + readings.map(String.init)).map { $0 + "\n" }.joined()
        var replay = Replay()
        for line in try TraceText(Array(text.utf8)).lines { try replay.feed(line.event, at: line.instant) }
        #expect(replay.version == 2)
        #expect(replay.readings == readings.count && readings.count > 5)
    }

    @Test("A trace of version 4 is read by its own names for background tasks")
    func versionFour() throws {
        func line(_ text: String) throws -> TraceEvent { try TraceText(Array("\(text)\n".utf8)).lines[0].event }
        let header = try line(
            #"{"k":"trace","t":1,"version":4,"ladder.expiresAssertions":false,"ladder.assertionBatch":3,"ladder.takesScenes":true}"#
        )
        guard case .trace(let trace) = header else {
            Issue.record("it is no header")
            return
        }
        #expect(!trace.configuration.ladder.expiresBackgroundTasks)
        #expect(trace.configuration.ladder.backgroundTaskBatch == 3)
        #expect(trace.configuration.ladder.takesScenes)
        let disordered = try line(#"{"k":"trace","t":1,"ladder.assertionBatch":5,"version":4}"#)
        guard case .trace(let other) = disordered else {
            Issue.record("it is no header")
            return
        }
        #expect(other.configuration.ladder.backgroundTaskBatch == 5)
        let reading = try line(#"{"k":"reading","t":1,"heldAssertions":7}"#)
        guard case .reading(let record) = reading else {
            Issue.record("it is no reading")
            return
        }
        #expect(record.heldBackgroundTasks == 7)
        guard case .step(let step) = try line(#"{"k":"step","t":1,"stage":"assertions"}"#),
            case .ladder(let ladder) = try line(#"{"k":"ladder","t":1,"action":"expireAssertions"}"#)
        else {
            Issue.record("they are no step and no action of the ladder")
            return
        }
        #expect(step.stage == .backgroundTasks)
        #expect(ladder.action == .expireBackgroundTasks)
    }

    /// A manager in a made-up container that fills up, with one cache that gives and one that hangs a little.
    private static func recordPressure() async throws -> TemporaryFile {
        let file = try TemporaryFile()
        var configuration = ManagerConfiguration()
        configuration.recorder.traceFile = file.path
        let fixture = try Fixture(configuration: configuration)
        try await fixture.run { fixture in
            let first = FakeCache("first", bytes: 120 * mebibyte, in: fixture)
            let second = FakeCache("second", bytes: 60 * mebibyte, priority: .low, in: fixture)
            for used in [300, 380, 420, 460, 490] {
                fixture.set(used: used * mebibyte)
                fixture.machine.advance(by: .milliseconds(300))
                await fixture.settle()
            }
            // The new thresholds are part of what is decided by from here on.
            var other = fixture.manager.configuration
            other.headroom.warningPercent = 40
            try fixture.manager.apply(other)
            fixture.set(used: 200 * mebibyte)
            for _ in 0..<40 { fixture.machine.advance(by: .milliseconds(500)) }
            await fixture.toldEverything()
            #expect(first.state.withLock { $0.requests.count } + second.state.withLock { $0.requests.count } > 0)
        }
        return file
    }

    private static func replacingFirst(_ part: String, in text: String, with other: String) -> String {
        let bytes = Array(text.utf8)
        let wanted = Array(part.utf8)
        guard let start = bytes.indices.first(where: { bytes[$0...].starts(with: wanted) }) else { return text }
        return String(decoding: bytes[..<start] + Array(other.utf8) + bytes[(start + wanted.count)...], as: UTF8.self)
    }
}
