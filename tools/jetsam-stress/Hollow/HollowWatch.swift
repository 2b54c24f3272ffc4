internal import CommandOutput
internal import Dispatch
internal import Jetsam
internal import Logging
internal import MemoryPressure
internal import Synchronization
internal import _StressPatterns

/// A manager with a last resort, and when its log said what.
final class HollowWatch {
    private let manager: ResourceManager
    private let log: HollowLog
    private let task: Task<Void, any Error>

    /// Comes back once it is told to begin.
    init(isDryRun: Bool) throws {
        let log = HollowLog()
        var logger = Logger(label: "jetsam-stress") { _ in HollowLog.Handler(log: log) }
        // Probes are told at debug.
        logger.logLevel = .debug
        var configuration = ManagerConfiguration()
        configuration.isDryRun = isDryRun
        do {
            manager = try ResourceManager(
                configuration: configuration, logger: logger, lastResort: { _ in log.noteLastResort() })
        } catch {
            throw StressError("the manager cannot be made: \(error)")
        }
        self.log = log
        task = Task.detached { [manager] in try await manager.run() }
    }

    /// Whether the last resort was called. It costs an atomic load.
    var hasCalledLastResort: Bool { log.hasCalledLastResort.load(ordering: .acquiring) }

    /// Ends the manager.
    func finish() {
        task.cancel()
        let ended = DispatchSemaphore(value: 0)
        Task.detached { [task] in
            _ = await task.result
            ended.signal()
        }
        ended.wait()
    }

    /// What happened, with the seconds since `start`; null where it did not.
    func figures(since start: MonotonicInstant) -> [(String, JSONText)] {
        func seconds(_ instant: MonotonicInstant?) -> JSONText {
            instant.map { .number(start.duration(to: $0).inSeconds) } ?? .null
        }
        return log.state.withLock { state in
            [
                ("probes", .integer(state.probes)), ("largestProbeBytes", .integer(state.largestProbeBytes)),
                ("warnedSeconds", seconds(state.warnedAt)), ("warning", .string(state.warning)),
                ("lastResortSeconds", seconds(state.lastResortAt)),
            ]
        }
    }
}

/// What a manager's log says of probes and of the cache, and when.
private final class HollowLog: Sendable {
    struct State {
        var probes = 0
        var largestProbeBytes = 0
        var warning: String?
        var warnedAt: MonotonicInstant?
        var lastResortAt: MonotonicInstant?
    }

    struct Handler: LogHandler {
        let log: HollowLog
        var metadata = Logger.Metadata()
        var logLevel = Logger.Level.debug

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            log.note(
                event.message.description, event.level, promised: event.metadata?["promisedBytes"]?.description)
        }
    }

    let state = Lock(State())
    let hasCalledLastResort = Atomic<Bool>(false)

    func noteLastResort() {
        let now = SystemMonotonicClock().now
        state.withLock { $0.lastResortAt = now }
        hasCalledLastResort.store(true, ordering: .releasing)
    }

    func note(_ text: String, _ level: Logger.Level, promised: String?) {
        let now = SystemMonotonicClock().now
        let isProbe = text.contains("probe: ")
        if isProbe || level >= .info { StandardError.write(text) }
        if isProbe {
            state.withLock { state in
                state.probes += 1
                state.largestProbeBytes = max(state.largestProbeBytes, promised.flatMap { Int($0) } ?? .max)
            }
        }
        guard level >= .warning, text.hasPrefix("Cache 'values' ") else { return }
        state.withLock { state in
            guard state.warnedAt == nil else { return }
            state.warnedAt = now
            state.warning = text
        }
    }
}
