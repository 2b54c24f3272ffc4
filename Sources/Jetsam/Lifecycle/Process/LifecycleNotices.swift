internal import MemoryPressure

/// The observers of the life cycle, and what they are told: the changes of the state, and other news in their turn among them.
final class LifecycleNotices: Sendable {
    private typealias Body = @Sendable (any LifecycleObserver) async -> Void

    private struct State {
        var observers: [(id: UInt64, mailbox: ObserverMailbox)] = []
        var nextID: UInt64 = 0
        /// The news that wait for their turn, in the order in which they happened.
        var news: [(callback: LifecycleCallback, body: Body)] = []
    }

    private let state = Lock(State())
    private let turn: AsyncTurn
    private let waits: TimedWaits
    private let missed: MissedDeadlines
    private let clock: any MonotonicClock
    private let nextSequence: @Sendable () -> UInt64
    /// The time that observers have for what is no change.
    private let deadline: Duration

    /// - Parameter turn: The one of the changes.
    init(
        turn: AsyncTurn, waits: TimedWaits, missed: MissedDeadlines, deadline: Duration,
        dependencies: LifecycleDependencies
    ) {
        self.turn = turn
        self.waits = waits
        self.missed = missed
        self.deadline = deadline
        clock = dependencies.clock
        nextSequence = dependencies.nextSequence
    }

    /// Indicates whether the present task is a callback of a change or of other news.
    var isInsideCallback: Bool { CallbackToken.isInside(self) }

    /// Those of the observers, in the order in which they were registered.
    var mailboxes: [ObserverMailbox] { state.withLock { $0.observers.map(\.mailbox) } }

    /// Registers an observer, which hears everything from the next notification on.
    func observe(
        on executor: (any TaskExecutor)?, name: String, _ observer: any LifecycleObserver
    ) -> LifecycleObservation {
        let mailbox = ObserverMailbox(name: String(name.prefix(64)), observer: observer, executor: executor)
        let id = state.withLock { state in
            state.nextID += 1
            state.observers.append((state.nextID, mailbox))
            return state.nextID
        }
        return LifecycleObservation { [weak self] in
            mailbox.cancel()
            self?.remove(id)
        }
    }

    private func remove(_ id: UInt64) {
        let removed = state.withLock { state -> ObserverMailbox? in
            let index = state.observers.firstIndex { $0.id == id }
            return index.map { state.observers.remove(at: $0).mailbox }
        }
        // The observer may go with it, and is the user's: not under the lock.
        _ = removed
    }

    /// Calls the observers with one change's callback, and goes on without those that miss the deadline. The caller has the turn.
    ///
    /// - Parameter movesWithPauses: Asked once, after they were called. True where a process that was stopped meanwhile gives them the
    ///   whole time once more.
    func tell(
        _ callback: LifecycleCallback, _ transition: ProcessTransition, launchedFor reason: LaunchReason,
        movesWithPauses: () -> Bool, by deadline: @escaping @Sendable () -> MonotonicInstant
    ) async {
        let delivery = deliver(callback, by: deadline) { observer in
            switch callback {
            case .willFinishLaunching: await observer.willFinishLaunching(reason)
            case .didFinishLaunching: await observer.didFinishLaunching()
            case .didBecomeActive: await observer.didBecomeActive(transition)
            case .willResignActive: await observer.willResignActive(transition)
            case .didEnterBackground: await observer.didEnterBackground(transition)
            case .willEnterForeground: await observer.willEnterForeground(transition)
            case .willTerminate: await observer.willTerminate(transition)
            case .didReceiveMemoryWarning, .resumed, .wallClockChanged, .significantTimeChange, .stateStoreBecame: break
            }
        }
        await finish(delivery, movesWithPauses: movesWithPauses(), until: deadline)
    }

    /// Tells what is no change of the state. It takes its place among the changes, which do not wait for its callbacks.
    func note(_ callback: LifecycleCallback, _ body: @escaping @Sendable (any LifecycleObserver) async -> Void) {
        state.withLock { $0.news.append((callback, body)) }
        Task {
            await turn.acquire()
            _ = nextSequence()
            // Tasks may come in another order than they were made in: each takes what happened first.
            let (callback, body) = state.withLock { $0.news.removeFirst() }
            let delivery = deliver(callback, by: nil, body)
            turn.release()
            let end = clock.now.advanced(by: deadline)
            await finish(delivery, movesWithPauses: true) { end }
        }
    }

    /// Posts one notification; the caller has the turn.
    ///
    /// - Parameter end: The deadline of a change's callback; nil for what is no change.
    private func deliver(
        _ callback: LifecycleCallback, by end: (@Sendable () -> MonotonicInstant)?, _ body: @escaping Body
    ) -> Delivery {
        Delivery(callback, to: mailboxes) { [self] observer in
            await CallbackToken(of: self, deadline: end).run { await body(observer) }
        }
    }

    private func finish(
        _ delivery: Delivery, movesWithPauses: Bool, until deadline: @escaping @Sendable () -> MonotonicInstant
    ) async {
        // At expiry it runs where the timer does, and not in a task: observers that block every thread of the pool are late, too.
        _ = await waits.run(delivery.wait, until: deadline, movesWithPauses: movesWithPauses) { [missed] in
            missed.note(delivery.giveUp(), in: delivery.callback.rawValue, by: deadline())
        }
    }
}
