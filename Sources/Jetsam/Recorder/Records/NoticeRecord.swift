internal import MemoryPressure

/// A notice beside the readings that changes what is decided next.
package struct NoticeRecord: Record {
    package static let kind = TraceKind.notice

    package enum What: UInt8, NumberedWord {
        case paused, held, supervisorWarns, stepEnded, answeredLate, limitsLifted, ladderEnded, regrowthAllowed
        case leadTimeMeasured, hollow, limitAnnounced
        package static let words = [
            "paused", "held", "supervisorWarns", "stepEnded", "answeredLate", "limitsLifted", "ladderEnded",
            "regrowthAllowed", "leadTimeMeasured", "hollow", "limitAnnounced",
        ]
    }

    /// The results of an action of the ladder.
    package enum Outcome: UInt8, NumberedWord {
        case none, abandoned, nobody, gone, timedOut
        package static let words = ["none", "abandoned", "nobody", "gone", "timedOut"]
    }

    package var what = What.paused
    /// Of `held`.
    package var level = PressureLevel.normal
    /// Of `held`, `supervisorWarns` and `limitAnnounced`.
    package var until: MonotonicInstant?
    /// Of `stepEnded`.
    package var step = 0
    /// Of `stepEnded`, `answeredLate` and `hollow`.
    package var promisedBytes = 0
    /// Of `ladderEnded`.
    package var action = LadderRecord.Action.none
    package var count = 0
    package var outcome = Outcome.none
    /// Of `regrowthAllowed`.
    package var isAllowed = false
    /// Of `leadTimeMeasured`: nanoseconds to the first call of a cache, and bytes a second that caches gave.
    package var responseNanoseconds = 0
    package var bytesPerSecond = 0
    /// Of `limitAnnounced`.
    package var limitBytes = 0

    package init() {}

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.word("what", &what)
        visitor.word("level", &level)
        visitor.instant("until", &until)
        visitor.integer("step", &step)
        visitor.integer("promisedBytes", &promisedBytes)
        visitor.word("action", &action)
        visitor.integer("count", &count)
        visitor.word("outcome", &outcome)
        visitor.flag("isAllowed", &isAllowed)
        visitor.laterSize("response", &responseNanoseconds)
        visitor.laterSize("bytesPerSecond", &bytesPerSecond)
        visitor.laterSize("limitBytes", &limitBytes)
    }
}

extension NoticeRecord {
    package init(_ notice: Decider.Notice) {
        switch notice {
        case .paused: what = .paused
        case .held(let level, let until):
            what = .held
            self.level = level
            self.until = until
        case .supervisorWarns(let until):
            what = .supervisorWarns
            self.until = until
        case .stepEnded(let step, let promisedBytes, _):
            what = .stepEnded
            self.step = step
            self.promisedBytes = promisedBytes
        case .answeredLate(let promisedBytes):
            what = .answeredLate
            self.promisedBytes = promisedBytes
        case .limitsLifted: what = .limitsLifted
        case .ladderEnded(let action, let outcome, _):
            what = .ladderEnded
            (self.action, count) = LadderRecord.Action.of(action)
            self.outcome = Outcome(outcome)
        case .regrowthAllowed(let isAllowed):
            what = .regrowthAllowed
            self.isAllowed = isAllowed
        case .hollow(let bytes):
            what = .hollow
            promisedBytes = bytes
        case .limitAnnounced(let limit):
            what = .limitAnnounced
            limitBytes = limit?.bytes ?? 0
            until = limit?.until
        case .leadTimeMeasured(let leadTime):
            what = .leadTimeMeasured
            responseNanoseconds = leadTime.responseNanoseconds
            bytesPerSecond = leadTime.bytesPerSecond
        }
    }

    /// Returns the notice; nil where the record says what cannot be.
    package func notice(at instant: MonotonicInstant) -> Decider.Notice? {
        switch what {
        case .paused: .paused
        case .held: .held(level, until: until)
        case .supervisorWarns: until.map { .supervisorWarns(until: $0) }
        case .stepEnded: .stepEnded(step, promisedBytes: promisedBytes, at: instant)
        case .answeredLate: .answeredLate(promisedBytes: promisedBytes)
        case .limitsLifted: .limitsLifted
        case .ladderEnded:
            if let action = action.action(count: count), let outcome = outcome.outcome {
                .ladderEnded(action, outcome, at: instant)
            } else {
                nil
            }
        case .regrowthAllowed: .regrowthAllowed(isAllowed)
        case .hollow: .hollow(bytes: promisedBytes)
        case .limitAnnounced: .limitAnnounced(until.map { AnnouncedLimit(bytes: limitBytes, until: $0) })
        case .leadTimeMeasured:
            .leadTimeMeasured(
                LeadTime(responseNanoseconds: responseNanoseconds, bytesPerSecond: bytesPerSecond))
        }
    }
}

extension NoticeRecord.Outcome {
    package init(_ outcome: LadderMachine.Outcome) {
        switch outcome {
        case .abandoned: self = .abandoned
        case .nobody: self = .nobody
        case .gone: self = .gone
        case .timedOut: self = .timedOut
        }
    }

    package var outcome: LadderMachine.Outcome? {
        switch self {
        case .none: nil
        case .abandoned: .abandoned
        case .nobody: .nobody
        case .gone: .gone
        case .timedOut: .timedOut
        }
    }
}
