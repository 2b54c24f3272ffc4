#if os(Linux)
    public import Foundation

    /// A unit of the server's work with a life of its own, with the interface of Apple's. Behind each is a `ServerScene`.
    @preconcurrency @MainActor open class UIScene: UIResponder {
        /// The states of a scene.
        public enum ActivationState: Int, Sendable {
            /// Not connected: before it is, and after.
            case unattached = -1
            /// Serving.
            case foregroundActive
            /// Connected, on its way to or from serving.
            case foregroundInactive
            /// Not serving; also where the server's scene is suspended.
            case background
        }

        /// What a scene connects with.
        @preconcurrency @MainActor open class ConnectionOptions: NSObject {
            /// The activities that it was asked for with.
            public let userActivities: Set<NSUserActivity>
            /// Always empty: nothing opens URLs.
            public let urlContexts: Set<UIOpenURLContext>

            init(userActivities: Set<NSUserActivity> = []) {
                self.userActivities = userActivities
                urlContexts = []
                super.init()
            }
        }

        /// What a request for a scene says beside its activity. Kept for sources that pass it: nothing in it is looked at.
        @preconcurrency @MainActor open class ActivationRequestOptions: NSObject {
            /// The scene that asks.
            open var requestingScene: UIScene?

            /// No options.
            public override init() {
                super.init()
            }
        }

        /// The identity of the scene.
        public nonisolated let session: UISceneSession
        /// The delegate, which the scene keeps alive.
        open var delegate: (any UISceneDelegate)?
        /// The state of the scene.
        public internal(set) var activationState = ActivationState.unattached
        /// The title, for a person to read.
        open var title: String! = ""

        /// A scene of a session. The application makes none: see ``UIApplication/requestSceneSessionActivation(_:userActivity:options:errorHandler:)``.
        public required init(session: UISceneSession, connectionOptions: ConnectionOptions) {
            self.session = session
            super.init()
        }
    }

    /// A scene that Apple's applications have a window in. Here there is none.
    @preconcurrency @MainActor open class UIWindowScene: UIScene {}

    /// A window that shows nothing. It is there for sources that mention it.
    @preconcurrency @MainActor open class UIWindow: UIResponder {
        /// The scene that it was made for.
        open weak var windowScene: UIWindowScene?

        /// A window without a scene.
        public override init() {
            super.init()
        }

        /// A window for a scene.
        public init(windowScene: UIWindowScene) {
            self.windowScene = windowScene
            super.init()
        }

        /// Does nothing: there is no screen.
        open func makeKeyAndVisible() {}
    }

    /// A URL that a scene is to open. Nothing makes one.
    @preconcurrency @MainActor open class UIOpenURLContext: NSObject {
        /// The URL.
        public let url: URL

        init(url: URL) {
            self.url = url
            super.init()
        }
    }
#endif
