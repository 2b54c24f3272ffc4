internal import Logging
internal import MemoryPressure

extension ProcessLifecycle {
    /// EX_TEMPFAIL of sysexits.h: started anew, it may well work.
    static let missedDeadlineStatus: Int32 = 75

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
            let removed = self?.state.withLock { state -> ObserverMailbox? in
                let index = state.observers.firstIndex { $0.id == id }
                return index.map { state.observers.remove(at: $0).mailbox }
            }
            _ = removed
        }
    }

    /// Calls the observers with one change's callback, and goes on without those that miss the deadline.
    func tell(_ callback: LifecycleCallback, _ transition: ProcessTransition, by deadline: MonotonicInstant) async {
        let reason = state.withLock { $0.launch.reason } ?? LaunchReason(starter: .operator)
        let isLaunch = callback == .willFinishLaunching || callback == .didFinishLaunching
        // A launch may still be under way when the process is to end already; so may any other change.
        let isOfTheEnd = isShuttingDown && !isLaunch
        let end: @Sendable () -> MonotonicInstant = { [self] in
            state.withLock { state in
                let deadline = isLaunch ? state.launch.deadline ?? deadline : deadline
                return isOfTheEnd ? deadline : min(deadline, state.ending?.workEnd ?? deadline)
            }
        }
        let delivery = deliver(callback, by: end) { observer in
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
        let began = now
        await finish(delivery, movesWithPauses: !isShuttingDown, until: end)
        if callback == .didEnterBackground {
            dependencies.gauges.noteBackgroundTime(began.duration(to: now))
        }
    }

    /// Tells what is no change of the state. It takes its place among the changes, which do not wait for its callbacks.
    func note(_ callback: LifecycleCallback, _ body: @escaping @Sendable (any LifecycleObserver) async -> Void) {
        state.withLock { $0.notes.append((callback, body)) }
        Task {
            await turn.acquire()
            _ = dependencies.nextSequence()
            // Tasks may come in another order than they were made in: each takes what happened first.
            let (callback, body) = state.withLock { $0.notes.removeFirst() }
            let delivery = deliver(callback, by: nil, body)
            turn.release()
            let deadline = now.advanced(by: configuration.transitionDeadline)
            await finish(delivery, movesWithPauses: true) { deadline }
        }
    }

    /// Posts one notification; the caller has the turn.
    ///
    /// - Parameter end: The deadline of a change's callback; nil for what is no change.
    private func deliver(
        _ callback: LifecycleCallback, by end: (@Sendable () -> MonotonicInstant)?,
        _ body: @escaping @Sendable (any LifecycleObserver) async -> Void
    ) -> Delivery {
        let mailboxes = state.withLock { $0.observers.map(\.mailbox) }
        return Delivery(callback, to: mailboxes) { [self] observer in
            await CallbackToken(of: self, deadline: end).run { await body(observer) }
        }
    }

    private func finish(
        _ delivery: Delivery, movesWithPauses: Bool, until deadline: @escaping @Sendable () -> MonotonicInstant
    ) async {
        _ = await waits.run(delivery.wait, until: deadline, movesWithPauses: movesWithPauses) { [self] in
            noteLate(delivery, deadline())
        }
    }

    /// Runs where the timer does, and not in a task: observers that block every thread of the pool are late, too.
    private func noteLate(_ delivery: Delivery, _ deadline: MonotonicInstant) {
        noteLate(delivery.giveUp(), delivery.callback.rawValue, deadline)
    }

    /// Records who was not done at a deadline, and does what the configuration says about it.
    ///
    /// - Parameter isLogged: True where the log has it already.
    func noteLate(_ names: [String], _ callback: String, _ deadline: MonotonicInstant, isLogged: Bool = false) {
        guard !names.isEmpty else { return }
        let late = names.map { LateObserver(name: $0, callback: callback, deadline: deadline) }
        state.withLock { state in
            state.missedDeadlines += late.count
            state.late = (state.late + late).suffix(ProcessStatus.lateCapacity)
        }
        for observer in late {
            dependencies.reports?.recordMissedLifecycleDeadline()
            if !isLogged { dependencies.logger.warning("Life cycle: observer \(observer.line) missed its deadline") }
        }
        exitIfConfigured()
    }

    /// A deadline was missed: ends the process where that is what the configuration says.
    func exitIfConfigured() {
        guard configuration.missedDeadline == .exit else { return }
        dependencies.logger.critical(
            "Life cycle: the process exits with status \(Self.missedDeadlineStatus), as configured for a missed deadline"
        )
        dependencies.reports?.recordForcedExit()
        dependencies.exit(Self.missedDeadlineStatus)
    }
}
