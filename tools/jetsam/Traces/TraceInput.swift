internal import ArgumentParser
internal import CommandOutput
internal import Jetsam
internal import JetsamTrace
internal import MemoryPressure
internal import SystemPackage

/// A trace on disk, read a record at a time.
struct TraceInput {
    let path: String

    /// Calls `body` with each record and its line.
    ///
    /// - Returns: Whether the last line was whole; one that is cut off is left out.
    /// - Throws: `ExitCode` 66 where the file cannot be read and 65 where it is no trace, after it was said on the standard error.
    @discardableResult
    @unsafe func forEachLine(
        _ body: (TraceEvent, MonotonicInstant, UnsafeRawBufferPointer) throws -> Void
    ) throws -> Bool {
        let file: FileDescriptor
        do {
            file = try path == "-" ? .standardInput : FileDescriptor.open(FilePath(path), .readOnly)
        } catch {
            throw complain(66, "cannot be read: \(error)")
        }
        let ahead = TraceReadAhead(file, closes: path != "-")
        do {
            while true {
                let batch = ahead.next()
                unsafe try Self.forEach(in: batch, body)
                if let end = batch.end { return try end.get() }
            }
        } catch {
            ahead.abandon()
            switch error {
            case let error as TraceError: throw complain(65, error.description)
            case let error as Errno: throw complain(66, "cannot be read: \(error)")
            default: throw error
            }
        }
    }

    private static func forEach(
        in batch: TraceReadAhead.Batch, _ body: (TraceEvent, MonotonicInstant, UnsafeRawBufferPointer) throws -> Void
    ) throws {
        try unsafe batch.bytes.withUnsafeBytes { bytes in
            // Used where they are: an event is some hundred bytes long, and copying it costs as much as reading a field.
            try unsafe batch.entries.withUnsafeBufferPointer { entries in
                for index in entries.indices {
                    do {
                        unsafe try body(
                            entries[index].event, entries[index].instant,
                            UnsafeRawBufferPointer(rebasing: bytes[entries[index].place]))
                    } catch let error as TraceError {
                        throw unsafe TraceError(
                            line: error.line > 0 ? error.line : entries[index].line, message: error.message)
                    }
                }
            }
        }
    }

    /// The same without the lines.
    @discardableResult
    func forEach(_ body: (TraceEvent, MonotonicInstant) throws -> Void) throws -> Bool {
        try unsafe forEachLine { event, instant, _ in try body(event, instant) }
    }

    private func complain(_ status: Int32, _ message: String) -> ExitCode {
        StandardError.write("\(path): error: \(message)")
        return ExitCode(status)
    }
}

extension ProgressReport {
    /// Every two seconds while a file is worked through.
    init(reading path: String) {
        self.init(from: SystemMonotonicClock().now, every: .seconds(2)) { StandardError.write("\(path): \($0)") }
    }

    mutating func tick(_ line: @autoclosure () -> String) {
        tick(at: SystemMonotonicClock().now, line: line)
    }
}
