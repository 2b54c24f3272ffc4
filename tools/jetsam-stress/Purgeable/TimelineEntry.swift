internal import Jetsam
internal import MemoryPressure
internal import _StressPatterns

/// Something that the manager did, or that a source of memory pressure said, while the pattern ran.
struct TimelineEntry: Sendable {
    enum Kind: Sendable {
        /// Without a manager only the newest level is known.
        case warning(PressureLevel, headroomBytes: Int)
        case level(LevelChange)
        case step(ReclaimStep)
    }

    /// Since the pattern's beginning; negative before it.
    var offset: Duration
    var kind: Kind

    init(_ change: LevelChange, since start: MonotonicInstant) {
        offset = start.duration(to: change.instant)
        kind = .level(change)
    }

    init(_ level: PressureLevel, headroomBytes: Int, at now: MonotonicInstant, since start: MonotonicInstant) {
        offset = start.duration(to: now)
        kind = .warning(level, headroomBytes: headroomBytes)
    }

    /// A step says when it ended only by being told of.
    init(_ step: ReclaimStep, since start: MonotonicInstant) {
        offset = start.duration(to: SystemMonotonicClock().now)
        kind = .step(step)
    }

    var sequence: UInt64 {
        switch kind {
        case .warning: 0
        case .level(let change): change.sequence
        case .step(let step): step.sequence
        }
    }

    /// Whether it is a step of reclaim, and no level.
    var isStep: Bool { if case .step = kind { true } else { false } }

    var text: String {
        let what =
            switch kind {
            case .warning(let level, let headroom): "\(level) at a headroom of \(ByteCount(headroom))"
            case .level(let change): "\(change)"
            case .step(let step): "\(step)"
            }
        return "  at \(offset.shortText): \(what)"
    }

    var json: JSONText {
        let at = ("seconds", JSONText.number(offset.inSeconds))
        switch kind {
        case .warning(let level, let headroom):
            return .object([at, ("to", .string("\(level)")), ("headroomBytes", .integer(headroom))])
        case .level(let change):
            return .object([
                at, ("from", .string("\(change.previous)")), ("to", .string("\(change.level)")),
                ("headroomBytes", .integer(change.headroomBytes)), ("reason", .string("\(change.reason)")),
            ])
        case .step(let step):
            return .object([
                at, ("level", .string("\(step.level)")), ("targetBytes", .integer(step.targetBytes)),
                ("promisedBytes", .integer(step.promisedBytes)), ("returnedBytes", .integer(step.returnedBytes)),
                ("milliseconds", .number(step.duration.inSeconds * 1000)),
                ("firstReleaseMilliseconds", step.timeToFirstRelease.map { .number($0.inSeconds * 1000) } ?? .null),
                ("headroomBytes", .integer(step.headroomAfter)), ("reason", .string("\(step.reason)")),
            ])
        }
    }
}
