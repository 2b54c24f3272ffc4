internal import MemoryPressure
internal import Synchronization

/// Takes news from the threads that decide to a queue where they can be logged, counted and told.
///
/// Ringing neither allocates nor waits, so that the sampler may do it.
final class Bell: Sendable {
    private struct Pending {
        var steps: [(step: ReclaimStep, problems: [HandlerProblem])] = []
    }

    private let pending = Lock(Pending())
    private let doorbell = Lock<Doorbell?>(nil)
    private let needsThread = Atomic<Bool>(false)

    init() {}

    /// Nothing is told before this, nor after ``disconnect()``.
    func connect(_ doorbell: Doorbell) {
        self.doorbell.withLock { $0 = doorbell }
        doorbell.ring()
    }

    func disconnect() {
        let doorbell = doorbell.withLock { doorbell in
            defer { doorbell = nil }
            return doorbell
        }
        doorbell?.cancel()
    }

    func ring() {
        doorbell.withLock { $0?.ring() }
    }

    func publish(_ step: ReclaimStep, problems: [HandlerProblem]) {
        pending.withLock { $0.steps.append((step, problems)) }
        ring()
    }

    /// Asks the queue for a thread in place of one that hangs: starting one allocates.
    func requestThread() {
        if !needsThread.exchange(true, ordering: .acquiringAndReleasing) { ring() }
    }

    func takeThreadRequest() -> Bool {
        needsThread.exchange(false, ordering: .acquiringAndReleasing)
    }

    func takeSteps() -> [(step: ReclaimStep, problems: [HandlerProblem])] {
        pending.withLock { pending in
            defer { pending.steps = [] }
            return pending.steps
        }
    }
}
