internal import MemoryPressure
internal import Synchronization

/// The one holder of the life cycle's state: each call reads or changes it at once.
final class LifecycleStorage: Sendable {
    private let state: Lock<LifecycleState>
    private let stateWord = Atomic<UInt8>(ProcessState.notRunning.rawValue)
    private let readyWord = Atomic<Bool>(false)

    init(exitsOnSuspend: Bool) {
        state = Lock(LifecycleState(exitsOnSuspend: exitsOnSuspend))
    }

    /// A copy, whose parts belong together.
    var current: LifecycleState { state.withLock { $0 } }

    /// Nanoseconds: for hot paths.
    var processState: ProcessState { ProcessState(rawValue: stateWord.load(ordering: .acquiring)) ?? .notRunning }

    /// Nanoseconds: for hot paths.
    var isReady: Bool { readyWord.load(ordering: .acquiring) }

    /// The words are set under the lock: they never go back to what they were before the last change.
    private func change<Result: Sendable, Failure: Error>(
        _ body: (inout LifecycleState) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try state.withLock { state throws(Failure) in
            defer {
                stateWord.store(state.machine.state.rawValue, ordering: .releasing)
                readyWord.store(state.machine.isReady, ordering: .releasing)
            }
            return try body(&state)
        }
    }

    /// See ``LifecycleState/ask(for:cause:)``.
    func ask(for target: ProcessState, cause: LifecycleCause) throws(LifecycleRefusal) -> LifecycleState.Answer {
        try change { state throws(LifecycleRefusal) in try state.ask(for: target, cause: cause) }
    }

    /// See ``LifecycleState/begin(_:cause:)``.
    func begin(
        _ target: ProcessState, cause: LifecycleCause
    ) throws(LifecycleRefusal) -> (from: ProcessState, actions: [ProcessMachine.Action]) {
        try change { state throws(LifecycleRefusal) in try state.begin(target, cause: cause) }
    }

    func commit(_ transition: ProcessTransition) { change { $0.commit(transition) } }

    /// Readiness never becomes true once shutdown has begun.
    ///
    /// - Returns: The readiness from here on.
    func setReady(_ isReady: Bool) -> Bool { change { $0.setReady(isReady) } }

    /// - Returns: The end that has begun earlier; nil where this one begins.
    func begin(_ ending: ProcessEnding) -> ProcessEnding? { change { $0.begin(ending) } }

    /// From here on nothing leads to the foreground. No grace period begins.
    func beginShutdown() { change { $0.beginShutdown() } }

    func beginLaunch(_ reason: LaunchReason, deadline: MonotonicInstant) {
        change { $0.beginLaunch(reason, deadline: deadline) }
    }

    /// - Returns: The state right after.
    func finishLaunch() -> LifecycleState {
        change { state in
            state.finishLaunch()
            return state
        }
    }

    /// - Returns: The new deadline; nil where it was not moved.
    func extendLaunch(by duration: Duration) -> MonotonicInstant? { change { $0.extendLaunch(by: duration) } }

    /// - Returns: True, once, where the process is to become active by itself.
    func takeActivation() -> Bool { change { $0.takeActivation() } }

    func askForGate(_ signal: ServingSignal) { change { $0.askForGate(signal) } }

    /// - Returns: The state right after.
    func gateRuns() -> LifecycleState {
        change { state in
            state.gateRuns()
            return state
        }
    }

    /// - Returns: True the first time.
    func serversListen() -> Bool { change { $0.serversListen() } }
}
