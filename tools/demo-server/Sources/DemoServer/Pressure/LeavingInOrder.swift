internal import NIOConcurrencyHelpers
internal import ServiceLifecycle

/// The way out that a last resort takes: it shuts the service group down, which is made after the manager that calls it.
final class LeavingInOrder: Sendable {
    private let box = NIOLockedValueBox<ServiceGroup?>(nil)

    var group: ServiceGroup? {
        get { box.withLockedValue { $0 } }
        set { box.withLockedValue { $0 = newValue } }
    }

    func begin() {
        guard let group else { return }
        Task { await group.triggerGracefulShutdown() }
    }
}
