internal import Dispatch
package import MemoryPressure

/// The deadlines of callbacks that are under way. One timer for all; none exists before the first is set.
package final class SceneDeadlines: Sendable {
    private struct State {
        var pending: [UInt64: (instant: MonotonicInstant, fire: @Sendable () -> Void)] = [:]
        var nextID: UInt64 = 0
        var timer: (any DispatchSourceTimer)?
    }

    private let state = Lock(State())
    private let clock: any MonotonicClock
    private let isAutomatic: Bool

    /// - Parameter isAutomatic: Whether real time drives it; otherwise nothing is due before `fireDue` is called.
    package init(clock: any MonotonicClock, isAutomatic: Bool) {
        self.clock = clock
        self.isAutomatic = isAutomatic
    }

    deinit {
        state.withLock { $0.timer }?.cancel()
    }

    func add(_ instant: MonotonicInstant, _ fire: @escaping @Sendable () -> Void) -> UInt64 {
        let id = state.withLock { state in
            state.nextID += 1
            state.pending[state.nextID] = (instant, fire)
            return state.nextID
        }
        if instant <= clock.now { fireDue() } else { arm() }
        return id
    }

    func cancel(_ id: UInt64) {
        let removed = state.withLock { $0.pending.removeValue(forKey: id) }
        _ = removed
    }

    /// Fires what is due, outside the lock. Tests call it after they moved their clock.
    package func fireDue() {
        let now = clock.now
        let due = state.withLock { state in
            let due = state.pending.filter { $0.value.instant <= now }
            for id in due.keys { state.pending.removeValue(forKey: id) }
            return due.sorted { ($0.value.instant, $0.key) < ($1.value.instant, $1.key) }.map(\.value.fire)
        }
        for fire in due { fire() }
        arm()
    }

    /// How many calls have a deadline that is still to come.
    package var count: Int { state.withLock { $0.pending.count } }

    /// The next deadline; nil where there is none.
    package var nextDue: MonotonicInstant? { state.withLock { $0.pending.values.map(\.instant).min() } }

    package func runDue() { fireDue() }

    private func arm() {
        guard isAutomatic else { return }
        state.withLock { state in
            guard let next = state.pending.values.map(\.instant).min() else {
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
