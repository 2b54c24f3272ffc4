package import JetsamSystem
internal import Synchronization

/// The calls of a manager to its registry.
extension BackgroundTaskRegistry {
    /// Takes the one place of a running manager, and lets everything begin that the level allows; false where it is taken.
    ///
    /// - Parameter level: The level that the manager has found already, or was told to pretend.
    package func attachManager(level: () -> PressureLevel) -> Bool {
        guard !hasManager.exchange(true, ordering: .acquiringAndReleasing) else { return false }
        table.setDeadline(.none, lead: 0)
        table.waitEnd.store(.max, ordering: .relaxed)
        table.changeAdmission {
            $0 = Admission()
            $0.level = level()
        }
        return true
    }

    /// The manager has ended. What it said last about admission stays: after the end of a process's life nothing begins.
    package func detachManager() {
        setObserver(nil)
        table.pauses.stop()
        hasManager.store(false, ordering: .releasing)
    }

    /// Takes the memory pressure level that holds from now on.
    package func noteLevel(_ level: PressureLevel) {
        table.changeAdmission { $0.level = level }
    }

    /// The process is on its way out: every task expires before `deadline`, whatever its own says. The deadline never moves.
    ///
    /// - Parameter waitEnd: The time from which the process waits for nobody; nil for the end of the grace after `deadline`.
    package func beginDraining(deadline: MonotonicInstant, waitEnd: MonotonicInstant? = nil) {
        let now = table.now
        let left = max(0, deadline.nanoseconds - now)
        let lead = min(table.leadMicroseconds * 1000, left / 10)
        deadlineTurn.withLock { _ in
            table.changeAdmission { $0.isDraining = true }
            let end = waitEnd ?? deadline.advanced(by: configuration.grace)
            table.waitEnd.store(end.nanoseconds, ordering: .relaxed)
            table.setDeadline(ProcessDeadline(fixed: deadline.nanoseconds), lead: lead)
        }
        engine.expect(deadline.nanoseconds - lead)
    }

    /// The process's time in the background ends at `deadline`: every task that is held then expires by it, whatever its own
    /// deadline says. Time in which the process does not run moves it. Nil takes it back. Does nothing once the process drains.
    ///
    /// - Returns: The time when they are to be told. The caller passes it to ``expect(_:)``, under no lock.
    package func setBackgroundDeadline(_ deadline: MonotonicInstant?) -> MonotonicInstant? {
        let lead = deadline.map { min(table.leadMicroseconds * 1000, max(0, $0.nanoseconds - table.now) / 10) } ?? 0
        let isSet = deadlineTurn.withLock { _ in
            guard !table.admission.isDraining else { return false }
            let moving = deadline.map {
                ProcessDeadline(movingWithPauses: $0.nanoseconds, paused: table.pauses.pausedNanoseconds)
            }
            table.setDeadline(moving ?? .none, lead: lead)
            return true
        }
        return isSet ? deadline.map { MonotonicInstant(nanoseconds: $0.nanoseconds - lead) } : nil
    }

    /// Something is due then. May start a thread, and log that there is none.
    package func expect(_ instant: MonotonicInstant) {
        engine.expect(instant.nanoseconds)
    }

    /// Nothing begins any more.
    package func shut() {
        table.changeAdmission { $0.isShut = true }
    }

    /// Returns once nothing holds up the end any more, or the task is cancelled.
    package func waitUntilReleased() async {
        await table.waitUntilReleased()
    }

    package func setObserver(_ observer: (any BackgroundTaskObserver)?) {
        engine.setObserver(observer)
    }

    /// Expires up to that many held tasks now, because memory is short: lowest priority first, and of these what has stood still for
    /// longest. A task that never told progress stands still since it began.
    ///
    /// - Parameter most: The greatest number of tasks to expire; ``EarlyExpiry/most`` bounds it.
    package func expireEarly(atMost most: Int) -> EarlyExpiry {
        let chosen = table.lowestRanking(atMost: min(most, EarlyExpiry.most))
        expireNow(chosen, .memory)
        return EarlyExpiry(table: table, identifiers: chosen)
    }

    package func expireAll(of scene: SceneIdentifier) {
        guard let number = table.scenes.known(scene) else { return }
        expireNow(table.identifiers(of: number), .scene)
    }

    package func endAll(of scene: SceneIdentifier) {
        guard let number = table.scenes.known(scene) else { return }
        for identifier in table.identifiers(of: number) {
            if let ended = table.endFromOutside(identifier) { hasEnded(ended) }
        }
    }

    /// The tasks that hold up the end, the longest-running first.
    package func holdingTasks(limit: Int) -> [HeldBackgroundTask] {
        table.longestRunning(limit: limit, areHolding: true)
    }

    package func heldCount(of scene: SceneIdentifier) -> Int {
        table.scenes.known(scene).map { table.identifiers(of: $0).count } ?? 0
    }

    /// Looks for a thread again where one could not be had to call what is due.
    package func retryExpiry() { engine.retry() }

    /// The age of the tasks that hold up the end, on average and about; zero where there are none. Takes no lock.
    package var meanAge: Duration { .nanoseconds(table.meanAge) }

    /// Sees that the whole process was stopped for a while.
    package var pauses: PauseWatch { table.pauses }

    /// Calls everything that is due now, on the calling thread: for tests that move the time themselves.
    package func runDue() { engine.runDue() }

    /// The time when something is due next; nil where nothing is.
    package var nextDue: MonotonicInstant? {
        let due = table.nextDue()
        return due == .max ? nil : MonotonicInstant(nanoseconds: due)
    }

    /// - Returns: The number of those that nobody has told yet.
    @discardableResult
    func expireNow(_ identifiers: [TaskTable.Identifier], _ reason: BackgroundTaskExpiry.Reason) -> Int {
        guard !identifiers.isEmpty else { return 0 }
        table.pauses.check(MonotonicInstant(nanoseconds: table.now))
        // What is made due last is told first.
        var count = 0
        for identifier in identifiers.reversed() where table.makeDue(identifier, reason) { count += 1 }
        engine.expect(table.now)
        return count
    }
}

/// Tasks that were expired before their time.
package struct EarlyExpiry: Sendable {
    /// The most that one call takes.
    package static let most = 1024
    private static let mostDescriptions = 16

    package let descriptions: [String]
    private let table: TaskTable
    private let identifiers: [TaskTable.Identifier]

    init(table: TaskTable, identifiers: [TaskTable.Identifier]) {
        self.table = table
        self.identifiers = identifiers
        descriptions = identifiers.prefix(Self.mostDescriptions).compactMap { table.held($0)?.description }
    }

    package var count: Int { identifiers.count }

    package var areGone: Bool { identifiers.allSatisfy { table.isGone($0) } }
}

extension BackgroundTaskRegistry: TimeDriven {}
