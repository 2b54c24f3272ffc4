#if os(Linux)
    internal import Dispatch

    /// Runs tasks on the main queue instead of Swift's own threads. On Linux these are the threads of the global queues, which an
    /// application may have blocked: they would keep its delegate from hearing of its end.
    final class MainQueueExecutor: TaskExecutor {
        static let shared = MainQueueExecutor()

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            DispatchQueue.main.async { [self] in unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
        }
    }
#endif
