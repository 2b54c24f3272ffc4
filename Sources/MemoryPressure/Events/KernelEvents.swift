package import Dispatch
internal import Synchronization
internal import SystemPackage

/// The kernel's wake-ups: PSI triggers, `memory.events`, v1 usage thresholds and systemd's watch, each as a Dispatch source.
///
/// The handler is called on the queue, one event at a time, and must only hand over: Dispatch re-arms a source when its
/// handler returns, and what happens before that is lost. A source that dies, as when its cgroup is removed, is cancelled
/// at once and sought again after a wait that grows from a second to a minute.
package final class KernelEvents: Sendable {
    let root: KernelRoot
    let queue: DispatchQueue
    let environment: [String: String]
    let delivery: EventDelivery
    let book = WatchBook()
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
        if let start = book.activate() { openAll(start) }
    }

    /// Seeks the process's cgroup anew and opens everything there, as after a move. Usage thresholds have to be armed again.
    package func rediscover() {
        let (start, old) = book.restart()
        for watch in old { watch.cancel() }
        openAll(start)
    }

    /// The triggers to arm on the PSI file.
    var triggers: [PressureTrigger] { wantedTriggers.withLock { $0 } }

    /// Arms other triggers in the place of those that there are, as many as these. Usage thresholds have to be armed again.
    package func rearm(_ triggers: [PressureTrigger]) {
        wantedTriggers.withLock { $0 = triggers }
        if book.isActive { rediscover() }
    }

    /// Stops everything for good: no event is delivered after it returns, but for one whose handler runs already.
    /// Descriptors are closed soon after, on the queue. Idempotent.
    package func cancel() {
        delivery.cancel()
        for watch in book.cancel() { watch.cancel() }
        liveTriggers.store(false, ordering: .relaxed)
    }

    /// Indicates whether a PSI trigger is armed and alive, so that the PSI file is better left alone. Costs one atomic load.
    package var hasLiveTrigger: Bool {
        liveTriggers.load(ordering: .relaxed)
    }

    /// Brings `hasLiveTrigger` up to date; called whenever standings have changed.
    func noteTriggers() {
        let isLive = book.isAnyLive(of: triggers.indices.map { .trigger($0) })
        liveTriggers.store(isLive, ordering: .relaxed)
    }

    /// Every source of wake-ups: used, or why not. A PSI file whose triggers fared differently is told by the first that
    /// failed.
    package var statuses: [SourceStatus] {
        guard book.wasActivated else { return [] }
        let slots = slots
        let standings = book.standings(of: slots)
        let triggers = standings.prefix(slots.count - 2)
        let trigger = triggers.min { ($0.watch == nil ? 0 : 1) < ($1.watch == nil ? 0 : 1) }
        let threshold = book.threshold ?? .failed(path: nil, reason: "none was asked for so far")
        return [
            (trigger ?? .failed(path: nil, reason: "no trigger was asked for")).status(.pressureTrigger),
            standings[slots.count - 2].status(.memoryEvents),
            threshold.status(.usageThreshold),
            standings[slots.count - 1].status(.systemdWatch),
        ]
    }

    // MARK: Usage thresholds

    /// Wakes when the usage of a v1 cgroup crosses one of `bytes`, in either direction; replaces earlier thresholds.
    ///
    /// The event's grade is `.normal`: it only says that a reading is due. Opens and allocates.
    /// - Parameters:
    ///   - directory: The cgroup's directory, inside the kernel root.
    ///   - bytes: Usage, page cache included.
    /// - Returns: False where that cannot be done, which ``statuses`` then explains; earlier thresholds are gone all the same.
    package func armUsageThresholds(directory: String, bytes: [Int]) -> Bool {
        guard let arming = book.beginArming() else { return false }
        let standing = makeThresholds(directory, bytes, arming)
        let (old, isLive) = book.enterThreshold(standing, directory: directory, arming)
        for watch in old { watch.cancel() }
        return isLive
    }

    /// Indicates whether usage thresholds are armed and alive.
    package var hasLiveThreshold: Bool { book.threshold?.watch != nil }

    private func makeThresholds(_ directory: String, _ bytes: [Int], _ arming: WatchBook.Arming) -> WatchBook.Standing {
        do throws(Errno) {
            let watch = try UsageThresholdWatch(directory: directory, thresholds: bytes, in: root, queue: queue) {
                [weak self] signal in
                self?.receiveThreshold(signal, directory, arming)
            }
            if let death = root.faults[watch.path]?.dying { receiveThreshold(.died(death), directory, arming) }
            return .live(watch)
        } catch .noSuchFileOrDirectory {
            return .failed(path: directory, reason: "ENOENT: this cgroup has no usage thresholds; only v1 has")
        } catch {
            return .failed(path: directory, reason: ErrnoText.arming(error))
        }
    }

    private func receiveThreshold(_ signal: WatchSignal, _ directory: String, _ arming: WatchBook.Arming) {
        guard book.noteThreshold(signal, directory: directory, arming) else { return }
        if case .event(let event) = signal { return delivery.add(event) }
        delivery.add(KernelEvent(source: .usageThreshold, grade: .normal, path: directory))
    }
}
