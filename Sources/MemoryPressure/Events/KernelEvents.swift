package import Dispatch
internal import Synchronization
internal import SystemPackage

/// The kernel's wake-ups: PSI triggers, `memory.events`, v1 usage thresholds and systemd's watch, each as a Dispatch source.
///
/// The handler is called on the queue, one event at a time, and must only hand over: Dispatch re-arms a source when its
/// handler returns, and what happens before that is lost. A source that dies, as when its cgroup is removed, is cancelled
/// at once and sought again after a wait that grows from a second to a minute.
package final class KernelEvents: Sendable {
    /// The things that can be watched: a trigger by its index, or one of the others.
    enum Slot: Hashable { case trigger(Int), memoryEvents, systemd }

    /// The state of one slot.
    enum Standing: Sendable {
        case live(any Watch)
        case failed(path: String?, reason: String)
    }

    struct State {
        var phase = Phase.idle
        var standings: [Slot: Standing] = [:]
        var backOffs: [Slot: BackOff] = [:]
        /// The slots that died before they were known to live.
        var stillborn: [Slot: Errno] = [:]
        var threshold: Standing?
        /// The number of times that thresholds were armed, and the arming that `threshold` tells of.
        var armings = 0
        var arming = 0
        var stillbornThreshold: (arming: Int, error: Errno)?
        /// Grows with every new start, so that what an earlier one left behind is known.
        var generation = 0
    }

    enum Phase { case idle, active, cancelled }

    let root: KernelRoot
    let queue: DispatchQueue
    let environment: [String: String]
    let delivery: EventDelivery
    let state = Lock(State())
    private let liveTriggers = Atomic<Bool>(false)
    private let wantedTriggers: Lock<[PressureTrigger]>

    /// - Parameters:
    ///   - root: The place of the kernel's files.
    ///   - queue: The queue for the handler, which is called through a serial queue that targets it.
    ///   - clock: The time for the limit on the rate of events.
    ///   - environment: The variables where `MEMORY_PRESSURE_WATCH` and `MEMORY_PRESSURE_WRITE` are looked up.
    ///   - triggers: The triggers to arm on the PSI file.
    ///   - handler: Called with each event, at most one a source and 10 ms; the last one is never lost.
    package init(
        root: KernelRoot, queue: DispatchQueue, clock: any MonotonicClock, environment: [String: String],
        triggers: [PressureTrigger] = [.warning, .critical], handler: @escaping @Sendable (KernelEvent) -> Void
    ) {
        self.root = root
        self.queue = DispatchQueue(label: "memory-pressure.events", target: queue)
        self.environment = environment
        wantedTriggers = Lock(triggers)
        delivery = EventDelivery(queue: self.queue, clock: clock, handler: handler)
    }

    deinit { cancel() }

    /// Opens everything. When it returns, ``statuses`` tells what is used and what is not. Once only; later calls do nothing.
    package func activate() {
        let generation = state.withLock { state -> Int? in
            guard state.phase == .idle else { return nil }
            state.phase = .active
            return state.generation
        }
        if let generation { openAll(generation) }
    }

    /// Seeks the process's cgroup anew and opens everything there, as after a move. Usage thresholds have to be armed again.
    package func rediscover() {
        let (old, generation) = state.withLock { state in
            state.generation += 1
            defer {
                state.standings = [:]
                state.threshold = nil
            }
            return (state.watches, state.generation)
        }
        for watch in old { watch.cancel() }
        openAll(generation)
    }

    /// The triggers to arm on the PSI file.
    var triggers: [PressureTrigger] { wantedTriggers.withLock { $0 } }

    /// Arms other triggers in the place of those that there are, as many as these. Usage thresholds have to be armed again.
    package func rearm(_ triggers: [PressureTrigger]) {
        wantedTriggers.withLock { $0 = triggers }
        if state.withLock({ $0.phase == .active }) { rediscover() }
    }

    /// Stops everything for good: no event is delivered after it returns, but for one whose handler runs already.
    /// Descriptors are closed soon after, on the queue. Idempotent.
    package func cancel() {
        delivery.cancel()
        let old = state.withLock { state in
            state.phase = .cancelled
            state.generation += 1
            defer {
                state.standings = [:]
                state.threshold = nil
            }
            return state.watches
        }
        for watch in old { watch.cancel() }
        liveTriggers.store(false, ordering: .relaxed)
    }

    /// Indicates whether a PSI trigger is armed and alive, so that the PSI file is better left alone. Costs one atomic load.
    package var hasLiveTrigger: Bool {
        liveTriggers.load(ordering: .relaxed)
    }

    /// Brings `hasLiveTrigger` up to date; called whenever standings have changed.
    func noteTriggers() {
        let isLive = state.withLock { state in
            triggers.indices.contains { index in
                if case .live = state.standings[.trigger(index)] { true } else { false }
            }
        }
        liveTriggers.store(isLive, ordering: .relaxed)
    }
}

extension KernelEvents.State {
    /// All that is alive.
    var watches: [any Watch] {
        (Array(standings.values) + [threshold].compactMap { $0 }).compactMap { standing in
            if case .live(let watch) = standing { watch } else { nil }
        }
    }
}
