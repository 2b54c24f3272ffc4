import MemoryPressure

@testable import Jetsam
@testable import JetsamPolicy

/// The side that decides, for a reclaimer that a test works alone: it decides nothing and remembers what it was told.
final class RecordingHost: ReclaimHost {
    struct State {
        var steps: [ReclaimStep] = []
        var problems: [HandlerProblem] = []
        var ladder: [LadderMachine.Outcome] = []
        /// The bytes that steps were credited with when they ended.
        var credits: [Int] = []
    }

    let state = Lock(State())
    /// Called whenever it is measured, under no lock.
    let onMeasure = Lock<(@Sendable () -> Void)?>(nil)
    private let headroomBytes: Int
    private let confirmsEmergency: Bool

    init(headroom bytes: Int, confirmsEmergency: Bool = true) {
        headroomBytes = bytes
        self.confirmsEmergency = confirmsEmergency
    }

    var steps: [ReclaimStep] { state.withLock { $0.steps } }
    var growthRate: Int { 0 }
    var jumpBytes: Int { 0 }

    func measure() -> MemoryReading {
        onMeasure.withLock { $0 }?()
        return reading(headroom: headroomBytes)
    }

    func releaseBegan() {}
    func releaseEnded(_ step: Int, promisedBytes: Int, cameBackBytes: Int) {
        noteStepEnd(step, promisedBytes: promisedBytes)
    }
    func releaseAbandoned() {}
    func noteStepEnd(_ step: Int, promisedBytes: Int) { state.withLock { $0.credits.append(promisedBytes) } }
    func noteDryStep(_ step: Int, promisedBytes: Int) {}
    func noteLateAnswer(promisedBytes: Int) {}
    func noteLeadTime(_ leadTime: LeadTime) {}
    func judgeAfterStep() {}
    func noteLimitsLifted() {}
    func nextSequence() -> UInt64 { 1 }
    func confirmEmergency(orLeaving isEarly: Bool) -> MemoryReading? { confirmsEmergency ? measure() : nil }
    func ladderEnded(_ action: LadderMachine.Action, _ outcome: LadderMachine.Outcome) {
        state.withLock { $0.ladder.append(outcome) }
    }

    func publish(_ step: ReclaimStep, problems: [HandlerProblem]) {
        state.withLock { state in
            state.steps.append(step)
            state.problems += problems
        }
    }

    func publish(silentCaches names: [String]) {}
}
