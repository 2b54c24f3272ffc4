internal import JetsamSystem
internal import Synchronization

/// Those who wait until nothing is held.
final class ReleaseWaiters: Sendable {
    private struct State {
        var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var nextID: UInt64 = 0
        /// Cancelled before they waited.
        var cancelled: Set<UInt64> = []
    }

    private let state = Lock(State())
    private let count = Atomic<Int>(0)

    @inline(__always)
    var isAnyWaiting: Bool { count.load(ordering: .acquiring) > 0 }

    /// Returns once `isDone` was seen to hold, or the task is cancelled. Whoever makes it hold calls ``letGo(_:)``.
    func wait(_ isDone: () -> Bool) async {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        // From here on whoever changes something looks for us; what was changed before is seen by our own look.
        count.add(1, ordering: .sequentiallyConsistent)
        defer { count.subtract(1, ordering: .acquiringAndReleasing) }
        if isDone() { return }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let goesOn = state.withLock { state in
                    if state.cancelled.remove(id) != nil { return true }
                    state.waiting[id] = continuation
                    return false
                }
                if goesOn { continuation.resume() } else { letGo(isDone) }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                let waiter = state.waiting.removeValue(forKey: id)
                if waiter == nil { state.cancelled.insert(id) }
                return waiter
            }
            waiter?.resume()
        }
        state.withLock { _ = $0.cancelled.remove(id) }
    }

    func letGo(_ isDone: () -> Bool) {
        guard isDone() else { return }
        let waiting = state.withLock { state in
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for waiter in waiting { waiter.resume() }
    }
}
