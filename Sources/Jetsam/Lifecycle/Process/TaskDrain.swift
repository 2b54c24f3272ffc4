internal import Logging
internal import MemoryPressure
internal import Synchronization

/// The background tasks that the process waits for before its end, and what the log says of them.
final class TaskDrain: Sendable {
    /// So many of the tasks that are waited for are named.
    private static let mostNamed = 8

    private let tasks: any TaskHolder
    private let waits: TimedWaits
    private let logger: Logger
    private let hasToldWhatIsLeft = Atomic<Bool>(false)

    init(waits: TimedWaits, dependencies: LifecycleDependencies) {
        self.waits = waits
        tasks = dependencies.tasks
        logger = dependencies.logger
    }

    func tellWhatHolds() {
        let count = tasks.heldCount
        guard count > 0 else { return logger.info("Draining: no background task is held") }
        let names = tasks.describeHolding(limit: Self.mostNamed).listed(of: count)
        logger.notice(
            "Draining: waits for \(count) background \(count == 1 ? "task" : "tasks"): \(names)",
            metadata: ["held": "\(count)"])
    }

    /// Waits until none is held.
    func wait(until end: MonotonicInstant) async {
        guard tasks.heldCount > 0 else { return }
        let wait = TimedWait()
        let release = Task { [tasks] in
            await tasks.waitUntilReleased()
            wait.resolve(.done)
        }
        _ = await waits.run(wait, until: { end }, movesWithPauses: false)
        release.cancel()
    }

    /// Says how many tasks were told that their time is over since the process began to drain. The line that
    /// draining begins with names those that were held then.
    ///
    /// - Parameter before: The number of those that were told before.
    func tellWhoExpired(since before: Int) {
        let count = tasks.expiredCount - before
        guard count > 0 else { return }
        logger.notice(
            "\(count) background \(count == 1 ? "task" : "tasks") expired while the process drained",
            metadata: ["count": "\(count)"])
    }

    /// Says which tasks the process ends without: overdue ones, and those for which there was no time. Once.
    func tellWhatIsLeft() {
        guard !hasToldWhatIsLeft.exchange(true, ordering: .acquiringAndReleasing) else { return }
        let (count, names) = tasks.unended(limit: Self.mostNamed)
        guard count > 0 else { return }
        logger.warning(
            "\(count) background \(count == 1 ? "task has not ended and is" : "tasks have not ended and are") waited for no longer: \(names.listed(of: count))",
            metadata: ["count": "\(count)"])
    }
}
