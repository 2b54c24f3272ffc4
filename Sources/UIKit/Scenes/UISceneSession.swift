#if os(Linux)
    public import Foundation

    /// A scene's identity, which is kept from one connection to the next.
    @preconcurrency @MainActor open class UISceneSession: NSObject {
        /// The kind of a scene.
        public struct Role: RawRepresentable, Hashable, Sendable {
            /// The name of the kind.
            public let rawValue: String

            /// A kind of that name.
            public init(rawValue: String) {
                self.rawValue = rawValue
            }

            /// The only kind that is connected.
            public static let windowApplication = Role(rawValue: "UIWindowSceneSessionRoleApplication")
        }

        /// The identifier of the scene: that of the `ServerScene`.
        public nonisolated let persistentIdentifier: String
        /// The kind of the scene.
        public nonisolated let role: Role
        /// The scene, while it is connected.
        public internal(set) weak var scene: UIScene?
        /// The configuration that it was connected with.
        public internal(set) var configuration: UISceneConfiguration
        /// The state that was stored for it; nil where there is none.
        open var stateRestorationActivity: NSUserActivity?
        /// Notes of the application's own. They are not stored.
        open var userInfo: [String: Any]?

        init(_ identifier: String, role: Role = .windowApplication) {
            persistentIdentifier = identifier
            self.role = role
            configuration = UISceneConfiguration(name: nil, sessionRole: role)
            super.init()
        }
    }
#endif
