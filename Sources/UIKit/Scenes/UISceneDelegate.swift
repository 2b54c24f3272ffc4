#if os(Linux)
    public import Foundation

    /// The callbacks of a scene, on the main actor. All of them have defaults that do nothing.
    ///
    /// Declare them in the class that names the protocol: what a subclass of it adds is not called, because Swift on Linux has no optional
    /// requirements.
    @preconcurrency @MainActor public protocol UISceneDelegate: NSObjectProtocol {
        /// The scene connects. Its stored state is the session's ``UISceneSession/stateRestorationActivity``.
        func scene(
            _ scene: UIScene, willConnectTo session: UISceneSession,
            options connectionOptions: UIScene.ConnectionOptions)
        /// The scene is gone, because memory was short, the process ends, or the application wanted it. It can connect again.
        func sceneDidDisconnect(_ scene: UIScene)
        /// The scene serves now.
        func sceneDidBecomeActive(_ scene: UIScene)
        /// The scene is about to stop serving. Its state is asked for next.
        func sceneWillResignActive(_ scene: UIScene)
        /// The scene is about to serve: after it has connected, and when it leaves the background.
        func sceneWillEnterForeground(_ scene: UIScene)
        /// The scene is in the background: it may be lost without a word.
        func sceneDidEnterBackground(_ scene: UIScene)
        /// Returns the state to store; nil where nothing has changed since it was asked for last. Asked for at each step down, where the
        /// manager has a store.
        func stateRestorationActivity(for scene: UIScene) -> NSUserActivity?
        /// Not called: nothing opens URLs.
        func scene(_ scene: UIScene, openURLContexts URLContexts: Set<UIOpenURLContext>)
        /// The scene was connected already when it was asked for with this activity.
        func scene(_ scene: UIScene, continue userActivity: NSUserActivity)
    }

    extension UISceneDelegate {
        /// Does nothing.
        public func scene(
            _ scene: UIScene, willConnectTo session: UISceneSession,
            options connectionOptions: UIScene.ConnectionOptions
        ) {}
        /// Does nothing.
        public func sceneDidDisconnect(_ scene: UIScene) {}
        /// Does nothing.
        public func sceneDidBecomeActive(_ scene: UIScene) {}
        /// Does nothing.
        public func sceneWillResignActive(_ scene: UIScene) {}
        /// Does nothing.
        public func sceneWillEnterForeground(_ scene: UIScene) {}
        /// Does nothing.
        public func sceneDidEnterBackground(_ scene: UIScene) {}
        /// Has no state.
        public func stateRestorationActivity(for scene: UIScene) -> NSUserActivity? { nil }
        /// Does nothing.
        public func scene(_ scene: UIScene, openURLContexts URLContexts: Set<UIOpenURLContext>) {}
        /// Does nothing.
        public func scene(_ scene: UIScene, continue userActivity: NSUserActivity) {}
    }

    /// The callbacks of a scene that has a window on Apple's platforms. Here they are those of ``UISceneDelegate``.
    @preconcurrency @MainActor public protocol UIWindowSceneDelegate: UISceneDelegate {}
#endif
