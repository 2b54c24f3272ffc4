internal import MemoryPressure

/// Lets one task at a time through, in the order in which they came.
final class AsyncTurn: Sendable {
    private struct State {
        var isHeld = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Lock(State())

    /// The number of tasks that wait for it.
    var waiting: Int { state.withLock { $0.waiters.count } }

    func acquire() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if state.isHeld {
                    state.waiters.append(continuation)
                    return false
                }
                state.isHeld = true
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    func release() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard !state.waiters.isEmpty else {
                state.isHeld = false
                return nil
            }
            return state.waiters.removeFirst()
        }
        next?.resume()
    }
}
