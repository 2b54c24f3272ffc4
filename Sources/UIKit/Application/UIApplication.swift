#if os(Linux)
    public import Foundation
    internal import Jetsam
    internal import JetsamSystem

    /// The process, with the interface of Apple's class: its state, its delegate, its background tasks and its scenes.
    ///
    /// ``UIApplicationMain(_:_:_:_:)`` makes it live, with a resource manager and a service group. A server that has those already lets it
    /// follow its manager: ``follow(_:)``. Without either the state stays ``State/inactive``, and background tasks expire by nothing.
    @preconcurrency @MainActor open class UIApplication: UIResponder {
        /// The states of the process.
        public enum State: Int, Sendable {
            /// The process takes work.
            case active
            /// The process is being launched, paused, or at the start of a shutdown.
            case inactive
            /// The process drains before its end, idles, or is suspended.
            case background
        }

        private nonisolated static let only = Lock<UIApplication?>(nil)

        /// The application of this process.
        public class var shared: UIApplication {
            if let application = only.withLock({ $0 }) { return application }
            return use(UIApplication())
        }

        /// Makes an application the one of this process, if there is none yet.
        ///
        /// - Returns: The one of this process.
        @discardableResult
        static func use(_ application: UIApplication) -> UIApplication {
            only.withLock { only in
                if only == nil { only = application }
                return only ?? application
            }
        }

        nonisolated let life = ApplicationLife.shared
        /// The scenes that are connected, by identifier.
        var scenes: [String: UIScene] = [:]
        /// The scenes that were asked for and are not connected yet, by identifier.
        var awaited: [String: AwaitedScene] = [:]
        /// Indicates whether the first scene is connected, or about to be.
        var hasFirstScene = false

        /// The delegate. It is not kept alive, but for the one that ``UIApplicationMain(_:_:_:_:)`` makes.
        open weak var delegate: (any UIApplicationDelegate)?

        /// Kept, and without any effect: a server does not sleep.
        open var isIdleTimerDisabled = false

        /// The state of the process, as its delegate has been told. In a callback it is the one that Apple's has there.
        open var applicationState: State { life.applicationState }

        /// Indicates whether the store for the states of scenes can be written, or the application has not said otherwise.
        open var isProtectedDataAvailable: Bool { life.isProtectedDataAvailable }

        /// The seconds that the process may stay where it is: in the background until its time there is over, and until held background
        /// tasks have to end once it drains. `Double.greatestFiniteMagnitude` where nothing limits it.
        open var backgroundTimeRemaining: TimeInterval {
            guard let remaining = life.manager?.backgroundTimeRemaining else { return .greatestFiniteMagnitude }
            return remaining / .seconds(1)
        }

        /// An application. There is one: ``shared``.
        public override init() {
            super.init()
        }
    }
#endif
