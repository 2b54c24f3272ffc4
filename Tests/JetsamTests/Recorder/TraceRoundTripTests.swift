import MemoryPressure
import Testing

@testable import Jetsam

/// What is written to a trace, or to a slot of the flight recorder, is read again as it was.
struct TraceRoundTripTests {
    @Test(
        "Every kind of record is read from its line as it was written, whatever its values",
        arguments: TraceKind.allCases, seedBatches)
    func lines(_ kind: TraceKind, _ seeds: ClosedRange<UInt64>) throws {
        func check<Contents: Record>(_ type: Contents.Type, _ seed: UInt64) throws {
            var writer = TraceLineWriter()
            var random = SeededGenerator(seed: seed)
            // Several, one after another: of readings only what changes is written.
            var expected: [(Contents, MonotonicInstant)] = []
            for _ in 0..<5 {
                let fields = RandomFields(random: SeededGenerator(seed: random.next()))
                let record = EveryRecord.filled(type, by: fields)
                let instant = MonotonicInstant(nanoseconds: Int64.random(in: .min ... .max, using: &random))
                writer.append(record, at: instant)
                expected.append((record, instant))
            }
            let lines = try TraceText(writer.bytes).lines
            try #require(lines.count == expected.count, "seed \(seed)")
            for (line, (record, instant)) in zip(lines, expected) {
                let read = try #require(Self.record(line.event) as? Contents)
                #expect(Self.isEqual(read, record, at: instant), "seed \(seed)")
                #expect(line.instant == instant, "seed \(seed)")
            }
            // And what was read is written the same.
            var again = TraceLineWriter()
            for line in lines { line.event.write(to: &again, at: line.instant) }
            #expect(again.bytes == writer.bytes, "seed \(seed)")
        }
        for seed in seeds { try check(EveryRecord.type(of: kind), seed) }
    }

    @Test(
        "Every kind of record but a trace's first line is read from the flight recorder's bytes as it was written",
        arguments: TraceKind.allCases.filter { $0 != .trace }, seedBatches)
    func bytes(_ kind: TraceKind, _ seeds: ClosedRange<UInt64>) throws {
        func check<Contents: Record>(_ type: Contents.Type, _ seed: UInt64) throws {
            let record = EveryRecord.filled(type, by: RandomFields(random: SeededGenerator(seed: seed)))
            let bytes = Self.bytes(of: record)
            #expect(RecordBytes.read(type, from: bytes) == record, "seed \(seed)")
            let event = try #require(TraceEvent(kind: kind, bytes: bytes))
            #expect(Self.record(event) as? Contents == record, "seed \(seed)")
            // Cut short anywhere it is not taken for whole.
            for count in 0..<bytes.count where !Self.isOfEarlierVersion(record, count) {
                #expect(RecordBytes.read(type, from: bytes[..<count]) == nil)
            }
        }
        for seed in seeds { try check(EveryRecord.type(of: kind), seed) }
    }

    /// Whether a record that is cut there is one that an earlier version wrote.
    private static func isOfEarlierVersion(_ record: some Record, _ count: Int) -> Bool {
        if var reading = record as? ReadingRecord {
            let whole = bytes(of: reading).count
            (reading.refetchedBytes, reading.reading.usableSwapBytes) = (0, 0)
            (reading.sharers, reading.leavingNanoseconds, reading.reading.scannedPages) = (0, 0, 0)
            let least = bytes(of: reading).count
            return count >= least && count < whole && (count - least) % RecordBytes.bytesOfAddedSize == 0
        }
        func isWithoutLaterSizes(_ bare: some Record) -> Bool {
            let added = count - bytes(of: bare).count
            return added >= 0 && added % RecordBytes.bytesOfAddedSize == 0
        }
        if var demand = record as? DemandRecord {
            (demand.leadNanoseconds, demand.growthRate) = (0, 0)
            return isWithoutLaterSizes(demand)
        }
        if var notice = record as? NoticeRecord {
            (notice.responseNanoseconds, notice.bytesPerSecond, notice.limitBytes) = (0, 0, 0)
            return isWithoutLaterSizes(notice)
        }
        if var run = record as? RunRecord {
            (run.isUrgent, run.limitNanoseconds) = (0, 0)
            return isWithoutLaterSizes(run)
        }
        if var client = record as? ClientRecord {
            (client.keptBytes, client.turnsAway, client.latencyNanoseconds) = (0, 0, 0)
            (client.lastBytes, client.lastNanoseconds) = (0, 0)
            return isWithoutLaterSizes(client)
        }
        if var turn = record as? TurnRecord {
            (turn.openBytes, turn.mostBytes, turn.surplusBytes) = (0, 0, 0)
            return isWithoutLaterSizes(turn)
        }
        if var answer = record as? AnswerRecord {
            (answer.gainedBytes, answer.leftBytes) = (0, 0)
            return isWithoutLaterSizes(answer)
        }
        if var ladder = record as? LadderRecord {
            ladder.deficitBytes = 0
            return isWithoutLaterSizes(ladder)
        }
        if var regrowth = record as? RegrowthRecord {
            regrowth.elseRaiseBytes = 0
            return isWithoutLaterSizes(regrowth)
        }
        return false
    }

