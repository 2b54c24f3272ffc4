internal import ArgumentParser
internal import Jetsam
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
        defer { if path != "-" { try? file.close() } }
        var reader = TraceLineReader()
        var hasHeader = false
        do {
            let isWhole = unsafe try TraceLines.forEach(in: file) { line in
                guard let (event, instant) = unsafe try reader.read(line) else { return }
                if !hasHeader {
                    guard case .trace(let header) = event else {
                        throw TraceError(line: reader.line, message: "a trace begins with a line of the kind 'trace'")
                    }
                    try Self.check(header, line: reader.line)
                    hasHeader = true
                }
                do {
                    try event.checkBounds(at: instant)
                    unsafe try body(event, instant, line)
                } catch let error as TraceError {
                    throw TraceError(line: error.line > 0 ? error.line : reader.line, message: error.message)
                }
            }
            guard hasHeader else { throw TraceError(line: 0, message: "there is nothing in it") }
            return isWhole
        } catch let error as TraceError {
            throw complain(65, error.description)
        } catch let error as Errno {
            throw complain(66, "cannot be read: \(error)")
        }
    }

    /// The same without the lines.
    @discardableResult
    func forEach(_ body: (TraceEvent, MonotonicInstant) throws -> Void) throws -> Bool {
        try unsafe forEachLine { event, instant, _ in try body(event, instant) }
    }

    private static func check(_ header: TraceHeader, line: Int) throws(TraceError) {
        guard header.version == TraceLineReader.version else {
            let known = TraceLineReader.version
            throw TraceError(line: line, message: "version \(header.version) of the schema; \(known) can be read")
        }
        do {
            try header.configuration.validate()
        } catch {
            throw TraceError(line: line, message: "its configuration cannot be used: \(error)")
        }
    }

    private func complain(_ status: Int32, _ message: String) -> ExitCode {
        StandardError.write("\(path): error: \(message)")
        return ExitCode(status)
    }
}

/// Says every two seconds how far a long reading has come.
struct ReadingProgress {
    private let what: String
    private var next: MonotonicInstant

    init(_ what: String) {
        self.what = what
        next = SystemMonotonicClock().now.advanced(by: .seconds(2))
    }

    mutating func tick(_ detail: @autoclosure () -> String) {
        let now = SystemMonotonicClock().now
        guard now >= next else { return }
        next = now.advanced(by: .seconds(2))
        StandardError.write("\(what): \(detail())")
    }
}
