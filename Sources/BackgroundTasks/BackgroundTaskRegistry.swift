public import JetsamSystem
internal import Synchronization

/// A registry of work that must not be cut off in the middle. Each task says until when it may run, and what to do when it expires.
///
/// ``shared`` serves the whole process. A library begins tasks there before, after or without a `ResourceManager`, and need not
/// know whether there will be one. A manager waits for held tasks before the process ends. It refuses tasks and expires them
/// early when memory is short, and it reports those that are overdue. Without a manager, tasks expire only by their own
/// deadlines.
///
/// There are three forms over one table: ``withBackgroundTask(_:priority:expiry:scene:fileID:line:onExpiration:body:)`` for
/// `async` work, the ``BackgroundTask`` handle that cannot leak, and identifiers for code ported from UIKit.
///
/// An expiration handler is called once, on a thread of the registry's own: never on the caller's thread and never under a lock.
/// It is never called early, and at most two milliseconds late where the machine has time. It may begin and end tasks. A handler
/// that does not come back keeps its thread; the other handlers go on without it after 100 ms at most.
public final class BackgroundTaskRegistry: Sendable {
    /// The registry of this process.
    public static let shared = BackgroundTaskRegistry()

    let table: TaskTable
    let engine: ExpiryEngine
    package let configuration: BackgroundTaskConfiguration
    let hasManager = Atomic<Bool>(false)
    /// One change of the process's deadline at a time.
    let deadlineTurn = Lock(())

    /// A registry of one's own, for tests and for libraries that want to be apart. Pass it to a manager.
    ///
    /// - Parameter configuration: Values out of their range are held to it.
    public convenience init(configuration: BackgroundTaskConfiguration = BackgroundTaskConfiguration()) {
        self.init(configuration: configuration, clock: SystemMonotonicClock(), isAutomatic: true)
    }

    /// - Parameter isAutomatic: True where threads call what is due; otherwise nothing is called before ``runDue()``.
    package convenience init(
        configuration: BackgroundTaskConfiguration = BackgroundTaskConfiguration(), clock: any MonotonicClock,
        isAutomatic: Bool
    ) {
        self.init(configuration: configuration, clock: clock, isAutomatic: isAutomatic, threads: SystemThreads())
    }

    package init(
        configuration: BackgroundTaskConfiguration = BackgroundTaskConfiguration(), clock: any MonotonicClock,
        isAutomatic: Bool,
        threads: any ThreadSource
    ) {
        self.configuration = configuration.bounded
        table = TaskTable(configuration: configuration, clock: clock, pauses: PauseWatch())
        engine = ExpiryEngine(table: table, isAutomatic: isAutomatic, threads: threads)
        table.setKeeper(self)
    }

    deinit {
        engine.stop()
    }

    /// Begins a task and gives the handle that ends it.
    ///
    /// - Parameters:
    ///   - name: The name in logs and reports.
    ///   - priority: Lower ones are refused first and expire first when memory is short.
    ///   - expiry: The time when it expires if it was not ended.
    ///   - scene: The scene that it belongs to: it ends with it.
    ///   - fileID: The file where it is begun; leave it to the compiler.
    ///   - line: The line where it is begun; leave it to the compiler.
    ///   - onExpiration: Called once when it expires, a lead time before its deadline (see
    ///     ``BackgroundTaskConfiguration/lead``), on a thread of the registry's. It should bring the work to an end; you must
    ///     still end the task.
    /// - Returns: The handle. The task ends when that is dropped.
    /// - Throws: ``BackgroundTaskRefusal`` where it may not begin now. A task that a callback of a life-cycle change begins may
    ///   always begin before the process ends; where it could not otherwise, it expires by the callback's deadline.
    @inline(never)
    public func begin(
        _ name: BackgroundTaskName, priority: ResourcePriority = .normal,
        expiry: BackgroundTaskExpiry = .atTermination, scene: SceneIdentifier? = nil, fileID: StaticString = #fileID,
        line: UInt = #line, onExpiration: consuming @escaping @Sendable () -> Void = {}
    ) throws(BackgroundTaskRefusal) -> BackgroundTask {
        let identifier = try add(
            name, priority, expiry, scene, fileID, line, ExpirationHandler(call: onExpiration), hasHandle: true)
        return BackgroundTask(registry: self, identifier: identifier)
    }

