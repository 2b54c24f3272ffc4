internal import Dispatch
internal import JetsamSystem
internal import Synchronization
internal import SystemPackage

/// Calls what is due. One thread sleeps until the next deadline of all shards and calls the handlers itself; a second stands
/// by, and takes over when the first does not come back from one. Both begin with the first deadline.
///
/// It holds the table and not the registry, so that a registry that nobody has any more ends it.
final class ExpiryEngine: Sendable {
    /// A handler that is seen at two looks so far apart is taken for hung: after 50 to 100 ms.
    static let patience = Duration.milliseconds(50)
    /// With so many threads lost in handlers no more are started: expiry then waits until any of them comes back, and nothing
    /// becomes overdue meanwhile. The ladder and the end of the process wait for tasks with deadlines of their own.
    static let mostThreads = 16

    /// The time between two tries for a thread.
    private static let retryInterval = Duration.seconds(1)

    let table: TaskTable
    private let isAutomatic: Bool
    private let threads: ReplaceableThreads
    private let runner = ExpiryRunner()
    private let spot = ParkingSpot()
    private let standbySpot = ParkingSpot()
    /// The time when the leader wakes, in monotonic nanoseconds; `.min` while it is awake.
    private let planned = Atomic<Int64>(.max)
    private let hasStarted = Atomic<Bool>(false)
    private let isStopped = Atomic<Bool>(false)
    private let isWatched = Atomic<Bool>(false)
    private let hasStandby = Atomic<Bool>(false)
    private let hungHandlers = Atomic<Int>(0)
    /// The time of the next try for a thread, in monotonic nanoseconds; `.max` where there is one or none is needed.
    private let retryAt = Atomic<Int64>(.max)
    private let news = ExpiryNews()

    /// - Parameters:
    ///   - isAutomatic: True where threads drive it; otherwise nothing is called before ``runDue()``.
    ///   - threads: The source of these threads.
    init(table: TaskTable, isAutomatic: Bool, threads: any ThreadSource = SystemThreads()) {
        self.table = table
        self.isAutomatic = isAutomatic
        self.threads = ReplaceableThreads(most: Self.mostThreads, source: threads)
    }

    /// The number of handlers that have been given up as hung.
    var handlersGivenUp: Int { hungHandlers.load(ordering: .relaxed) }

    func setObserver(_ new: (any BackgroundTaskObserver)?) {
        news.setObserver(new)
    }

    /// Something is due at that monotonic time: the leader has to be awake by then.
    @inline(__always)
    func expect(_ due: Int64) {
        if due < planned.load(ordering: .acquiring) { expedite(due) }
    }

    @inline(never)
    private func expedite(_ due: Int64) {
        guard isAutomatic else { return }
        var current = planned.load(ordering: .acquiring)
        while due < current {
            let (exchanged, original) = planned.compareExchange(
                expected: current, desired: due, ordering: .acquiringAndReleasing)
            if exchanged {
                spot.signal()
                break
            }
            current = original
        }
        if !hasStarted.load(ordering: .acquiring) { start() }
    }

    /// - Parameter tells: True where the observer, which is code of the application's, may be called on this thread.
    private func start(tells: Bool = true) {
        guard !hasStarted.exchange(true, ordering: .acquiringAndReleasing) else { return }
        let leader = runner.becomeLeader()
        if let error = startThread("jetsam.expiry", { $0.serve(asLeader: leader) }) {
            // Nothing can be called without a thread: the next that begins tries again, and the sampler, and a timer.
            hasStarted.store(false, ordering: .releasing)
            planned.store(.max, ordering: .releasing)
            startFailed(error, tells: tells)
            return
        }
        retryAt.store(.max, ordering: .releasing)
        news.threadsAreThere(tells: tells)
        startStandby()
    }

