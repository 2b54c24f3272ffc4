internal import Synchronization

/// Marks the task that runs a callback, so that a change that would wait for itself is refused, and so that what the callback begins
/// has its deadline.
package final class CallbackToken: Sendable {
    @TaskLocal private static var current: CallbackToken?

    /// Those whose change waits for the callback.
    private let owners: [ObjectIdentifier]
    private let outer: CallbackToken?
    private let deadline: (@Sendable () -> MonotonicInstant)?
    private let isRunning = Atomic<Bool>(true)

    /// - Parameters:
    ///   - owners: Those whose change waits for the callback.
    ///   - deadline: The time from which the callback of a change is waited for no longer; nil for a callback of no change.
    package init(of owners: AnyObject..., deadline: (@Sendable () -> MonotonicInstant)? = nil) {
        self.owners = owners.map { ObjectIdentifier($0) }
        self.deadline = deadline
        // Tasks that a callback leaves behind carry its token on: only those that still run are kept.
        var token = Self.current
        while let ended = token, !ended.isRunning.load(ordering: .relaxed) { token = ended.outer }
        outer = token
    }

    /// Runs a callback, which is marked for as long as it does.
    package func run(_ body: @Sendable () async -> Void) async {
        await Self.$current.withValue(self) { await body() }
        isRunning.store(false, ordering: .relaxed)
    }

    /// Tells whether the present task, or one that waits for it, is a callback of `owner` that has not returned.
    package static func isInside(_ owner: AnyObject) -> Bool {
        var token = current
        while let inner = token {
            if inner.isRunning.load(ordering: .relaxed), inner.owners.contains(ObjectIdentifier(owner)) { return true }
            token = inner.outer
        }
        return false
    }

    /// The earliest deadline among the callbacks of changes that the present task runs; nil where it runs none.
    package static var deadline: MonotonicInstant? {
        var earliest: MonotonicInstant?
        var token = current
        while let inner = token {
            if inner.isRunning.load(ordering: .relaxed), let deadline = inner.deadline?() {
                earliest = min(earliest ?? deadline, deadline)
            }
            token = inner.outer
        }
        return earliest
    }
}
