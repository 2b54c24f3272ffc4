#if os(Linux)
    internal import Dispatch

    /// Runs tasks on one queue instead of Swift's own threads. On Linux these are the threads of the global queues, which an application
    /// may have blocked: they would keep its process from hearing of its end.
    final class QueueExecutor: TaskExecutor {
        /// The main thread.
        static let main = QueueExecutor(.main)
        /// What the process waits for: its manager, its servers and its signals. A serial queue of its own always gets a thread.
        static let process = QueueExecutor(DispatchQueue(label: "UIKit.process", qos: .utility))

        /// Tasks that the manager starts inherit it, and run on the threads of the global queue of this class: the one that applications
        /// block least. On Linux a class has threads of its own, and means nothing to the scheduler.
        static let priority = TaskPriority.utility

        private let queue: DispatchQueue

        private init(_ queue: DispatchQueue) {
            self.queue = queue
        }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { [self] in unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
        }
    }
#endif
