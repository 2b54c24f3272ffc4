internal import Jetsam
internal import NIOConcurrencyHelpers
internal import SystemPackage

/// Holds background tasks while the server runs, some of which end once a shutdown begins, and counts the calls of their
/// handlers.
final class HeldWork: Sendable {
    private struct State {
        var ending: [BackgroundTaskIdentifier] = []
        var isReleasing = false
        /// How often each handler was called, those of the ending ones first.
        var calls: [UInt8] = []
        var hasExpired = false
    }

    private let options: HeldWorkOptions
    private let log: EventLog
    private let registry: BackgroundTaskRegistry
    private let state = NIOLockedValueBox(State())

    init(_ options: HeldWorkOptions, log: EventLog, registry: BackgroundTaskRegistry = .shared) {
        self.options = options
        self.log = log
        self.registry = registry
    }

    /// Begins them all.
    func begin() throws {
        let total = options.total
        // Before the first, so that none expires sooner after it than it may.
        if total > 0 { log.write("holding", [("count", .integer(total))]) }
        state.withLockedValue { $0.calls = [UInt8](repeating: 0, count: total) }
        for number in 0..<options.hold {
            let identifier = try begin("demo.ending", number, .atTermination)
            state.withLockedValue { $0.ending.append(identifier) }
        }
        let expiry = options.holdExpiry.map { BackgroundTaskExpiry.after(.seconds($0)) } ?? .atTermination
        for number in options.hold..<total { _ = try begin("demo.forever", number, expiry) }
    }

    /// Ends those that end, evenly over the time that they have; once.
    func release() {
        let ending = state.withLockedValue { state in
            defer { state.isReleasing = true }
            return state.isReleasing ? [] : state.ending
        }
        guard !ending.isEmpty else { return }
        Task {
            let started = ContinuousClock.now
            var ended = 0
            while ended < ending.count {
                try? await Task.sleep(for: .milliseconds(5))
                let share = options.holdFor > 0 ? (ContinuousClock.now - started) / .seconds(options.holdFor) : 1
                let due = min(ending.count, Int(Double(ending.count) * share))
                for identifier in ending[ended..<max(ended, due)] { registry.endBackgroundTask(identifier) }
                ended = max(ended, due)
            }
            log.write("released", [("count", .integer(ended))])
        }
    }

    /// Writes what the handlers heard: into the timeline, and in a line to standard output.
    func report() {
        let calls = state.withLockedValue { $0.calls }
        guard !calls.isEmpty else { return }
        let ending = calls.prefix(options.hold)
        let forever = calls.dropFirst(options.hold)
        let (called, once) = (ending.count { $0 > 0 }, forever.count { $0 == 1 })
        let twice = calls.count { $0 > 1 }
        log.write(
            "handlers",
            [
                ("ending", .integer(ending.count)), ("endingCalled", .integer(called)),
                ("forever", .integer(forever.count)), ("foreverCalledOnce", .integer(once)),
                ("calledTwice", .integer(twice)),
            ])
        let line = """
            handlers: \(called) of \(ending.count) that ended called, \(once) of \(forever.count) that never end called \
            once, \(twice) called more than once

            """
        _ = try? FileDescriptor.standardOutput.writeAll(line.utf8)
    }

    private func begin(
        _ name: BackgroundTaskName, _ number: Int, _ expiry: BackgroundTaskExpiry
    ) throws -> BackgroundTaskIdentifier {
        try registry.begin(name, expiry: expiry) { [weak self] in self?.expired(number) }.intoIdentifier()
    }

    private func expired(_ number: Int) {
        let isFirst = state.withLockedValue { state in
            state.calls[number] = state.calls[number] == .max ? .max : state.calls[number] + 1
            defer { state.hasExpired = true }
            return !state.hasExpired
        }
        if isFirst { log.write("expired") }
    }
}
