import Glibc
import MemoryPressure

/// All jobs of Swift's tasks, in the order in which they were added, for one thread to run.
///
/// The concurrency runtime hands every job that belongs to no executor of its own to a hook. Here that hook puts it into this
/// queue, so that tasks run one after another on the thread that moves the time: the same seed gives the same order.
final class JobQueue: Sendable {
    private typealias Original = @convention(thin) (UnownedJob) -> Void
    private typealias Hook = @convention(thin) (UnownedJob, Original) -> Void

    private struct State {
        var jobs: [UnownedJob] = []
        var first = 0
    }

    static let shared = JobQueue()

    private let state = Lock(State())
    private let executor = Queued()

    private init() {}

    /// Takes all jobs of the process from now on: what else runs in it gets no further.
    func install() {
        guard let symbol = unsafe dlsym(dlopen(nil, RTLD_LAZY), "swift_task_enqueueGlobal_hook") else {
            preconditionFailure("this Swift runtime has no hook for the jobs of tasks")
        }
        unsafe symbol.assumingMemoryBound(to: Hook?.self).pointee = { job, _ in JobQueue.shared.add(job) }
    }

    private func add(_ job: UnownedJob) {
        state.withLock { $0.jobs.append(job) }
    }

    /// Runs the oldest job; false where there is none.
    func runNext() -> Bool {
        let job = state.withLock { state -> UnownedJob? in
            guard state.first < state.jobs.count else {
                state.jobs.removeAll(keepingCapacity: true)
                state.first = 0
                return nil
            }
            defer { state.first += 1 }
            return state.jobs[state.first]
        }
        guard let job else { return false }
        unsafe job.runSynchronously(on: executor.asUnownedTaskExecutor())
        return true
    }

    /// Nobody prefers it; it is named as the one that runs the jobs.
    private final class Queued: TaskExecutor {
        func enqueue(_ job: consuming ExecutorJob) {
            JobQueue.shared.add(UnownedJob(job))
        }
    }
}
