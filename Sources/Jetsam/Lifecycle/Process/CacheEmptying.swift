internal import Logging
internal import MemoryPressure

/// The emptying of caches on a change of the process's state. It is waited for until a deadline.
final class CacheEmptying: Sendable {
    private let memory: (any ProcessMemory)?
    private let waits: TimedWaits
    private let logger: Logger
    /// The task that empties the caches of a suspended process, and may be late.
    private let givingBack = Lock<Task<Void, Never>?>(nil)

    init(waits: TimedWaits, dependencies: LifecycleDependencies) {
        self.waits = waits
        memory = dependencies.memory
        logger = dependencies.logger
    }

    /// Empties all caches; goes on without those that hang after the deadline, for the end of the process waits behind this.
    /// Late work goes on until ``cancelLateWork()``.
    func giveBack(by deadline: MonotonicInstant) async {
        guard !waits.areAbandoned else { return }
        let wait = TimedWait()
        let task = Task { [memory] in
            await memory?.giveBack()
            wait.resolve(.done)
        }
        givingBack.withLock { $0 = task }
        if await waits.run(wait, until: { deadline }, movesWithPauses: true) == .expired {
            logger.warning("Caches were not emptied in time")
        }
    }

    /// Bytes that were given back late belong to the process that is awake now.
    func cancelLateWork() {
        let task = givingBack.withLock { task in
            defer { task = nil }
            return task
        }
        task?.cancel()
    }

    /// Empties the sensitive caches. One that hangs is asked all the same, and not waited for.
    func emptySensitive(by deadline: MonotonicInstant) async {
        let wait = TimedWait()
        Task { [memory] in
            await memory?.emptySensitive()
            wait.resolve(.done)
        }
        if await waits.run(wait, until: { deadline }, movesWithPauses: true) == .expired {
            logger.warning("Sensitive caches were not emptied in time")
        }
    }
}
