#if os(Linux)
    // On Apple's platforms the callbacks are optional requirements, and whoever passes them on calls them as such:
    // `delegate.applicationDidBecomeActive?(application)`. Here they are all there; these make the question mark mean nothing.
    extension UIApplicationDelegate {
        /// The callbacks that begin with `application(_:`, to be called with `?`.
        public var application: ApplicationCalls? { ApplicationCalls(delegate: self) }
        /// The callback, to be called with `?`.
        public var applicationDidBecomeActive: ((UIApplication) -> Void)? { { self.applicationDidBecomeActive($0) } }
        /// The callback, to be called with `?`.
        public var applicationWillResignActive: ((UIApplication) -> Void)? { { self.applicationWillResignActive($0) } }
        /// The callback, to be called with `?`.
        public var applicationDidEnterBackground: ((UIApplication) -> Void)? {
            { self.applicationDidEnterBackground($0) }
        }
        /// The callback, to be called with `?`.
        public var applicationWillEnterForeground: ((UIApplication) -> Void)? {
            { self.applicationWillEnterForeground($0) }
        }
        /// The callback, to be called with `?`.
        public var applicationWillTerminate: ((UIApplication) -> Void)? { { self.applicationWillTerminate($0) } }
        /// The callback, to be called with `?`.
        public var applicationDidReceiveMemoryWarning: ((UIApplication) -> Void)? {
            { self.applicationDidReceiveMemoryWarning($0) }
        }
        /// The callback, to be called with `?`.
        public var applicationSignificantTimeChange: ((UIApplication) -> Void)? {
            { self.applicationSignificantTimeChange($0) }
        }
        /// The callback, to be called with `?`.
        public var applicationProtectedDataDidBecomeAvailable: ((UIApplication) -> Void)? {
            { self.applicationProtectedDataDidBecomeAvailable($0) }
        }
        /// The callback, to be called with `?`.
        public var applicationProtectedDataWillBecomeUnavailable: ((UIApplication) -> Void)? {
            { self.applicationProtectedDataWillBecomeUnavailable($0) }
        }
    }

    /// The callbacks of a ``UIApplicationDelegate`` that begin with `application(_:`.
    @preconcurrency @MainActor public struct ApplicationCalls {
        let delegate: any UIApplicationDelegate

        /// Calls the delegate.
        public func callAsFunction(
            _ application: UIApplication,
            willFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool { delegate.application(application, willFinishLaunchingWithOptions: launchOptions) }
        /// Calls the delegate.
        public func callAsFunction(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool { delegate.application(application, didFinishLaunchingWithOptions: launchOptions) }
        /// Calls the delegate.
        public func callAsFunction(
            _ application: UIApplication, configurationForConnecting connectingSceneSession: UISceneSession,
            options: UIScene.ConnectionOptions
        ) -> UISceneConfiguration {
            delegate.application(application, configurationForConnecting: connectingSceneSession, options: options)
        }
        /// Calls the delegate.
        public func callAsFunction(
            _ application: UIApplication, didDiscardSceneSessions sceneSessions: Set<UISceneSession>
        ) {
            delegate.application(application, didDiscardSceneSessions: sceneSessions)
        }
    }
#endif
