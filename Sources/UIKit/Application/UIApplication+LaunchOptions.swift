#if os(Linux)
    extension UIApplication {
        /// The keys of what an application is launched with. Nothing is passed here: the dictionary is always nil, and what started the
        /// process is in the manager's `LaunchReason`.
        public struct LaunchOptionsKey: RawRepresentable, Hashable, Sendable {
            /// The name of the key.
            public let rawValue: String

            /// A key of that name.
            public init(rawValue: String) {
                self.rawValue = rawValue
            }

            /// A URL to open.
            public static let url = LaunchOptionsKey(rawValue: "UIApplicationLaunchOptionsURLKey")
            /// The application that asked for the launch.
            public static let sourceApplication = LaunchOptionsKey(
                rawValue: "UIApplicationLaunchOptionsSourceApplicationKey")
            /// A notification that came from a server.
            public static let remoteNotification = LaunchOptionsKey(
                rawValue: "UIApplicationLaunchOptionsRemoteNotificationKey")
            /// A change of the place.
            public static let location = LaunchOptionsKey(rawValue: "UIApplicationLaunchOptionsLocationKey")
            /// A shortcut that a person chose.
            public static let shortcutItem = LaunchOptionsKey(rawValue: "UIApplicationLaunchOptionsShortcutItemKey")
            /// An activity to continue.
            public static let userActivityDictionary = LaunchOptionsKey(
                rawValue: "UIApplicationLaunchOptionsUserActivityDictionaryKey")
        }
    }
#endif
