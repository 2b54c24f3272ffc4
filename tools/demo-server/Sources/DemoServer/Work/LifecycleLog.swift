internal import Jetsam

/// Writes the life of the process into the timeline, and lets held work end once a shutdown begins.
struct LifecycleLog: LifecycleObserver {
    var log: EventLog
    var work: HeldWork
    /// Called once the process is ready.
    var onActive: @Sendable () async -> Void = {}

    func willFinishLaunching(_ reason: LaunchReason) async {
        log.write("launching", [("reason", .text("\(reason)"))])
    }

    func didFinishLaunching() async {
        log.write("launched")
    }

    func didBecomeActive(_ transition: ProcessTransition) async {
        write("active", transition)
        // Not in the callback: readiness is not kept waiting for it.
        Task { await onActive() }
    }

    func willResignActive(_ transition: ProcessTransition) async {
        write("resigning", transition)
        if transition.cause == .shutdown { work.release() }
    }

    func didEnterBackground(_ transition: ProcessTransition) async {
        write("background", transition)
        do {
            try await withBackgroundTask("demo.save") {}
            log.write("saved")
        } catch {
            log.write("save-refused", [("text", .text("\(error)"))])
        }
    }

    func willEnterForeground(_ transition: ProcessTransition) async {
        write("foreground", transition)
    }

    func willTerminate(_ transition: ProcessTransition) async {
        write("terminating", transition)
    }

    func resumed(after gap: Duration) async {
        log.write("resumed", [("gapSeconds", .seconds(gap)), ("text", .text("went on after \(gap)"))])
    }

    func wallClockChanged(by change: Duration) async {
        log.write(
            "wall-clock", [("bySeconds", .seconds(change)), ("text", .text("the wall clock was set by \(change)"))])
    }

    func significantTimeChange(_ change: SignificantTimeChange) async {
        // A clock that was set is told with by how much.
        guard change != .wallClock else { return }
        log.write("time-change", [("what", .text("\(change)"))])
    }

    private func write(_ event: String, _ transition: ProcessTransition) {
        log.write(event, [("cause", .text("\(transition.cause)")), ("process", .text("\(transition)"))])
    }
}
