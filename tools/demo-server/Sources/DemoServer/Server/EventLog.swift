internal import Foundation
internal import NIOConcurrencyHelpers
internal import SystemPackage

/// The timeline of a run: one JSON object a line, each with the seconds since the start.
final class EventLog: Sendable {
    private struct State {
        var file: FileDescriptor?
    }

    private let started = ContinuousClock.now
    private let state: NIOLockedValueBox<State>

    /// - Parameter path: the file to write anew; nil to keep no timeline.
    /// - Throws: `Errno` where the file cannot be written.
    init(path: String?) throws {
        let file = try path.map {
            try FileDescriptor.open(
                FilePath($0), .writeOnly, options: [.create, .truncate, .append],
                permissions: [.ownerReadWrite, .groupRead, .otherRead])
        }
        state = NIOLockedValueBox(State(file: file))
    }

    deinit {
        state.withLockedValue { try? $0.file?.close() }
    }

    /// Adds a line. A timeline that cannot be written any more is given up, for the server goes on without it.
    func write(_ event: String, _ fields: [(name: String, value: JSONValue)] = []) {
        let elapsed = ContinuousClock.now - started
        let all = [("seconds", .seconds(elapsed)), ("event", .text(event))] + fields
        let line = "{" + all.map { "\(JSONValue.text($0).encoded):\($1.encoded)" }.joined(separator: ",") + "}\n"
        state.withLockedValue { state in
            guard let file = state.file else { return }
            if (try? file.writeAll(line.utf8)) == nil { state.file = nil }
        }
    }
}

/// The few kinds of values that the timeline has.
enum JSONValue: Sendable {
    case text(String)
    case integer(Int)
    /// Written with three decimals.
    case seconds(Duration)
    case null

    var encoded: String {
        switch self {
        case .text(let text): Self.quoted(text)
        case .integer(let value): String(value)
        case .seconds(let duration): Self.decimal(milliseconds: Int(duration / .milliseconds(1)))
        case .null: "null"
        }
    }

    private static func quoted(_ text: String) -> String {
        // No text fails to encode.
        (try? JSONEncoder().encode(text)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
    }

    private static func decimal(milliseconds: Int) -> String {
        let fraction = String(milliseconds % 1000)
        return "\(milliseconds / 1000)." + String(repeating: "0", count: 3 - fraction.count) + fraction
    }
}
