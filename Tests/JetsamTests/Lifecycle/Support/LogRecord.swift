import Logging
import MemoryPressure

/// Keeps what is logged at warning and above.
final class LogRecord: Sendable {
    private struct Handler: LogHandler {
        let record: LogRecord
        var metadata = Logger.Metadata()
        var logLevel = Logger.Level.debug

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            guard event.level >= .warning else { return }
            let text = event.message.description
            record.lines.withLock { $0.append(text) }
        }
    }

    let lines = Lock<[String]>([])

    var logger: Logger { Logger(label: "test") { _ in Handler(record: self) } }

    var warnings: [String] { lines.withLock { $0 } }
}
