import Jetsam
import MemoryPressure

@testable import jetsam

/// A trace put together record by record.
struct MadeTrace {
    var writer = TraceLineWriter()
    private(set) var records: [(event: TraceEvent, instant: MonotonicInstant)] = []

    init(_ header: TraceHeader = TraceHeader()) {
        append(.trace(header), 0)
    }

    /// - Parameter milliseconds: Since the trace began, at an instant that is not zero.
    mutating func append(_ event: TraceEvent, _ milliseconds: Int) {
        let instant = MonotonicInstant(nanoseconds: Int64(1_000_000_000 + milliseconds * 1_000_000))
        records.append((event, instant))
        event.write(to: &writer, at: instant)
    }

    mutating func read(_ milliseconds: Int, _ change: (inout ReadingRecord) -> Void) {
        var record = ReadingRecord()
        record.reading.limitBytes = 512 << 20
        record.reading.isLimited = true
        change(&record)
        append(.reading(record), milliseconds)
    }

    var text: String { String(decoding: writer.bytes, as: UTF8.self) }

    func digest(isCut: Bool = false) throws -> TraceDigest {
        var digest = TraceDigest()
        for record in records { try digest.add(record.event, at: record.instant) }
        digest.finish(isCut: isCut)
        return digest
    }

    func html(name: String = "trace.jsonl") throws -> String { ReportPage(try digest(), name: name).html }

    /// Ten seconds in which memory becomes short and a cache gives some back.
    static func pressure(isDryRun: Bool = false, cache: String = "thumbnails") -> MadeTrace {
        var header = TraceHeader()
        header.configuration.isDryRun = isDryRun
        header.configuration.headroom.warningPercent = 25
        header.wallClock = 1_770_000_000_000_000_000
        var trace = MadeTrace(header)
        var name = CacheRecord()
        (name.cache, name.name) = (7, cache)
        trace.append(.cache(name), 1)
        for second in 0..<100 {
            trace.read(second * 100) { record in
                record.reading.sequence = UInt64(second + 1)
                record.reading.usageBytes = (100 + 4 * min(second, 60)) << 20
                record.reading.unreclaimableBytes = (90 + 4 * min(second, 60)) << 20
                record.reading.headroomBytes = (422 - 4 * min(second, 60)) << 20
                record.reading.stallSomeMicroseconds = UInt64(second * 2000)
                if isDryRun { record.creditBytes = 8 << 20 }
            }
        }
        trace.change(.normal, .warning, 4000)
        trace.change(.warning, .critical, 6000)
        var answer = AnswerRecord()
        (answer.run, answer.cache, answer.promisedBytes) = (1, 7, 24 << 20)
        answer.duration = .milliseconds(3)
        trace.append(.answer(answer), 6005)
        var step = StepRecord()
        (step.step, step.level, step.targetBytes, step.promisedBytes) = (1, .critical, 32 << 20, 24 << 20)
        (step.returnedBytes, step.duration, step.isDryRun) = (20 << 20, .milliseconds(12), isDryRun)
        trace.append(.step(step), 6010)
        trace.change(.critical, .warning, 8000)
        return trace
    }

    mutating func change(_ from: PressureLevel, _ to: PressureLevel, _ milliseconds: Int) {
        var change = LevelRecord()
        (change.previous, change.level, change.headroomBytes) = (from, to, 90 << 20)
        (change.observed, change.threshold) = (90 << 20, 102 << 20)
        append(.level(change), milliseconds)
    }
}

/// Fills every field of a record with an extreme value.
struct ExtremeFields: FieldVisitor {
    var isHigh: Bool

    private var value: Int { isHigh ? .max : .min }

    init(isHigh: Bool) { self.isHigh = isHigh }

    mutating func integer(_ name: StaticString, _ value: inout Int) { value = self.value }
    mutating func optional(_ name: StaticString, _ value: inout Int?) { value = self.value }
    mutating func flag(_ name: StaticString, _ value: inout Bool) { value = isHigh }
    mutating func real(_ name: StaticString, _ value: inout Double?) { value = isHigh ? .greatestFiniteMagnitude : nil }
    mutating func word<Word: RecordWord>(_ name: StaticString, _ value: inout Word) {
        value = Word(code: isHigh ? Word.words.count - 1 : 0) ?? value
    }
    mutating func text(_ name: StaticString, _ value: inout String) { value = isHigh ? "\u{0}<&>\u{202e}" : "" }

    func filled<Contents: Record>(_ type: Contents.Type) -> Contents {
        var record = Contents()
        var visitor = self
        record.visit(&visitor)
        return record
    }
}
