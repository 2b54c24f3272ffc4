#if os(Linux)
    internal import BackgroundTasks
    public import Foundation
    internal import JetsamSystem

    extension ProcessInfo {
        /// Does a piece of work under a background task: the process waits for it before it ends.
        ///
        /// - Parameters:
        ///   - reason: The name of the work in logs and reports.
        ///   - block: Called with false on a queue of its own; the task ends when it returns. Called with true as well, on another thread,
        ///     where the task expires before; the first call should return soon then. Called with true alone where the work may
        ///     not begin.
        @preconcurrency public func performExpiringActivity(
            withReason reason: String, using block: @escaping @Sendable (_ expired: Bool) -> Void
        ) {
            // A queue of its own: activities that wait for their expiry would block the threads of the global queues.
            let queue = DispatchQueue(label: "UIKit.expiringActivity")
            let tasks = ApplicationLife.shared.tasks
            let isDone = Lock(false)
            let task = tasks.beginBackgroundTask(
                withName: reason, fileID: "ProcessInfo.performExpiringActivity", line: 0
            ) {
                if !isDone.withLock({ $0 }) { block(true) }
            }
            guard task != .invalid else { return queue.async { block(true) } }
            queue.async {
                block(false)
                isDone.withLock { $0 = true }
                tasks.endBackgroundTask(task)
            }
        }
    }
#endif
