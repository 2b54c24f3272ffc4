#if os(Linux)
    public import Foundation

    /// Posted on the main thread, with the application as the object, after the delegate's callback of the same meaning.
    extension UIApplication {
        /// The launch is over.
        public nonisolated static let didFinishLaunchingNotification = name("DidFinishLaunching")
        /// The process takes work.
        public nonisolated static let didBecomeActiveNotification = name("DidBecomeActive")
        /// The process takes no more work.
        public nonisolated static let willResignActiveNotification = name("WillResignActive")
        /// The process is in the background.
        public nonisolated static let didEnterBackgroundNotification = name("DidEnterBackground")
        /// The process is about to leave the background.
        public nonisolated static let willEnterForegroundNotification = name("WillEnterForeground")
        /// The process ends.
        public nonisolated static let willTerminateNotification = name("WillTerminate")
        /// Memory is short, or still is.
        public nonisolated static let didReceiveMemoryWarningNotification = name("DidReceiveMemoryWarning")
        /// A day has begun, the time zone is another, or the clock was set.
        public nonisolated static let significantTimeChangeNotification = name("SignificantTimeChange")
        /// The store for the states of scenes can be written again.
        public nonisolated static let protectedDataDidBecomeAvailableNotification = name(
            "ProtectedDataDidBecomeAvailable")
        /// The store for the states of scenes can no longer be written.
        public nonisolated static let protectedDataWillBecomeUnavailableNotification = name(
            "ProtectedDataWillBecomeUnavailable")

        private nonisolated static func name(_ event: String) -> NSNotification.Name {
            NSNotification.Name("UIApplication\(event)Notification")
        }

        func post(_ name: NSNotification.Name) async {
            await NotificationCenter.default.postOnMain(name, about: self)
        }
    }
#endif
