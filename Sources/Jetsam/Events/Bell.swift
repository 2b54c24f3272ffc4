internal import MemoryPressure

/// Takes news from the threads that decide to a queue where they can be logged, counted and told.
///
/// Ringing neither allocates nor waits, so that the sampler may do it.
final class Bell: Sendable {
    private struct Pending {
        var steps: [(step: ReclaimStep, problems: [HandlerProblem])] = []
        var lostSteps = 0
        var hangs: [Hang] = []
        var silentCaches: [String] = []
        var lackingBytes: Int?
        var forecast: LeaveForecast?
        /// Each change of whether the store for scenes' states can be written to.
        var storeChanges: [Bool] = []
    }

    /// So much waits while nobody collects it, for a log handler may block: of steps the oldest go first.
    static let capacity = 256

    /// The treatment of reclaim threads that hang in handlers.
    enum Hang {
        /// Another thread goes on.
        case replaced
        /// There are too many of them, or no other thread can be had.
        case heldUp
    }

    private let pending = Lock(Pending())
    private let doorbell = Lock<(any Ringing)?>(nil)

    init() {}

    /// Nothing is told before this, nor after ``disconnect()``.
    func connect(_ doorbell: any Ringing) {
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
        let oldest = pending.withLock { pending in
            pending.steps.append((step, problems))
            guard pending.steps.count > Self.capacity else { return nil as ReclaimStep? }
            pending.lostSteps += 1
            return pending.steps.removeFirst().step
        }
        withExtendedLifetime(oldest) {}
        ring()
    }

    func publish(_ hang: Hang) {
        pending.withLock { if $0.hangs.count < Self.capacity { $0.hangs.append(hang) } }
        ring()
    }

    func publish(silentCaches names: [String]) {
        pending.withLock { $0.silentCaches += names.prefix(max(0, Self.capacity - $0.silentCaches.count)) }
        ring()
    }

    func collectSilentCaches() -> [String] {
        pending.withLock { pending in
            defer { pending.silentCaches = [] }
            return pending.silentCaches
        }
    }

    func publish(lackingBytes bytes: Int) {
        pending.withLock { $0.lackingBytes = bytes }
        ring()
    }

    func collectLackingBytes() -> Int? {
        pending.withLock { pending in
            defer { pending.lackingBytes = nil }
            return pending.lackingBytes
        }
    }

    func publish(_ forecast: LeaveForecast) {
        pending.withLock { $0.forecast = forecast }
        ring()
    }

    func collectForecast() -> LeaveForecast? {
        pending.withLock { pending in
            defer { pending.forecast = nil }
            return pending.forecast
        }
    }

    func publish(stateStoreIsAvailable isAvailable: Bool) {
        pending.withLock { pending in
            // The values alternate. Where too many wait, the oldest two go: the newest is what counts.
            if pending.storeChanges.count >= Self.capacity { pending.storeChanges.removeFirst(2) }
            pending.storeChanges.append(isAvailable)
        }
        ring()
    }

    func collectStoreChanges() -> [Bool] {
        pending.withLock { pending in
            defer { pending.storeChanges = [] }
            return pending.storeChanges
        }
    }

    func collectHangs() -> [Hang] {
        pending.withLock { pending in
            defer { pending.hangs = [] }
            return pending.hangs
        }
    }

    /// The steps that wait, and how many are missing before them.
    func collectSteps() -> (steps: [(step: ReclaimStep, problems: [HandlerProblem])], lost: Int) {
        pending.withLock { pending in
            defer {
                pending.steps = []
                pending.lostSteps = 0
            }
            return (pending.steps, pending.lostSteps)
        }
    }
}
