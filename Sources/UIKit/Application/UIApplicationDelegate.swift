#if os(Linux)
    public import Foundation

    /// The callbacks of the process, on the main actor. All of them have defaults that do nothing.
    ///
    /// They come one at a time, in the order of what happened, and each has the deadline of a life-cycle callback of the manager's. One
    /// that is late is named in the log, and the process goes on.
    ///
    /// Declare them in the class that names the protocol: what a subclass of it adds is not called, because Swift on Linux has no optional
    /// requirements.
    @preconcurrency @MainActor public protocol UIApplicationDelegate: NSObjectProtocol {
        /// The first call of a launch. The result is not looked at.
        func application(
            _ application: UIApplication,
            willFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool
        /// The last call of a launch; readiness may follow. The result is not looked at.
        func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool
        /// The process takes work.
        func applicationDidBecomeActive(_ application: UIApplication)
        /// Readiness is false already: take no more work.
        func applicationWillResignActive(_ application: UIApplication)
        /// The process drains before its end, or idles. Save what must not be lost.
        func applicationDidEnterBackground(_ application: UIApplication)
        /// The process is about to leave the background.
        func applicationWillEnterForeground(_ application: UIApplication)
        /// The last call of a process that ends in the background.
        func applicationWillTerminate(_ application: UIApplication)
        /// Memory is short, or still is: free what can be made again. Caches of ``NSCache`` are asked anyway.
        func applicationDidReceiveMemoryWarning(_ application: UIApplication)
        /// A day has begun, the time zone is another, or the clock was set.
        func applicationSignificantTimeChange(_ application: UIApplication)
        /// The store for the states of scenes can be written again.
        func applicationProtectedDataDidBecomeAvailable(_ application: UIApplication)
        /// The store for the states of scenes can no longer be written.
        func applicationProtectedDataWillBecomeUnavailable(_ application: UIApplication)
        /// Returns the classes of a scene that is about to connect.
        func application(
            _ application: UIApplication, configurationForConnecting connectingSceneSession: UISceneSession,
            options: UIScene.ConnectionOptions
        ) -> UISceneConfiguration
        /// Sessions were destroyed: ``UIApplication/requestSceneSessionDestruction(_:options:errorHandler:)``.
        func application(_ application: UIApplication, didDiscardSceneSessions sceneSessions: Set<UISceneSession>)
    }

    extension UIApplicationDelegate {
        /// Does nothing.
        public func application(
            _ application: UIApplication,
            willFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool { true }
        /// Does nothing.
        public func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool { true }
        /// Does nothing.
        public func applicationDidBecomeActive(_ application: UIApplication) {}
        /// Does nothing.
        public func applicationWillResignActive(_ application: UIApplication) {}
        /// Does nothing.
        public func applicationDidEnterBackground(_ application: UIApplication) {}
        /// Does nothing.
        public func applicationWillEnterForeground(_ application: UIApplication) {}
        /// Does nothing.
        public func applicationWillTerminate(_ application: UIApplication) {}
        /// Does nothing.
        public func applicationDidReceiveMemoryWarning(_ application: UIApplication) {}
        /// Does nothing.
        public func applicationSignificantTimeChange(_ application: UIApplication) {}
        /// Does nothing.
        public func applicationProtectedDataDidBecomeAvailable(_ application: UIApplication) {}
        /// Does nothing.
        public func applicationProtectedDataWillBecomeUnavailable(_ application: UIApplication) {}
        /// Returns a configuration without classes.
        public func application(
            _ application: UIApplication, configurationForConnecting connectingSceneSession: UISceneSession,
            options: UIScene.ConnectionOptions
        ) -> UISceneConfiguration { UISceneConfiguration(name: nil, sessionRole: connectingSceneSession.role) }
        /// Does nothing.
        public func application(
            _ application: UIApplication, didDiscardSceneSessions sceneSessions: Set<UISceneSession>
        ) {}
    }
#endif
