#if os(Linux)
    internal import BackgroundTasks
    internal import Jetsam
    internal import JetsamSystem

    /// What ``UIApplication`` knows of its process: apart from the main actor, because sources in Swift 5 mode ask from any thread.
    final class ApplicationLife: Sendable {
        /// That of this process.
        static let shared = ApplicationLife()

        private struct State {
            var manager: ResourceManager?
            var applicationState = UIApplication.State.inactive
            var isProtectedDataAvailable = true
        }

        private let state = Lock(State())

        /// The manager that the application lives by; nil before there is one.
        var manager: ResourceManager? { state.withLock { $0.manager } }

        var applicationState: UIApplication.State { state.withLock { $0.applicationState } }

        var isProtectedDataAvailable: Bool { state.withLock { $0.isProtectedDataAvailable } }

        /// The manager's background tasks; the process's own before there is one.
        var tasks: BackgroundTaskRegistry { manager?.backgroundTasks ?? .shared }

        func follow(_ manager: ResourceManager) {
            let old = state.withLock { state in
                defer { state = State(manager: manager) }
                return state
            }
            _ = old
        }

        func enter(_ applicationState: UIApplication.State) {
            state.withLock { $0.applicationState = applicationState }
        }

        func noteProtectedData(isAvailable: Bool) {
            state.withLock { $0.isProtectedDataAvailable = isAvailable }
        }
    }
#endif
