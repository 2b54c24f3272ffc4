public import Configuration
public import Jetsam
public import Logging
public import ServiceLifecycle
internal import UnixSignals

/// Takes over a changed configuration while the process runs, as one snapshot.
///
/// A service for the group that the manager is in. If a file cannot be used, the last good configuration stays, and the fault
/// is logged as a warning; what was taken over is logged as a notice with the names of the settings, and with those that take
/// effect only at the next start.
public struct ConfigurationReload: Service {
    private enum Origin: Sendable {
        case file(ConfigurationFile, interval: Duration, onSIGHUP: Bool)
        case reader(ConfigReader)
    }

    private let origin: Origin
    private let target: ReloadTarget
    /// Lets the time between two looks pass.
    var pause: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

    /// Looks at a file again and again.
    ///
    /// - Parameters:
    ///   - file: The file to watch. The manager was made with its settings.
    ///   - manager: The manager whose configuration changes.
    ///   - interval: The time between two looks. A change is taken over when two looks found the same. At least 100 ms.
    ///   - onSIGHUP: True where the process takes the signal to mean that the file is complete. Only then does it have a handler
    ///     for it; without one the signal ends the process.
    ///   - logger: Gets a line for each change.
    public init(
        of file: ConfigurationFile, to manager: ResourceManager, every interval: Duration = .seconds(2),
        onSIGHUP: Bool = false, logger: Logger
    ) {
        origin = .file(file, interval: max(interval, .milliseconds(100)), onSIGHUP: onSIGHUP)
        target = ReloadTarget(current: file.settings, logger: logger) { try manager.apply($0) }
        target.note(file.warnings.map { "\(file.path):\($0)" })
    }

    /// Follows the snapshots of a reader, whose providers notice changes themselves.
    ///
    /// - Parameters:
    ///   - reader: The reader, scoped to the place of the settings. The manager was made with what the reader says when this is
    ///     made.
    ///   - manager: The manager whose configuration changes.
    ///   - logger: Gets a line for each change.
    /// - Throws: `ConfigurationError` where the present settings of the reader cannot be used.
    public init(of reader: ConfigReader, to manager: ResourceManager, logger: Logger) throws(ConfigurationError) {
        origin = .reader(reader)
        target = ReloadTarget(current: try JetsamSettings(reader: reader), logger: logger) { try manager.apply($0) }
        target.note(JetsamSettings.warnings(of: reader.snapshot()))
    }

    /// Returns when the group shuts down.
    public func run() async throws {
        try await cancelWhenGracefulShutdown {
            do {
                switch origin {
                case .file(let file, let interval, let onSIGHUP):
                    try await follow(file, interval, onSIGHUP)
                case .reader(let reader):
                    try await reader.watchSnapshot { snapshots in
                        for await snapshot in snapshots { target.handle(snapshot) }
                    }
                    // Providers that never change have nothing more to say; a service that returns ends its group.
                    try await gracefulShutdown()
                }
            } catch is CancellationError {}
        }
    }

    private func follow(_ file: ConfigurationFile, _ interval: Duration, _ onSIGHUP: Bool) async throws {
        // One look after another, so that what is taken over last is what was found last.
        let (asks, asking) = AsyncStream.makeStream(of: Bool.self, bufferingPolicy: .bufferingOldest(8))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { [pause] in
                while true {
                    try await pause(interval)
                    asking.yield(false)
                }
            }
            if onSIGHUP {
                tasks.addTask {
                    for await _ in await UnixSignalsSequence(trapping: .sighup) { asking.yield(true) }
                }
            }
            for await isReady in asks {
                target.handle(file.look(isReady: isReady))
                target.note(file.warnings.map { "\(file.path):\($0)" })
            }
            try await tasks.waitForAll()
        }
    }
}
