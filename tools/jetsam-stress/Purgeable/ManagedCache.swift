internal import Dispatch
internal import Jetsam
internal import Logging
internal import MemoryPressure
internal import _StressPatterns

/// A `ResourceManager` that looks after purgeable values and background tasks, where there are any, beside the pattern, which knows nothing of it.
final class ManagedCache {
    private let manager: ResourceManager
    private let registration: CacheRegistration?
    private let timeline: Lock<[TimelineEntry]>
    private let task: Task<Void, any Error>
    private let listeners: [Task<Void, Never>]

    /// Comes back once the manager reads and judges. With `isVerbose` its log goes to the standard error as it happens, which
    /// is all that is left of a process that is killed. A `trace` is the absolute path of a file that the manager records to, a
    /// `recorder` that of the directory of its flight recorder, a `control` that of its control socket. `onStep` is told of each step as soon as it has ended.
    init(
        _ values: PurgeableValues?, _ backgroundTasks: BackgroundTaskRegistry? = nil, since start: MonotonicInstant,
        trace: String? = nil, recorder: String? = nil, control: String? = nil, isVerbose: Bool,
        onStep: @escaping @Sendable (ReclaimStep) -> Void = { _ in }
    ) throws {
        let registration = values.map { values in
            CacheRegistry.shared.register("stress", priority: .low) { values.release(atLeast: $0.bytes) }
        }
        values.map { registration?.update(bytes: $0.heldBytes) }
        var logger = Logger(label: "jetsam-stress") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = isVerbose ? .info : .warning
        let manager: ResourceManager
        var configuration = ManagerConfiguration()
        configuration.recorder.traceFile = trace
        configuration.recorder.directory = recorder
        configuration.control.isEnabled = control != nil
        configuration.control.directory = control
        do {
            manager = try ResourceManager(
                configuration: configuration, backgroundTasks: backgroundTasks ?? .shared, logger: logger)
        } catch {
            throw StressError("--managed: \(error)")
        }
        let timeline = Lock<[TimelineEntry]>([])
        let listening = DispatchSemaphore(value: 0)
        listeners = [
            Task.detached {
                var changes = manager.levelChanges.makeAsyncIterator()
                listening.signal()
                while let change = await changes.next(isolation: nil) {
                    let entry = TimelineEntry(change, since: start)
                    timeline.withLock { $0.append(entry) }
                }
            },
            Task.detached {
                var steps = manager.reclaimSteps.makeAsyncIterator()
                listening.signal()
                while let step = await steps.next() {
                    onStep(step)
                    values.map { registration?.update(bytes: $0.heldBytes) }
                    let entry = TimelineEntry(step, since: start)
                    timeline.withLock { $0.append(entry) }
                }
            },
        ]
        for _ in listeners { listening.wait() }
        task = Task.detached { try await manager.run() }
        self.manager = manager
        self.registration = registration
        self.timeline = timeline
        try waitForFirstReading()
    }

    /// Ends the manager and gives what happened, in its order.
    func finish() -> [TimelineEntry] {
        task.cancel()
        let ended = DispatchSemaphore(value: 0)
        Task.detached { [task, listeners] in
            _ = await task.result
            for listener in listeners { await listener.value }
            ended.signal()
        }
        ended.wait()
        registration?.end()
        return timeline.withLock { $0 }.sorted { $0.sequence < $1.sequence }
    }

    private func waitForFirstReading() throws {
        let clock = SystemMonotonicClock()
        let end = clock.now.advanced(by: .seconds(5))
        while manager.status.reading.sequence == 0 {
            guard clock.now < end else { throw StressError("--managed: the manager has not begun within 5 s") }
            System.sleep(until: clock.now.advanced(by: .milliseconds(1)))
        }
    }
}
