#if os(Linux)
    extension UIApplication {
        /// The keys of what a URL is opened with. It is there for sources that declare `application(_:open:options:)`, which nothing calls.
        public struct OpenURLOptionsKey: RawRepresentable, Hashable, Sendable {
            /// The name of the key.
            public let rawValue: String

            /// A key of that name.
            public init(rawValue: String) {
                self.rawValue = rawValue
            }

            /// The application that asked for it.
            public static let sourceApplication = OpenURLOptionsKey(
                rawValue: "UIApplicationOpenURLOptionsSourceApplicationKey")
        }
    }

    /// The result of a background fetch. It is there for sources that declare `application(_:performFetchWithCompletionHandler:)`, or the
    /// callback of a remote notification, which nothing calls.
    public enum UIBackgroundFetchResult: UInt, Sendable {
        /// There was something new.
        case newData
        /// There was nothing new.
        case noData
        /// It could not be found out.
        case failed
    }

    /// An object that takes an activity. It is there for sources that declare `application(_:continue:restorationHandler:)`, which nothing
    /// calls: a scene's delegate has `scene(_:continue:)`.
    @preconcurrency @MainActor public protocol UIUserActivityRestoring {
        /// Goes on with the activity.
        func restoreUserActivityState(_ activity: NSUserActivity)
    }
#endif
