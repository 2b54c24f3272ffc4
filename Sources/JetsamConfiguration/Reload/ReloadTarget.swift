internal import Configuration
internal import Jetsam
internal import Logging
internal import MemoryPressure

/// The receivers of changed settings: the manager, and the log.
final class ReloadTarget: Sendable {
    private let current: Lock<JetsamSettings>
    /// The last messages about ignored parts.
    private let noted = Lock<[String]>([])
    private let logger: Logger
    private let apply: @Sendable (ManagerConfiguration) throws -> ConfigurationChange

    /// - Parameter current: The settings that the process was started with.
    init(
        current: JetsamSettings, logger: Logger,
        apply: @escaping @Sendable (ManagerConfiguration) throws -> ConfigurationChange
    ) {
        self.current = Lock(current)
        self.logger = logger
        self.apply = apply
    }

    func handle(_ look: ConfigurationFile.Look) {
        switch look {
        case .unchanged: break
        case .changed(let settings): handle(settings)
        case .refused(let error): refuse(error)
        }
    }

    /// Says what is ignored, once for as long as it stays the same.
    func note(_ warnings: [String]) {
        let isNew = noted.withLock { noted in
            defer { noted = warnings }
            return noted != warnings
        }
        guard isNew else { return }
        for warning in warnings {
            logger.warning("The configuration has entries that are ignored", metadata: ["warning": "\(warning)"])
        }
    }

    func handle(_ snapshot: ConfigSnapshotReader) {
        note(JetsamSettings.warnings(of: snapshot))
        do throws(ConfigurationError) {
            handle(try JetsamSettings(snapshot: snapshot))
        } catch {
            refuse(error)
        }
    }

    private func handle(_ settings: JetsamSettings) {
        let before = current.withLock { $0 }
        guard settings != before else { return }
        do {
            let change = try apply(settings.manager)
            current.withLock { $0 = settings }
            let tasks = Setting.differences(between: before, and: settings).map(\.key)
                .filter { $0.hasPrefix("backgroundTasks.") }
            logger.notice(
                change.applied.isEmpty
                    ? "The configuration was read; what has changed counts at the next start"
                    : "The configuration was taken over",
                metadata: [
                    "changed": "\(Self.list(change.applied))",
                    "atNextStart": "\(Self.list(change.atNextStart + tasks))",
                ])
        } catch {
            refuse(error)
        }
    }

    private func refuse(_ error: any Error) {
        logger.warning(
            "The configuration was not taken over; the last good one stays", metadata: ["error": "\(error)"])
    }

    private static func list(_ names: [String]) -> String {
        names.isEmpty ? "none" : names.joined(separator: ", ")
    }
}
