internal import Logging
internal import MemoryPressure

/// The supervisor that started the process, as far as it wants to be told.
final class Supervisor: Sendable {
    private enum State {
        /// It does not want to be told, or the manager does not run.
        case silent
        /// It waits for the end of the start.
        case waits(SystemdNotifier)
        /// It was told that the start is over.
        case knows(SystemdNotifier)
    }

    private let state = Lock(State.silent)

    var notifier: SystemdNotifier? {
        state.withLock { state in
            switch state {
            case .silent: nil
            case .waits(let notifier), .knows(let notifier): notifier
            }
        }
    }

    /// It is told from here on, if it wants to be.
    ///
    /// - Returns: The time between two signs of life; nil where it waits for none.
    func open(_ dependencies: LifecycleDependencies) -> Duration? {
        let notifier = SystemdNotifier(
            variables: dependencies.variables, processID: dependencies.processID, logger: dependencies.logger)
        state.withLock { $0 = notifier.map(State.waits) ?? .silent }
        return notifier?.pulseInterval
    }

    /// Tells it that the start is over, once.
    func tellStarted() {
        let notifier = state.withLock { state -> SystemdNotifier? in
            guard case .waits(let notifier) = state else { return nil }
            state = .knows(notifier)
            return notifier
        }
        notifier?.ready()
    }
}
