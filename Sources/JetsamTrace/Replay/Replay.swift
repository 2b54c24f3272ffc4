package import Jetsam
internal import MemoryPressure

/// Comes to every decision of a trace again, from what went into it.
///
/// Under the configuration that the trace was recorded with, what it writes is the trace, byte for byte; where it is not, the
/// two part there.
package struct Replay: Sendable {
    /// The lines as they were decided again, not collected yet.
    package private(set) var writer = TraceLineWriter()
    /// A decision that was recorded and not made again, or made and not recorded.
    package private(set) var differences = 0
    /// Records that the trace says it has lost: from there on it need not come out the same.
    package private(set) var lostRecords = 0
    package private(set) var readings = 0
    /// The schema that the trace was written in; nil before its first line.
    package private(set) var version: Int?

    private var decider: Decider?
    private var run: RunReplay?
    /// The decisions of the last reading that the trace has not shown yet.
    private var expected = ExpectedRecords()

    package init() {}

    /// Repeats what the next record of the trace says. Of `writer` the caller collects the lines.
    package mutating func feed(_ event: TraceEvent, at instant: MonotonicInstant) throws(TraceError) {
        switch event {
        case .trace(let header):
            try begin(header, at: instant)
        case .reading(let record):
            try decide(record, at: instant)
        case .notice(let record):
            guard let notice = record.notice(at: instant) else {
                throw TraceError(
                    line: 0, message: "a notice '\(NoticeRecord.What.words[record.what.code])' without its parts")
            }
            decider?.handle(notice)
            writer.append(record, at: instant)
        case .level(let record): meet(.level(record), at: instant)
        case .demand(let record): meet(.demand(record), at: instant)
        case .regrowth(let record): meet(.regrowth(record), at: instant)
        case .ladder(let record): meet(.ladder(record), at: instant)
        case .look(let record): meet(.look(record), at: instant)
        case .run(let record):
            run = RunReplay(record, at: instant)
            writer.append(record, at: instant)
        case .client(let record):
            run?.feed(record)
            writer.append(record, at: instant)
        case .turn(let record):
            // Decisions from before the trace, or in lost lines, cannot be made again.
            let again = run?.turn(record, at: instant)
            if again == nil || again != record { differences += 1 }
            writer.append(again ?? record, at: instant)
        case .answer(let record):
            let again = run?.answer(record, at: instant) ?? record
            if again != record { differences += 1 }
            writer.append(again, at: instant)
        case .trimmed(let record):
            run?.feed(record)
            writer.append(record, at: instant)
        case .segments(let record):
            run?.feed(record, at: instant)
            writer.append(record, at: instant)
        case .hurry(let record):
            run?.feed(record, at: instant)
            writer.append(record, at: instant)
        case .lost(let record):
            lostRecords += record.records
            writer.append(record, at: instant)
        case .step, .cache, .counts, .process, .scene, .snapshot, .model:
            event.write(to: &writer, at: instant)
        }
    }

    /// The trace did not show all of the last decisions: it ends there.
    package mutating func finish() {
        differences += expected.events.count
        expected.events = []
    }

    /// Forgets the lines that were written.
    package mutating func dropLines() {
        writer.drop()
    }

    private mutating func begin(_ header: TraceHeader, at instant: MonotonicInstant) throws(TraceError) {
        guard TraceSchema.versions.contains(header.version) else {
            throw TraceError.unknown(header.version, line: 0)
        }
        do {
            try header.configuration.validate()
        } catch {
            throw TraceError(line: 0, message: "the configuration in the first line: \(error)")
        }
        version = header.version
        if decider == nil {
            decider = Decider(header.setup)
        } else {
            finish()
            decider?.reconfigure(header.configuration)
        }
        writer.append(header, at: instant)
    }

    private mutating func decide(_ record: ReadingRecord, at instant: MonotonicInstant) throws(TraceError) {
        guard decider != nil else {
            throw TraceError(line: 0, message: "a reading before the first line, which says the configuration")
        }
        readings += 1
        finish()
        var observation = record.observation(at: instant)
        let recorded = observation.victims
        observation.victims = nil
        let leaving = observation.leavingNanoseconds
        guard
            let decision = decider?.decide(
                &observation, victims: { recorded ?? Decider.Victims() }, timeToLeave: { leaving })
        else { return }
        // All else that it says was taken from it.
        var again = record
        again.heldBackgroundTasks = observation.victims?.heldBackgroundTasks
        again.scenes = observation.victims?.scenes
        again.leavingNanoseconds = Int(observation.leavingNanoseconds)
        again.intervalNanoseconds = Int(decision.interval.nanoseconds)
        if again.heldBackgroundTasks != record.heldBackgroundTasks || again.scenes != record.scenes
            || again.intervalNanoseconds != record.intervalNanoseconds
            || again.leavingNanoseconds != record.leavingNanoseconds
        {
            differences += 1
        }
        writer.append(again, at: instant)
        decision.show(observation.reading, to: &expected)
    }

    /// A recorded decision: what was decided again takes its place.
    private mutating func meet(_ event: TraceEvent, at instant: MonotonicInstant) {
        guard !expected.events.isEmpty else {
            differences += 1
            return
        }
        let again = expected.events.removeFirst()
        if again != event { differences += 1 }
        again.write(to: &writer, at: instant)
    }
}
