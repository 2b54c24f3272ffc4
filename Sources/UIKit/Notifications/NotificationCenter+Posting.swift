#if os(Linux)
    internal import Foundation

    extension NotificationCenter {
        /// Posts on the main queue, and returns when all observers have been called.
        ///
        /// Where the main queue is served by another thread than the main one, as under an `async` main function, Foundation does not
        /// see that an observer on `OperationQueue.main` may be called at once: it would wait for that queue, on that queue, for ever. In
        /// an operation of the queue it sees it.
        @MainActor func postOnMain(_ name: Notification.Name, about object: UIResponder) async {
            guard !Thread.isMainThread else { return post(name: name, object: object) }
            await withCheckedContinuation { continuation in
                OperationQueue.main.addOperation {
                    MainActor.assumeIsolated { NotificationCenter.default.post(name: name, object: object) }
                    continuation.resume()
                }
            }
        }
    }
#endif
