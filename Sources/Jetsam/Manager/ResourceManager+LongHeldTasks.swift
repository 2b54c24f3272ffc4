internal import Logging
internal import MemoryPressure

extension ResourceManager {
    /// Reports background tasks that have been held for long, where it may be time to. Runs on the notification queue.
    ///
    /// Not while the process drains: what it waits for is named already.
    func tellLongHeldTasks() {
        guard let longHeld, longHeld.isDue, !lifecycle.isShuttingDown, let found = longHeld.collect() else { return }
        let names = found.first.listed(of: found.count)
        logger.notice(
            found.count == 1
                ? "Background task \(names) has been held for more than \(found.span); it may have been forgotten"
                : "\(found.count) background tasks have been held for more than \(found.span); they may have been forgotten: \(names)",
            metadata: ["count": "\(found.count)", "seconds": "\(found.span.components.seconds)"])
    }
}
