#if os(Linux)
    public import Foundation

    /// The classes that a scene is made of.
    ///
    /// There is no `Info.plist` that a name could lead to: set ``delegateClass``. Without it the class `SceneDelegate` of the module of
    /// the application delegate is taken, as in Xcode's template, if there is one.
    @preconcurrency @MainActor open class UISceneConfiguration: NSObject {
        /// The name of the configuration.
        public let name: String?
        /// The kind of scene that it is for.
        public let role: UISceneSession.Role
        /// The class of the scene's delegate: an `NSObject` with an `init()` that is a ``UISceneDelegate``.
        open var delegateClass: AnyClass?
        /// The class of the scene; nil for ``UIWindowScene``.
        open var sceneClass: AnyClass?

        /// A configuration without classes.
        public init(name: String?, sessionRole: UISceneSession.Role) {
            self.name = name
            role = sessionRole
            super.init()
        }
    }
#endif
