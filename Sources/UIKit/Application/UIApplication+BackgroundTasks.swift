#if os(Linux)
    internal import BackgroundTasks
    internal import Foundation

    extension UIApplication {
        /// Begins a background task without a name.
        ///
        /// All else is as with ``beginBackgroundTask(withName:expirationHandler:)``.
        public nonisolated func beginBackgroundTask(
            expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
        ) -> UIBackgroundTaskIdentifier {
            beginBackgroundTask(withName: nil, expirationHandler: handler)
        }

        /// Begins a background task: the process waits for it before it ends, until it expires. May be called from any thread.
        ///
        /// It has priority `normal`: it is refused at the level `critical`, and when the process ends.
        ///
        /// - Parameters:
        ///   - taskName: The name in logs and reports; nil for `unnamed`.
        ///   - handler: Called once on the main actor, when the task expires: while the process drains, when its time in the background
        ///     is over, or because memory is short. It should end the task. Where the main thread is busy it comes late.
        /// - Returns: The identifier to end it with; ``UIBackgroundTaskIdentifier/invalid`` where it was refused.
        public nonisolated func beginBackgroundTask(
            withName taskName: String?, expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
        ) -> UIBackgroundTaskIdentifier {
            let task = life.tasks.beginBackgroundTask(withName: taskName) {
                guard let handler else { return }
                DispatchQueue.main.async { MainActor.assumeIsolated(handler) }
            }
            return UIBackgroundTaskIdentifier(rawValue: Int(truncatingIfNeeded: task.bits))
        }

        /// Ends a background task. Does nothing for one that has ended. May be called from any thread.
        public nonisolated func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) {
            let bits = UInt64(truncatingIfNeeded: identifier.rawValue)
            life.tasks.endBackgroundTask(BackgroundTaskIdentifier(bits: bits))
        }
    }
#endif
