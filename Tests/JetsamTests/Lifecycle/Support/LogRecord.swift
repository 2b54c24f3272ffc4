import Logging
import MemoryPressure

/// Keeps what is logged.
final class LogRecord: Sendable {
    struct Line: Sendable {
        var level: Logger.Level
        var text: String
        var metadata: [String: String]
    }

    private struct Handler: LogHandler {
        let record: LogRecord
        var metadata = Logger.Metadata()
        var logLevel = Logger.Level.debug

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let line = Line(
                level: event.level, text: event.message.description,
                metadata: event.metadata?.mapValues(\.description) ?? [:])
            record.state.withLock { $0.append(line) }
        }
    }

    private let state = Lock<[Line]>([])

    var logger: Logger { Logger(label: "test") { _ in Handler(record: self) } }

    var lines: [Line] { state.withLock { $0 } }

    /// The lines at warning and above.
    var warnings: [String] { lines.filter { $0.level >= .warning }.map(\.text) }
}
