import Logging
import MemoryPressure
import ServiceLifecycle

/// What was logged, as text, and somebody who waits for a line of it.
final class LogLines: Sendable {
    private struct State {
        var lines: [String] = []
        var taken = 0
        var waiting: (matches: @Sendable (String) -> Bool, continuation: CheckedContinuation<Void, Never>)?
    }

    private let state = Lock(State())

    var lines: [String] { state.withLock { $0.lines } }
    var logger: Logger { Logger(label: "test") { _ in Handler(lines: self) } }
    var silent: Logger { Logger(label: "test") { _ in SwiftLogNoOpLogHandler() } }

    /// Returns when a line after the last one that was waited for matches.
    func next(_ matches: @escaping @Sendable (String) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if let index = state.lines[state.taken...].firstIndex(where: matches) {
                    state.taken = index + 1
                    return true
                }
                state.waiting = (matches, continuation)
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    private func add(_ line: String) {
        let continuation = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.lines.append(line)
            guard let waiting = state.waiting, waiting.matches(line) else { return nil }
            state.taken = state.lines.count
            state.waiting = nil
            return waiting.continuation
        }
        continuation?.resume()
    }

    private struct Handler: LogHandler {
        let lines: LogLines
        var logLevel = Logger.Level.trace
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let pairs = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }
            lines.add("\(event.level) \(event.message)\(pairs.joined())")
        }
    }
}

/// A service that ends when it is told to, and with it its group.
final class GracefulShutdownTrigger: Service {
    private let stream = AsyncStream<Void>.makeStream()

    func run() async throws {
        for await _ in stream.stream {}
    }

    func pull() {
        stream.continuation.finish()
    }
}
