internal import Dispatch
internal import HeapModule

/// The deadlines of callbacks that are under way. One timer for all; none exists before the first is set.
package final class Deadlines: Sendable {
    private struct Deadline: Comparable {
        var instant: MonotonicInstant
        var id: UInt64

        static func < (lhs: Deadline, rhs: Deadline) -> Bool { (lhs.instant, lhs.id) < (rhs.instant, rhs.id) }
    }

    private struct State {
        var pending: [UInt64: @Sendable () -> Void] = [:]
        /// Those that are pending, and some that were cancelled: taking one out of the middle would cost a search.
        var order = Heap<Deadline>()
        var nextID: UInt64 = 0
        var timer: (any DispatchSourceTimer)?

        /// The next that is pending.
        mutating func first() -> Deadline? {
            while let first = order.min {
                if pending[first.id] != nil { return first }
                order.removeMin()
            }
            return nil
        }

        /// Most deadlines are cancelled long before they are due: no more of them than of others are kept.
        mutating func dropCancelled() {
            guard order.count > 64, order.count > 2 * pending.count else { return }
            order = Heap(order.unordered.filter { pending[$0.id] != nil })
        }
    }

    private let state = Lock(State())
    private let clock: any MonotonicClock
    private let isAutomatic: Bool

    /// - Parameter isAutomatic: True where real time drives it; otherwise nothing is due before `fireDue` is called.
    package init(clock: any MonotonicClock, isAutomatic: Bool) {
        self.clock = clock
        self.isAutomatic = isAutomatic
    }

    deinit {
        state.withLock { $0.timer }?.cancel()
    }

    package func add(_ instant: MonotonicInstant, _ fire: @escaping @Sendable () -> Void) -> UInt64 {
        let (id, isFirst) = state.withLock { state in
            state.nextID += 1
            state.pending[state.nextID] = fire
            state.order.insert(Deadline(instant: instant, id: state.nextID))
            return (state.nextID, state.first()?.id == state.nextID)
        }
        if instant <= clock.now { fireDue() } else if isFirst { arm() }
        return id
    }

    package func cancel(_ id: UInt64) {
        // The timer stays: at worst it comes for nothing.
        let removed = state.withLock { state in
            defer { state.dropCancelled() }
            return state.pending.removeValue(forKey: id)
        }
        _ = removed
    }

    /// Fires what is due, outside the lock. Tests call it after they moved their clock.
    package func fireDue() {
        let now = clock.now
        let due = state.withLock { state in
            var due: [@Sendable () -> Void] = []
            while let first = state.first(), first.instant <= now {
                state.order.removeMin()
                if let fire = state.pending.removeValue(forKey: first.id) { due.append(fire) }
            }
            return due
        }
        for fire in due { fire() }
        arm()
    }

    /// The number of calls that have a deadline that is still to come.
    package var count: Int { state.withLock { $0.pending.count } }

    /// The next deadline; nil where there is none.
    package var nextDue: MonotonicInstant? { state.withLock { $0.first()?.instant } }

    package func runDue() { fireDue() }

    private func arm() {
        guard isAutomatic else { return }
        state.withLock { state in
            guard let next = state.first()?.instant else {
                state.timer?.schedule(deadline: .distantFuture)
                return
            }
            if state.timer == nil {
                let timer = DispatchSource.makeTimerSource(
                    queue: DispatchQueue(label: "jetsam.deadlines", qos: .userInitiated))
                timer.setEventHandler { [weak self] in self?.fireDue() }
                timer.activate()
                state.timer = timer
            }
            let wait = max(0, clock.now.duration(to: next).nanoseconds)
            state.timer?.schedule(deadline: .now() + .nanoseconds(Int(clamping: wait)))
        }
    }
}
