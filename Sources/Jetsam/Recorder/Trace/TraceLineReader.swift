package import MemoryPressure

/// Why a line of a trace cannot be read.
package struct TraceError: Error, Equatable, CustomStringConvertible {
    /// Counted from 1; 0 where it is about the whole.
    package var line: Int
    package var message: String

    package init(line: Int, message: String) {
        self.line = line
        self.message = message
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

    /// The longest line, in bytes.
    package static let longestLine = 64 << 10
    /// The schema that is read and written.
    package static let version = 1

    package init() {}

    /// Reads one line without its line feed; nil where it is blank.
    package mutating func read(
        _ bytes: UnsafeRawBufferPointer
    ) throws(TraceError) -> (event: TraceEvent, instant: MonotonicInstant)? {
        line += 1
        guard bytes.count <= Self.longestLine else {
            throw TraceError(line: line, message: "longer than \(Self.longestLine) bytes")
        }
        var fields = unsafe JSONFieldReader(bytes)
        fields.skipSpaces()
        if fields.isAtEnd { return nil }
        do {
            return try read(&fields)
        } catch {
            throw TraceError(line: line, message: error.message)
        }
    }

    private mutating func read(
        _ fields: inout JSONFieldReader
    ) throws(TraceError) -> (event: TraceEvent, instant: MonotonicInstant) {
        let (kind, instant) = try fields.open()
        let event: TraceEvent
        switch kind {
        case .reading:
            // Filled in where it stays, so that what is left out is as it was.
            try fields.fill(&lastReading)
            lastReading.reading.instant = instant
            event = .reading(lastReading)
        case .trace:
            lastReading = ReadingRecord()
            event = .trace(try fields.read())
        case .notice: event = .notice(try fields.read())
        case .level: event = .level(try fields.read())
        case .demand: event = .demand(try fields.read())
        case .regrowth: event = .regrowth(try fields.read())
        case .ladder: event = .ladder(try fields.read())
        case .look: event = .look(try fields.read())
        case .run: event = .run(try fields.read())
        case .client: event = .client(try fields.read())
        case .turn: event = .turn(try fields.read())
        case .answer: event = .answer(try fields.read())
        case .trimmed: event = .trimmed(try fields.read())
        case .segments: event = .segments(try fields.read())
        case .hurry: event = .hurry(try fields.read())
        case .step: event = .step(try fields.read())
        case .cache: event = .cache(try fields.read())
        case .counts: event = .counts(try fields.read())
        case .process: event = .process(try fields.read())
        case .scene: event = .scene(try fields.read())
        case .snapshot: event = .snapshot(try fields.read())
        case .lost: event = .lost(try fields.read())
        case .model: event = .model(try fields.read())
        }
        return (event, instant)
    }
}
