public import JetsamSystem

/// A background task that is under way: the promise ends with ``end()`` or when this handle is dropped.
///
/// It can be kept in a variable, a property or a `UniqueArray`; for places that want something that can be copied,
/// ``intoIdentifier()`` gives an identifier, and the duty to end it.
@safe public struct BackgroundTask: ~Copyable, Sendable {
    // The table's entry keeps the registry alive for as long as the identifier is not 0.
    private let registry: Unmanaged<BackgroundTaskRegistry>
    private var identifier: TaskTable.Identifier

    init(registry: BackgroundTaskRegistry, identifier: TaskTable.Identifier) {
        unsafe self.registry = Unmanaged.passUnretained(registry)
        self.identifier = identifier
    }

    deinit {
        if identifier != 0 { unsafe registry._withUnsafeGuaranteedRef { $0.end(identifier, isHandle: true) } }
    }

    /// The work is done. The expiration handler is not called from here on, unless that is happening just now; end a task that
    /// has expired and was notified too. Further calls do nothing.
    public mutating func end() {
        guard identifier != 0 else { return }
        unsafe registry._withUnsafeGuaranteedRef { $0.end(identifier, isHandle: true) }
        identifier = 0
    }

    /// Moves the deadline of a task that has one of its own by `duration`, never past the process's.
    ///
    /// - Parameter duration: More than zero. A duration longer than the clock can hold counts as the longest one, some 292 years.
    /// - Returns: True where the deadline moved. False for a duration of zero or less. Also false for a task that has ended,
    ///   that has expired (notified or not), or that has no deadline of its own.
    @discardableResult
    public func extend(by duration: Duration) -> Bool {
        guard identifier != 0 else { return false }
        return unsafe registry._withUnsafeGuaranteedRef { $0.table.extend(identifier, by: duration.nanoseconds) }
    }

    /// Tells that the work moves. When memory is short, of tasks of equal priority those that have stood still for longest expire
    /// first; one that never tells progress stands still since it began. Reports say for how long a task has stood still.
    ///
    /// Moves no deadline. Does nothing once the task has ended. May be called on any thread, as often as the work has parts: it
    /// stores the time, to about 17 ms, under the lock that beginning and ending take, for a moment. The first call among
    /// 1,024 neighbouring tasks allocates 8 KiB.
    public func progress() {
        guard identifier != 0 else { return }
        unsafe registry._withUnsafeGuaranteedRef { $0.table.noteProgress(identifier) }
    }

    /// Until the deadline: its own or the process's, whichever is earlier. Nil where there is none; zero where it has
    /// passed or the task has ended.
    public var backgroundTimeRemaining: Duration? {
        guard identifier != 0 else { return .zero }
        return unsafe registry._withUnsafeGuaranteedRef { $0.table.remaining(identifier) }
    }

    /// Gives the handle up for an identifier: the task ends only with
    /// ``BackgroundTaskRegistry/endBackgroundTask(_:)`` from here on.
    public consuming func intoIdentifier() -> BackgroundTaskIdentifier {
        let value = identifier
        if value != 0 {
            unsafe registry._withUnsafeGuaranteedRef { registry in
                if let ended = registry.table.giveUpHandle(value) { registry.hasEnded(ended) }
            }
        }
        identifier = 0
        return BackgroundTaskIdentifier(value: value)
    }

    /// Gives the handle up for one that can be stored, and cannot leak either. One allocation.
    public consuming func stored() -> StoredBackgroundTask {
        let owner = unsafe registry.takeUnretainedValue()
        return StoredBackgroundTask(intoIdentifier(), registry: owner)
    }
}

/// Names a background task where a handle cannot be kept. It is never reused while the process runs, but for wrapping round
/// after four billion tasks in one place of the table.
public struct BackgroundTaskIdentifier: Sendable, Hashable {
    let value: TaskTable.Identifier

