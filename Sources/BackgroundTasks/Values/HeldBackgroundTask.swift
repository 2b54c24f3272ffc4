package import JetsamSystem
package import SystemPackage

/// A background task that is held, as reports and logs show it.
public struct HeldBackgroundTask: Sendable, Hashable, CustomStringConvertible {
    /// The stages of a task's expiry.
    public enum State: Sendable, Hashable {
        /// It may go on.
        case held
        /// Its expiration handler was called; deadline and grace are running.
        case expiring
        /// Its grace has been over for so long.
        case overdue(for: Duration)
    }

    /// The name of the task.
    public var name: String
    /// The place in the source where it was begun, such as `Server/Store.swift:88`; empty where too many names were used.
    public var origin: String
    /// Its priority.
    public var priority: ResourcePriority
    /// The time that it has been held, to about 17 ms.
    public var age: Duration
    /// The time since it last reported progress, to about 17 ms; nil where it never did.
    public var sinceProgress: Duration?
    /// The stage of its expiry.
    public var state: State
    /// Until its deadline; zero where that has passed, nil where it has none.
    public var remaining: Duration?
    /// The scene that it belongs to.
    public var scene: SceneIdentifier?

    /// One line, such as `'flush' (Server/Store.swift:88), low, held for 12.4 s, no progress for 8.1 s, overdue for 3 s`. It
    /// names the last progress if the task reported any, and how long it is overdue from a tenth of a second on. Control
    /// characters are escaped.
    public var description: String {
        let place = origin.isEmpty ? "" : " (\(origin))"
        let owner = scene.map { ", scene '\($0)'" } ?? ""
        let progress = sinceProgress.map { ", no progress for \($0.shortText)" } ?? ""
        var late = ""
        if case .overdue(let time) = state, time >= .milliseconds(100) {
            late = ", overdue for \(time.shortText)"
        }
        return "'\(name.onOneLine)'\(place), \(priority), held for \(age.shortText)\(progress)\(late)\(owner)"
    }
}

/// Counts since a registry was made, but for ``held`` and ``overdueNow``, which are of now.
public struct BackgroundTaskStatistics: Sendable, Hashable {
    /// The number of tasks that hold up suspension and the end of the process.
    public var held = 0
    /// The number of tasks that were begun.
    public var begun = 0
    /// The number of tasks that were ended.
    public var ended = 0
    /// The number of tasks that were notified that they expire.
    public var expired = 0
    /// The number of tasks that became overdue.
    public var overdue = 0
    /// The number of tasks that are overdue and have not been ended.
    public var overdueNow = 0
    /// The number of tasks that were held for longer than ``BackgroundTaskConfiguration/longHeldAfter`` while a manager ran.
    public var longHeld = 0
    /// The number of tasks that were refused.
    public var refused = 0
    /// The number of expiration handlers that did not come back in time and had their thread replaced.
    public var hungHandlers = 0

    package init() {}
}

/// An observer of what goes wrong with background tasks. Called on the expiry thread, under no lock.
package protocol BackgroundTaskObserver: Sendable {
    /// The task's grace is over and it was not ended.
    func taskIsOverdue(_ task: HeldBackgroundTask)
    /// All that are overdue at this time have been told.
    func overdueWereTold()
    /// An expiration handler did not come back and was given up; the number of those so far.
    func handlerHangs(_ count: Int)
    /// There is no thread for expiration handlers. It is tried again every second.
    func expiryHasNoThread(_ error: Errno)
    /// There is one again.
    func expiryGoesOn()
}

extension BackgroundTaskObserver {
    package func overdueWereTold() {}
    package func expiryHasNoThread(_ error: Errno) {}
    package func expiryGoesOn() {}
}
