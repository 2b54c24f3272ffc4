import MemoryPressure

@testable import Jetsam

/// Writes down what an observer is called with; can hold a callback up until it is told to go on.
final class LifecycleRecord: LifecycleObserver {
    private struct State {
        var events: [String] = []
        var waiters: [(event: String, continuation: CheckedContinuation<Void, Never>)] = []
        var held: Set<String> = []
        var holding: [String: [CheckedContinuation<Void, Never>]] = [:]
        var actions: [String: @Sendable () async -> Void] = [:]
        var transitions: [ProcessTransition] = []
        var reasons: [LaunchReason] = []
        var gaps: [Duration] = []
    }

    private let state = Lock(State())

    var events: [String] { state.withLock { $0.events } }
    var transitions: [ProcessTransition] { state.withLock { $0.transitions } }
    var gaps: [Duration] { state.withLock { $0.gaps } }
    var reasons: [LaunchReason] { state.withLock { $0.reasons } }

    /// The callback does not return before `release`.
    func hold(_ event: String) { state.withLock { _ = $0.held.insert(event) } }

    func release(_ event: String) {
        let held = state.withLock { state in
            state.held.remove(event)
            return state.holding.removeValue(forKey: event) ?? []
        }
        for continuation in held { continuation.resume() }
    }

    /// Runs inside the callback.
    func on(_ event: String, _ action: @escaping @Sendable () async -> Void) {
        state.withLock { $0.actions[event] = action }
    }

    func forgetActions() { state.withLock { $0.actions = [:] } }

    /// Returns once the callback has been called.
    func heard(_ event: String) async {
        await withCheckedContinuation { continuation in
            let isKnown = state.withLock { state in
                if !state.events.contains(event) { state.waiters.append((event, continuation)) }
                return state.events.contains(event)
            }
            if isKnown { continuation.resume() }
        }
    }

    private func note(_ event: String, _ transition: ProcessTransition? = nil) async {
        let (ready, action, isHeld) = state.withLock { state in
            state.events.append(event)
            if let transition { state.transitions.append(transition) }
            let ready = state.waiters.filter { $0.event == event }
            state.waiters.removeAll { $0.event == event }
            return (ready, state.actions[event], state.held.contains(event))
        }
        for waiter in ready { waiter.continuation.resume() }
        await action?()
        guard isHeld else { return }
        await withCheckedContinuation { continuation in
            let isHeld = state.withLock { state in
                if state.held.contains(event) { state.holding[event, default: []].append(continuation) }
                return state.held.contains(event)
            }
            if !isHeld { continuation.resume() }
        }
    }

    func willFinishLaunching(_ reason: LaunchReason) async {
        state.withLock { $0.reasons.append(reason) }
        await note("willFinishLaunching")
    }
    func didFinishLaunching() async { await note("didFinishLaunching") }
    func didBecomeActive(_ transition: ProcessTransition) async { await note("didBecomeActive", transition) }
    func willResignActive(_ transition: ProcessTransition) async { await note("willResignActive", transition) }
    func didEnterBackground(_ transition: ProcessTransition) async { await note("didEnterBackground", transition) }
    func willEnterForeground(_ transition: ProcessTransition) async { await note("willEnterForeground", transition) }
    func willTerminate(_ transition: ProcessTransition) async { await note("willTerminate", transition) }
    func resumed(after gap: Duration) async {
        state.withLock { $0.gaps.append(gap) }
        await note("resumed \(gap)")
    }
    func wallClockChanged(by change: Duration) async { await note("wallClockChanged \(change)") }
    func significantTimeChange(_ change: SignificantTimeChange) async { await note("significantTimeChange \(change)") }
    func stateStoreBecame(available: Bool) async { await note("stateStoreBecame \(available)") }
}