    /// The identifier of a task that was refused. Ending it does nothing.
    public static let invalid = BackgroundTaskIdentifier(value: 0)

    /// The identifier as a number, for an interface that has one; 0 for ``invalid``.
    package var bits: UInt64 { value }

    /// The identifier of ``bits``. Ending it does nothing where no task has it.
    package init(bits: UInt64) {
        value = bits
    }

    init(value: TaskTable.Identifier) {
        self.value = value
    }
}

extension BackgroundTaskRegistry {
    /// Begins a task, in the form that UIKit has.
    ///
    /// - Parameters:
    ///   - name: The name in logs and reports; nil for `unnamed`.
    ///   - priority: Lower ones are refused first and expire first when memory is short.
    ///   - expiry: The time when it expires if it was not ended.
    ///   - fileID: The file where it is begun; leave it to the compiler.
    ///   - line: The line where it is begun; leave it to the compiler.
    ///   - expirationHandler: Called once when it expires, a lead time before its deadline, on a thread of the registry's, not
    ///     on the main thread.
    /// - Returns: The identifier to end it with; ``BackgroundTaskIdentifier/invalid`` where it was refused. A task that is never
    ///   ended holds up the end of the process until its deadline, and is reported as overdue.
    public func beginBackgroundTask(
        withName name: String? = nil, priority: ResourcePriority = .normal,
        expiry: BackgroundTaskExpiry = .atTermination, fileID: StaticString = #fileID, line: UInt = #line,
        expirationHandler: (@Sendable () -> Void)? = nil
    ) -> BackgroundTaskIdentifier {
        let name = name.map { BackgroundTaskName($0) } ?? "unnamed"
        let handler = ExpirationHandler(call: expirationHandler ?? {})
        let identifier = try? add(name, priority, expiry, nil, fileID, line, handler, hasHandle: false)
        return identifier.map { BackgroundTaskIdentifier(value: $0) } ?? .invalid
    }

    /// Begins a task whose handler receives its identifier: for code that ends the task in its handler.
    ///
    /// - Parameters:
    ///   - name: The name in logs and reports; nil for `unnamed`.
    ///   - priority: Lower ones are refused first and expire first when memory is short.
    ///   - expiry: The time when it expires if it was not ended.
    ///   - fileID: The file where it is begun; leave it to the compiler.
    ///   - line: The line where it is begun; leave it to the compiler.
    ///   - expirationHandler: Called once when it expires, with the task's identifier, on a thread of the registry's.
    /// - Returns: The identifier to end it with; ``BackgroundTaskIdentifier/invalid`` where it was refused.
    public func beginBackgroundTask(
        withName name: String? = nil, priority: ResourcePriority = .normal,
        expiry: BackgroundTaskExpiry = .atTermination, fileID: StaticString = #fileID, line: UInt = #line,
        expirationHandler: @escaping @Sendable (BackgroundTaskIdentifier) -> Void
    ) -> BackgroundTaskIdentifier {
        let begun = Lock(BackgroundTaskIdentifier.invalid)
        // Under the lock: a task that expires at once is told only when its number is known.
        return begun.withLock { identifier in
            identifier = beginBackgroundTask(
                withName: name, priority: priority, expiry: expiry, fileID: fileID, line: line,
                expirationHandler: { expirationHandler(begun.withLock { $0 }) })
            return identifier
        }
    }

    /// Ends a task. Nothing happens for one that has ended, for ``BackgroundTaskIdentifier/invalid``, and with a practical
    /// certainty for one of another registry.
    public func endBackgroundTask(_ identifier: BackgroundTaskIdentifier) {
        end(identifier.value, isHandle: false)
    }

    /// Until the task's deadline: its own or the process's. Nil where there is none; zero where it has passed or the task
    /// has ended.
    public func backgroundTimeRemaining(of identifier: BackgroundTaskIdentifier) -> Duration? {
        table.remaining(identifier.value)
    }
}
