internal import Logging
internal import MemoryPressure
internal import SystemPackage

/// Logs what goes wrong with background tasks: one line for all that become overdue together.
final class TaskReports: BackgroundTaskObserver {
    private struct Overdue {
        var count = 0
        var first: [String] = []
    }

    /// So many are named in a line.
    private static let mostNamed = 10

    private let logger: Logger
    private let overdueHold: Bool
    private let overdue = Lock(Overdue())

    /// - Parameter overdueHold: True where overdue tasks are waited for.
    init(logger: Logger, overdueHold: Bool) {
        self.logger = logger
        self.overdueHold = overdueHold
    }

    func taskIsOverdue(_ task: HeldBackgroundTask) {
        overdue.withLock { overdue in
            overdue.count += 1
            if overdue.first.count < Self.mostNamed { overdue.first.append("\(task)") }
        }
    }

    func overdueWereTold() {
        let told = overdue.withLock { overdue in
            defer { overdue = Overdue() }
            return overdue
        }
        guard told.count > 0 else { return }
        let isOne = told.count == 1
        let names = told.first.listed(of: told.count)
        let fate = overdueHold ? "still waited for" : "no longer waited for"
        logger.warning(
            isOne
                ? "Background task \(names) is overdue and is \(fate)"
                : "\(told.count) background tasks are overdue and are \(fate): \(names)",
            metadata: ["count": "\(told.count)"])
    }

    func handlerHangs(_ count: Int) {
        logger.warning("An expiration handler hangs; another thread goes on", metadata: ["count": "\(count)"])
    }

    func expiryHasNoThread(_ error: Errno) {
        logger.error(
            "Background tasks cannot expire: there is no thread to call their handlers (\(ErrnoText.name(error))). It is tried again every second"
        )
    }

    func expiryGoesOn() {
        logger.notice("Background tasks expire again: there is a thread for their handlers")
    }
}
