internal import MemoryPressure
internal import Synchronization

/// One action of the ladder while its victims leave.
final class LadderRun: Sendable {
    let order: LadderOrder
    let before: MemoryReading
    /// The time when the next victim may be chosen although this one is not gone.
    let deadline: MonotonicInstant
    let leaving: any LeavingVictims

    init(order: LadderOrder, before: MemoryReading, deadline: MonotonicInstant, leaving: any LeavingVictims) {
        self.order = order
        self.before = before
        self.deadline = deadline
        self.leaving = leaving
    }

    /// Returns the outcome at `now`; nil while the victims may still be leaving.
    func outcome(at now: MonotonicInstant) -> LadderMachine.Outcome? {
        if leaving.areLetOff { return .abandoned }
        if leaving.areGone { return leaving.count == 0 ? .nobody : .gone }
        return now >= deadline ? .timedOut : nil
    }

    func step(sequence: UInt64, after: MemoryReading, didTrim: Bool, timedOut: Bool, end: MonotonicInstant)
        -> ReclaimStep
    {
        let stage: ReclaimStage =
            switch order.action {
            case .expireBackgroundTasks: .backgroundTasks
            case .loseScene: .scenes
            case .lastResort: .lastResort
            }
        var step = ReclaimStep(
            sequence: sequence, step: 0, level: order.level, reason: order.reason, missingBytes: 0, targetBytes: 0,
            promisedBytes: 0, freedBytes: nil,
            returnedBytes: max(0, before.footprintBytes - after.footprintBytes), isDisturbed: false, didTrim: didTrim,
            headroomBefore: before.headroomBytes, headroomAfter: after.headroomBytes, timeToFirstRelease: nil,
            duration: order.decidedAt.duration(to: end), parts: [])
        step.stage = stage
        step.victims = leaving.descriptions
        step.victimCount = leaving.count
        step.timedOut = timedOut
        return step
    }
}

/// A scene on its way out: it is taken by asynchronous calls.
final class LeavingScene: LeavingVictims {
    private enum Progress {
        case leaving, nobody, letOff
        case gone(String)
    }

    private let progress = Lock(Progress.leaving)

    private let task = Lock<Task<Void, Never>?>(nil)

    func leaves(by task: Task<Void, Never>) {
        self.task.withLock { $0 = task }
    }

    func giveUp() {
        task.withLock { $0 }?.cancel()
    }

    func ended(_ description: String?) {
        progress.withLock { $0 = description.map { .gone($0) } ?? .nobody }
    }

    func wasLetOff() {
        progress.withLock { $0 = .letOff }
    }

    var areLetOff: Bool { progress.withLock { if case .letOff = $0 { true } else { false } } }

    var count: Int { progress.withLock { if case .nobody = $0 { 0 } else { 1 } } }

    var descriptions: [String] { progress.withLock { if case .gone(let name) = $0 { [name] } else { [] } } }

    var areGone: Bool { progress.withLock { if case .leaving = $0 { false } else { true } } }
}