    @Test("A reading that an earlier version wrote is read: what it had not is zero")
    func earlier() throws {
        var record = ReadingRecord()
        record.reportedBytes = 7
        let old = Self.bytes(of: record)
        record.refetchedBytes = RecordBytes.mostSize
        let new = Self.bytes(of: record)
        #expect(new.count == old.count + RecordBytes.bytesOfAddedSize)
        #expect(RecordBytes.read(ReadingRecord.self, from: new) == record)
        record.refetchedBytes = 0
        #expect(RecordBytes.read(ReadingRecord.self, from: old) == record)
    }

    @Test(
        "The longest record of each kind fits a slot and a line", arguments: TraceKind.allCases.filter { $0 != .trace })
    func longest(_ kind: TraceKind) throws {
        func check<Contents: Record>(_ type: Contents.Type) throws {
            let record = EveryRecord.filled(type, by: LongestFields())
            #expect(RecordBytes.read(type, from: Self.bytes(of: record)) == record)
            let bytes = Self.bytes(of: record)
            #expect(bytes.count <= RecordBytes.most)
            // The flight recorder's slots are shorter: what does not fit goes as a whole.
            let kept = RecordBytes.kept(bytes.count, in: FlightRecorder.payloadBytes)
            #expect(kept <= FlightRecorder.payloadBytes && RecordBytes.read(type, from: bytes[..<kept]) != nil)
            var writer = TraceLineWriter()
            writer.append(record, at: MonotonicInstant(nanoseconds: .min))
            #expect(writer.bytes.count < TraceSchema.longestLine / 8)
            let line = try #require(try TraceText(writer.bytes).lines.first)
            let read = try #require(Self.record(line.event) as? Contents)
            #expect(Self.isEqual(read, record, at: line.instant))
        }
        try check(EveryRecord.type(of: kind))
    }

    @Test("The fields of a line may come in any order", arguments: TraceKind.allCases, seedBatches)
    func anyOrder(_ kind: TraceKind, _ seeds: ClosedRange<UInt64>) throws {
        func check<Contents: Record>(_ type: Contents.Type, _ seed: UInt64) throws {
            var random = SeededGenerator(seed: seed)
            var fields = RandomFields(random: SeededGenerator(seed: random.next()), kept: 0)
            // Texts with commas and quotes would have to be taken apart with care; another test has those.
            var record = Contents()
            record.visit(&fields)
            var plain = PlainTexts()
            record.visit(&plain)
            var writer = TraceLineWriter()
            let instant = MonotonicInstant(nanoseconds: 5)
            writer.append(record, at: instant)
            let line = String(decoding: writer.bytes, as: UTF8.self).dropFirst().dropLast(2)
            let parts = line.split(separator: ",")
            let shuffled = (parts.prefix(2) + parts.dropFirst(2).shuffled(using: &random)).joined(separator: " ,\t")
            let other = try #require(try TraceText(Array("{ \(shuffled) }".utf8)).lines.first)
            let inOrder = try #require(try TraceText(writer.bytes).lines.first)
            #expect(other.event == inOrder.event, "seed \(seed): \(shuffled)")
        }
        for seed in seeds { try check(EveryRecord.type(of: kind), seed) }
    }

    // MARK: - Support

    private static func bytes(of record: some Record) -> [UInt8] {
        var bytes = [UInt8](repeating: 0xee, count: RecordBytes.most)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe RecordBytes.write(record, to: $0) }
        return Array(bytes[..<count])
    }

    /// A reading carries its instant, which the line and the slot keep beside it.
    private static func isEqual<Contents: Record>(_ read: Contents, _ written: Contents, at instant: MonotonicInstant)
        -> Bool
    {
        guard var reading = written as? ReadingRecord else { return read == written }
        reading.reading.instant = instant
        return read as? ReadingRecord == reading
    }

    private static func record(_ event: TraceEvent) -> (any Record)? {
        Mirror(reflecting: event).children.first?.value as? any Record
    }
}

private struct PlainTexts: FieldVisitor {
    mutating func integer(_ name: StaticString, _ value: inout Int) {}
    mutating func optional(_ name: StaticString, _ value: inout Int?) {}
    mutating func flag(_ name: StaticString, _ value: inout Bool) {}
    mutating func real(_ name: StaticString, _ value: inout Double?) {}
    mutating func word<Word: RecordWord>(_ name: StaticString, _ value: inout Word) {}
    mutating func text(_ name: StaticString, _ value: inout String) { value = "plain" }
}