    private func startFailed(_ error: Errno, tells: Bool) {
        retryAt.store(table.now + Self.retryInterval.nanoseconds, ordering: .releasing)
        news.threadsLack(error, tells: tells)
        // A process without a manager has no sampler.
        DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(Int(Self.retryInterval.nanoseconds))) {
            [weak self] in
            self?.retry(tells: true)
        }
    }

    /// Tries again to have a thread where there was none for the first deadline. For the sampler: costs an atomic load where
    /// all is well, and tries once a second else. The observer is notified on another thread.
    func retry() {
        retry(tells: false)
    }

    private func retry(tells: Bool) {
        let due = retryAt.load(ordering: .acquiring)
        guard due != .max, table.now >= due, !isStopped.load(ordering: .acquiring) else { return }
        start(tells: tells)
    }

    private func startStandby() {
        guard !hasStandby.exchange(true, ordering: .acquiringAndReleasing) else { return }
        if startThread("jetsam.standby", { $0.serve(asLeader: nil) }) != nil {
            hasStandby.store(false, ordering: .releasing)
        }
    }

    /// Nil where it was started.
    private func startThread(_ name: String, _ body: @escaping @Sendable (ExpiryEngine) -> Void) -> Errno? {
        do throws(Errno) {
            try threads.start(name) { [self] in body(self) }
            return nil
        } catch { return error }
    }

    func stop() {
        isStopped.store(true, ordering: .releasing)
        spot.signal()
        standbySpot.signal()
    }

    /// Calls everything that is due now, on the calling thread.
    func runDue() {
        let leader = runner.becomeLeader()
        while runBatch(leader) {}
        overdueWereReported(leader)
    }

    /// Runs a thread from its start to its end.
    private func serve(asLeader leader: Int?) {
        var leader = leader
        // The standby thread has the time for it; the thread that started it had not.
        if leader == nil { news.threadsAreThere(tells: true) }
        while true {
            if let me = leader {
                lead(me)
                // Deposed while it hung: whoever comes back when nobody stands by does.
                guard !hasStandby.exchange(true, ordering: .acquiringAndReleasing) else { return }
            }
            leader = standBy()
            if leader == nil { return }
        }
    }

    private func lead(_ me: Int) {
        while !isStopped.load(ordering: .acquiring) {
            planned.store(.min, ordering: .releasing)
            while runBatch(me) {}
            overdueWereReported(me)
            guard runner.isLeader(me) else { return }
            // Where it could not be started, or its like hang.
            if !hasStandby.load(ordering: .relaxed), threads.hasRoom { startStandby() }
            // A task that begins from here on compares with this, or is found by the look at the shards.
            planned.store(.max, ordering: .releasing)
            let due = table.nextDue()
            var current = planned.load(ordering: .acquiring)
            while due < current {
                let (exchanged, original) = planned.compareExchange(
                    expected: current, desired: due, ordering: .acquiringAndReleasing)
                if exchanged { break }
                current = original
            }
            let wake = min(due, current)
            spot.wait(for: wake == .max ? nil : .nanoseconds(max(0, wake - table.now)))
        }
    }

    /// Fills the batch and calls what is in it. False where there is nothing due, or another thread leads now.
    private func runBatch(_ me: Int) -> Bool {
        guard let hasMore = runner.fill(me, table) else { return false }
        var isFirst = true
        while let item = runner.next(me) {
            if isFirst { beWatched() }
            isFirst = false
            switch item {
            // Taken out only now: one that has ended since it was found due is not called.
            case .expired(let identifier): table.claimHandler(of: identifier)?.call()
            case .overdue(let task): report(task)
            }
        }
        return (hasMore || !isFirst) && runner.isLeader(me)
    }

    /// Code of the application's is about to be called: whoever stands by looks whether it comes back.
    private func beWatched() {
        if isAutomatic, !isWatched.exchange(true, ordering: .acquiringAndReleasing) { standbySpot.signal() }
    }

    /// All that was due has been called or told.
    private func overdueWereReported(_ me: Int) {
        guard news.closeOverdue() else { return }
        if !tell(me, { $0.overdueWereTold() }) { news.reopenOverdue() }
    }

    /// Calls the observer from the thread that leads; false where a thread that has led before hangs in it. One that does not come back
    /// is replaced like one in a handler.
    @discardableResult
    private func tell(_ me: Int, _ body: (any BackgroundTaskObserver) -> Void) -> Bool {
        switch news.beginTelling() {
        case .nobody: return true
        case .busy: return false
        case .observer(let observer):
            let leads = runner.beginCall(me)
            beWatched()
            body(observer)
            if leads { runner.endCall(me) }
            news.endTelling()
            return true
        }
    }

    private func report(_ task: OverdueTask) {
        // First, for an observer that takes its time holds nobody up.
        table.checkReleased()
        news.report(table.describe(task))
    }

    /// Looks whether the leader gets on while it is at work, and sleeps while it is not.
    /// - Returns: The caller's number as leader, once it has to take over; nil where all is to end.
    private func standBy() -> Int? {
        while !isStopped.load(ordering: .acquiring) {
            isWatched.store(true, ordering: .releasing)
            var seen = runner.call
            while !isStopped.load(ordering: .acquiring) {
                // Woken before the time is over it has not waited, and judges nobody.
                if standbySpot.wait(for: Self.patience) { continue }
                let call = runner.call
                if let call, call == seen, let leader = runner.takeOver(from: call) {
                    hasTakenOver(leader)
                    return leader
                }
                if call == nil, seen == nil { break }
                seen = call
            }
            isWatched.store(false, ordering: .sequentiallyConsistent)
            // The leader may have begun after the last look, and found itself watched.
            if runner.call == nil, !isStopped.load(ordering: .acquiring) { standbySpot.wait(for: nil) }
        }
        return nil
    }

    private func hasTakenOver(_ leader: Int) {
        hungHandlers.add(1, ordering: .relaxed)
        hasStandby.store(false, ordering: .releasing)
        if threads.hasRoom { startStandby() }
        tell(leader) { $0.handlerHangs(handlersGivenUp) }
    }
}
