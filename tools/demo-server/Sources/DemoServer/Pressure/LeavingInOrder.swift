internal import Jetsam
internal import NIOConcurrencyHelpers
internal import ServiceLifecycle

/// The way out that a last resort takes: it shuts the service group down, which is made after the manager that calls it.
final class LeavingInOrder: Sendable {
    private let log: EventLog
    private let box = NIOLockedValueBox<ServiceGroup?>(nil)

    init(log: EventLog) {
        self.log = log
    }

    var group: ServiceGroup? {
        get { box.withLockedValue { $0 } }
        set { box.withLockedValue { $0 = newValue } }
    }

    @Sendable func begin(_ reason: LevelReason) {
        log.write("last-resort", [("text", .text("leaves in order: \(reason)"))])
        guard let group else { return }
        Task { await group.triggerGracefulShutdown() }
    }
}
