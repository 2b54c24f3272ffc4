package import Jetsam
internal import MemoryPressure

/// Why a line of a trace cannot be read.
package struct TraceError: Error, Equatable, CustomStringConvertible {
    /// Counted from 1; 0 where it is about the whole.
    package var line: Int
    package var message: String

    package init(line: Int, message: String) {
        self.line = line
        self.message = message
    }

    /// A trace of a version that cannot be read.
    package static func unknown(_ version: Int, line: Int) -> TraceError {
        let known = TraceSchema.versions
        return TraceError(
            line: line,
            message: "version \(version) of the schema; \(known.lowerBound) to \(known.upperBound) can be read")
    }

    package var description: String { line > 0 ? "line \(line): \(message)" : message }
}

/// Reads the lines of a trace, one at a time, in bounded memory.
///
/// A field that is left out of a reading is as it was in the reading before; one that is left out of another record has its
/// default. The fields may come in any order; in the order in which a trace is written they are read fastest.
package struct TraceLineReader: Sendable {
    /// Lines are counted from 1.
    package private(set) var line = 0
    private var lastReading = ReadingRecord()
    /// What the last line had; nil where that was a reading.
    private var other: TraceEvent?

    package init() {}

    /// What the last line had. It is made where it is used: a reading is some hundred bytes long.
    package var event: TraceEvent { other ?? .reading(lastReading) }

    /// Reads one line without its line feed; nil where it is blank.
    package mutating func read(
        _ bytes: UnsafeRawBufferPointer
    ) throws(TraceError) -> (event: TraceEvent, instant: MonotonicInstant)? {
        try unsafe advance(to: bytes).map { (event, $0) }
    }

    /// The same, but for ``event``: its instant.
    package mutating func advance(to bytes: UnsafeRawBufferPointer) throws(TraceError) -> MonotonicInstant? {
        line += 1
        guard bytes.count <= TraceSchema.longestLine else {
            throw TraceError(line: line, message: "longer than \(TraceSchema.longestLine) bytes")
        }
        var fields = unsafe JSONFieldReader(bytes)
        if fields.isBlank() { return nil }
        do {
            let (kind, instant) = try fields.open()
            if kind == .reading {
                // Filled in where it stays, so that what is left out is as it was.
                try fields.fill(&lastReading)
                lastReading.reading.instant = instant
                other = nil
            } else {
                other = try read(kind, &fields)
            }
            return instant
        } catch {
            throw TraceError(line: line, message: error.message)
        }
    }

    /// - Throws: ``TraceError`` where the last line says what cannot be; it names the field.
    package mutating func checkBounds(at instant: MonotonicInstant) throws(TraceError) {
        do {
            try TraceBounds.check(instant)
            if let other { try TraceBounds.check(other) } else { try TraceBounds.check(&lastReading) }
        } catch {
            throw TraceError(line: line, message: error.message)
        }
    }

    private mutating func read(_ kind: TraceKind, _ fields: inout JSONFieldReader) throws(TraceError) -> TraceEvent {
        switch kind {
        case .reading: return .reading(try fields.read())
        case .trace:
            lastReading = ReadingRecord()
            return .trace(try fields.read())
        case .notice: return .notice(try fields.read())
        case .level: return .level(try fields.read())
        case .demand: return .demand(try fields.read())
        case .regrowth: return .regrowth(try fields.read())
        case .ladder: return .ladder(try fields.read())
        case .look: return .look(try fields.read())
        case .run: return .run(try fields.read())
        case .client: return .client(try fields.read())
        case .turn: return .turn(try fields.read())
        case .answer: return .answer(try fields.read())
        case .trimmed: return .trimmed(try fields.read())
        case .segments: return .segments(try fields.read())
        case .hurry: return .hurry(try fields.read())
        case .step: return .step(try fields.read())
        case .cache: return .cache(try fields.read())
        case .counts: return .counts(try fields.read())
        case .process: return .process(try fields.read())
        case .scene: return .scene(try fields.read())
        case .snapshot: return .snapshot(try fields.read())
        case .lost: return .lost(try fields.read())
        case .model: return .model(try fields.read())
        }
    }
}