    /// Begins a task whose handler receives the reason for its expiry, and the time that the process still waits for it. All
    /// else is as with a handler that takes nothing; it costs the same.
    ///
    /// - Parameters:
    ///   - name: The name in logs and reports.
    ///   - priority: Lower ones are refused first and expire first when memory is short.
    ///   - expiry: The time when it expires if it was not ended.
    ///   - scene: The scene that it belongs to: it ends with it.
    ///   - fileID: The file where it is begun; leave it to the compiler.
    ///   - line: The line where it is begun; leave it to the compiler.
    ///   - onExpiration: Called once when it expires, on a thread of the registry's, with the reason and the time until the process
    ///     no longer waits for the task: until its grace is over, and no longer than a process that drains waits. Zero where
    ///     that has passed; nil where overdue tasks hold (``BackgroundTaskConfiguration/overdueTasksHold``) and the process does
    ///     not drain.
    /// - Returns: The handle. The task ends when that is dropped.
    /// - Throws: ``BackgroundTaskRefusal`` where it may not begin now.
    @inline(never)
    public func begin(
        _ name: BackgroundTaskName, priority: ResourcePriority = .normal,
        expiry: BackgroundTaskExpiry = .atTermination, scene: SceneIdentifier? = nil, fileID: StaticString = #fileID,
        line: UInt = #line,
        onExpiration: @escaping @Sendable (_ reason: BackgroundTaskExpiry.Reason, _ timeLeft: Duration?) -> Void
    ) throws(BackgroundTaskRefusal) -> BackgroundTask {
        let identifier = try add(
            name, priority, expiry, scene, fileID, line, InformedHandler(call: onExpiration).kept, hasHandle: true,
            takesReason: true)
        return BackgroundTask(registry: self, identifier: identifier)
    }

    @inline(__always)
    func add(
        _ name: BackgroundTaskName, _ priority: ResourcePriority, _ expiry: BackgroundTaskExpiry,
        _ scene: SceneIdentifier?, _ file: StaticString, _ line: UInt, _ handler: consuming ExpirationHandler,
        hasHandle: Bool, takesReason: Bool = false
    ) throws(BackgroundTaskRefusal) -> TaskTable.Identifier {
        var admission = table.admission
        guard admission.admits(priority) else {
            return try addLeavingWork(
                name, priority, expiry, scene, file, line, handler, hasHandle: hasHandle, takesReason: takesReason,
                admission)
        }
        return try insert(
            name, priority, expiry, scene, file, line, handler, hasHandle: hasHandle, takesReason: takesReason,
            isLeavingWork: false, &admission)
    }

    /// Adds a task that a callback of a change begins: work to be done before that change. It is let in at every level, and gets
    /// the callback's deadline.
    @inline(never)
    private func addLeavingWork(
        _ name: BackgroundTaskName, _ priority: ResourcePriority, _ expiry: BackgroundTaskExpiry,
        _ scene: SceneIdentifier?, _ file: StaticString, _ line: UInt, _ handler: consuming ExpirationHandler,
        hasHandle: Bool, takesReason: Bool, _ seen: Admission
    ) throws(BackgroundTaskRefusal) -> TaskTable.Identifier {
        guard let end = Self.leavingDeadline(seen) else { throw refusal(priority, seen) }
        var admission = seen
        let left = max(.zero, MonotonicInstant(nanoseconds: table.now).duration(to: end))
        return try insert(
            name, priority, .after(min(left, expiry.duration ?? left)), scene, file, line, handler,
            hasHandle: hasHandle, takesReason: takesReason, isLeavingWork: true, &admission)
    }

    /// The deadline of the callback of a change that the present task runs; nil where it runs none, or nothing begins any more.
    private static func leavingDeadline(_ seen: Admission) -> MonotonicInstant? {
        seen.isShut ? nil : CallbackToken.deadline
    }

