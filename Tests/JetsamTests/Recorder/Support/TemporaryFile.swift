import MemoryPressure
import SystemPackage

@testable import Jetsam
@testable import JetsamTrace

/// A file's name in a directory of its own, which is gone again with the value.
final class TemporaryFile: Sendable {
    private let directory: TemporaryDirectory
    let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path.appending("trace.jsonl").string
    }

    func read() throws -> [UInt8] {
        let file = try FileDescriptor.open(FilePath(path), .readOnly)
        defer { try? file.close() }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = try unsafe buffer.withUnsafeMutableBytes { unsafe try file.read(into: $0) }
            if count == 0 { return bytes }
            bytes += buffer[..<count]
        }
    }
}

/// A trace in memory.
struct TraceText {
    struct Line {
        var event: TraceEvent
        var instant: MonotonicInstant
    }

    var lines: [Line] = []

    init(_ bytes: [UInt8]) throws {
        var reader = TraceLineReader()
        for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            let read = try unsafe Array(line).withUnsafeBytes { unsafe try reader.read($0) }
            if let read { lines.append(Line(event: read.event, instant: read.instant)) }
        }
    }

    /// The first word of each line's event.
    var kinds: Set<String> {
        Set(lines.map { String(String(describing: $0.event).prefix { $0 != "(" }) })
    }

    func replayed() throws -> (text: String, differences: Int) {
        var replay = Replay()
        for line in lines { try replay.feed(line.event, at: line.instant) }
        replay.finish()
        return (String(decoding: replay.writer.bytes, as: UTF8.self), replay.differences)
    }
}
