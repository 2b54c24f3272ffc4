#if os(Linux)
    public import Foundation

    /// Posted on the main thread, with the scene as the object, after the delegate's callback of the same meaning.
    extension UIScene {
        /// The scene has connected.
        public nonisolated static let willConnectNotification = NSNotification.Name("UISceneWillConnectNotification")
        /// The scene is gone.
        public nonisolated static let didDisconnectNotification = NSNotification.Name(
            "UISceneDidDisconnectNotification")
        /// The scene serves now.
        public nonisolated static let didActivateNotification = NSNotification.Name("UISceneDidActivateNotification")
        /// The scene is about to stop serving.
        public nonisolated static let willDeactivateNotification = NSNotification.Name(
            "UISceneWillDeactivateNotification")
        /// The scene is about to leave the background.
        public nonisolated static let willEnterForegroundNotification = NSNotification.Name(
            "UISceneWillEnterForegroundNotification")
        /// The scene is in the background.
        public nonisolated static let didEnterBackgroundNotification = NSNotification.Name(
            "UISceneDidEnterBackgroundNotification")
    }
#endif