    @inline(__always)
    private func insert(
        _ name: BackgroundTaskName, _ priority: ResourcePriority, _ expiry: BackgroundTaskExpiry,
        _ scene: SceneIdentifier?, _ file: StaticString, _ line: UInt, _ handler: consuming ExpirationHandler,
        hasHandle: Bool, takesReason: Bool, isLeavingWork: Bool, _ admission: inout Admission
    ) throws(BackgroundTaskRefusal) -> TaskTable.Identifier {
        let owner = scene.map { table.scenes.enter($0) } ?? 0
        guard
            let begun = table.begin(
                name, priority, expiry, owner, file, line, handler, hasHandle: hasHandle,
                takesReason: takesReason, isLeavingWork: isLeavingWork, admission: &admission)
        else {
            if owner != 0 { table.scenes.leave(owner) }
            throw refusal(priority, admission)
        }
        if begun.due != .max { engine.expect(begun.due &+ table.pauses.pausedNanoseconds) }
        return begun.identifier
    }

    @inline(never)
    private func refusal(_ priority: ResourcePriority, _ admission: Admission) -> BackgroundTaskRefusal {
        table.refused.add(1, ordering: .relaxed)
        // By what was seen to stand against it, which may be gone by now.
        return admission.refusal(priority)
            ?? BackgroundTaskRefusal(reason: .full, priority: priority, minimumPriority: nil)
    }

    @inline(__always)
    func end(_ identifier: TaskTable.Identifier, isHandle: Bool) {
        if let ended = table.end(identifier, isHandle: isHandle) { hasEnded(ended) }
    }

    /// The handler is let go of here, outside the lock. Where nothing is held any more, this may be the end of the registry
    /// itself.
    @inline(__always)
    func hasEnded(_ ended: consuming TaskTable.Ended) {
        guard ended.hasReference else { return }
        if ended.owner != 0 { table.scenes.leave(ended.owner) }
        if ended.shardIsFree { table.checkReleased() }
        unsafe table.keeper?.release()
    }

    /// Returns whether a background task of that priority may begin now, by the memory pressure level and the state of the
    /// process. Takes a nanosecond.
    package func mayBegin(priority: ResourcePriority = .normal) -> Bool {
        let admission = table.admission
        return admission.admits(priority) || Self.leavingDeadline(admission) != nil
    }

    /// Returns the reason why a background task of that priority may not begin now; nil where it may. Does not count as a refusal
    /// in ``BackgroundTaskStatistics/refused``. Takes a nanosecond where the task may begin: meant for
    /// admission to routes and queues.
    public func whyNot(priority: ResourcePriority = .normal) -> BackgroundTaskRefusal? {
        let admission = table.admission
        guard let refusal = admission.refusal(priority), Self.leavingDeadline(admission) == nil else { return nil }
        return refusal
    }

    /// The number of tasks that hold up suspension and the end of the process. While tasks begin and end, the number may already
    /// be a moment old. It is 0 only where at one instant there was no such task. Takes no lock unless it is 0.
    package var heldCount: Int {
        let held = table.holding
        return held > 0 ? held : table.settledHolding
    }

    /// Counts since the registry was made. Takes each part's lock for a moment: for dashboards, not for hot paths.
    public var statistics: BackgroundTaskStatistics {
        var statistics = table.statistics
        statistics.hungHandlers = engine.handlersGivenUp
        return statistics
    }

    /// The tasks that are held, the longest-running first.
    ///
    /// - Parameter limit: The greatest number of tasks to return, never more than 10,000. All tasks are walked through to find
    ///   them, a chunk with each taking of a lock.
    public func heldTasks(limit: Int = 100) -> [HeldBackgroundTask] {
        table.longestRunning(limit: min(limit, 10_000))
    }

    /// Notifies held tasks now that they expire, with the reason ``BackgroundTaskExpiry/Reason/operator``: for work that stands in the
    /// way of something that cannot wait. They have their grace to end, as at any other expiry. Their handlers are called on the
    /// registry's own thread. A task that was notified before is not notified again.
    ///
    /// - Parameter name: Only tasks with this name; nil, the default, for all.
    /// - Returns: The number of tasks that are notified.
    @discardableResult
    public func expireTasks(named name: String? = nil) -> Int {
        expireNow(table.heldIdentifiers(named: name), .operator)
    }
}
