package import MemoryPressure

/// The demand on one step of the ladder.
package struct ReclaimDemand: Equatable {
    /// The most bytes that a probe takes. A larger value stays: allocators give its memory back at once, so it would show nothing.
    package static let mostProbedBytes = 1 << 20

    package var level: PressureLevel
    package var reason: LevelReason
    /// Bytes that this step should bring back; 0 where it only sets limits or trims.
    package var targetBytes: Int
    /// Bytes that are missing in all, before this process's share and the step's cap.
    package var missingBytes: Int
    /// Bytes that were freed before and that the allocator was known to retain; the target is without them.
    package var retainedBytes = 0
    /// Steepest growth of unmanaged memory when it was decided, in bytes a second.
    package var growthRate = 0
    /// Nanoseconds that were reckoned from the decision to memory.
    package var leadNanoseconds = 0
    /// The number of the step in its episode, from 1.
    package var step: Int
    /// The hard limit, in bytes, that the trim's rule is a share of.
    package var limitBytes: Int
    /// Indicates whether there is so little time that caches are asked before the allocator is trimmed.
    package var isUrgent: Bool
    /// The time of the reading that led to this step.
    package var decidedAt: MonotonicInstant
    /// The time at which memory would reach the limit, as it grew then; nil where it did not grow, or had grown by one jump.
    package var limitAt: MonotonicInstant?
    /// The headroom that it was decided by, and the bytes that were expected of calls that were out then; nil where the target does not
    /// follow from them alone.
    package var basis: Basis?
    /// Bytes that were missing when it was decided, and were not any more when it began.
    package private(set) var sparedBytes = 0
    /// Indicates whether caches are held down to what they are left with: in a step, and before a limit is cut. A call for bytes
    /// frees, and holds nobody down afterwards.
    package var holdsCaches: Bool

    package init(
        level: PressureLevel, reason: LevelReason, targetBytes: Int, missingBytes: Int, retainedBytes: Int = 0,
        growthRate: Int = 0, leadNanoseconds: Int = 0, step: Int, limitBytes: Int, isUrgent: Bool,
        decidedAt: MonotonicInstant, holdsCaches: Bool? = nil
    ) {
        self.level = level
        self.reason = reason
        self.targetBytes = targetBytes
        self.missingBytes = missingBytes
        self.retainedBytes = retainedBytes
        self.growthRate = growthRate
        self.leadNanoseconds = leadNanoseconds
        self.step = step
        self.limitBytes = limitBytes
        self.isUrgent = isUrgent
        self.decidedAt = decidedAt
        self.holdsCaches = holdsCaches ?? (step > 0)
    }
}

extension ReclaimDemand {
    /// Returns the time until memory is at the limit, where caches may not have given by then; else nil.
    package func timeLeft(at now: MonotonicInstant) -> Duration? {
        guard level == .critical, isUrgent, let limitAt else { return nil }
        return max(.nanoseconds(1), now.duration(to: limitAt))
    }

    /// The figures that a target was decided by.
    package struct Basis: Equatable {
        /// Bytes of headroom.
        package var headroomBytes: Int
        /// Bytes that were asked of caches that had not answered.
        package var comingBytes: Int
        /// This process's part of what is missing. 0…1.
        package var share: Double
    }

    /// The same by the figures of now: a step that waited for a handler asks for what is missing when it begins. That is less than was
    /// decided only where readings say so, as growth that has paused meanwhile.
    ///
    /// - Parameter wantedBytes: The most headroom that is needed, by a reading after the decision; nil where none tells.
    package func renewed(headroomBytes: Int, comingBytes: Int, wantedBytes: Int? = nil) -> ReclaimDemand {
        guard let basis, targetBytes > 0 else { return self }
        var renewed = self
        let fall = basis.headroomBytes.subtractingSaturating(headroomBytes)
        let more = Int(saturating: Double(fall) * basis.share)
            .addingSaturating(basis.comingBytes.subtractingSaturating(comingBytes))
        let raised = targetBytes.addingSaturating(max(0, more))
        let most = wantedBytes.map {
            $0.subtractingSaturating(headroomBytes).subtractingSaturating(comingBytes)
        }
        renewed.targetBytes = min(raised, max(0, most ?? raised))
        renewed.sparedBytes = raised - renewed.targetBytes
        renewed.basis = nil
        return renewed
    }
}

/// Everything that the scheduler of steps looks at.
struct ReclaimContext {
    var reading: MemoryReading
    var thresholds: HeadroomThresholds
    var level: PressureLevel
    var reason: LevelReason
    /// The highest vote now; below the level while that waits to fall, and not always of the rule that raised it.
    var vote: Vote
    /// The headroom that must be there.
    var required = RequiredHeadroom()
    /// The bytes that would be missing before this process has left, as far as caches may give more than is expected; else 0.
    var leavingDeficit = 0
    /// Steepest growth of unmanaged memory, in bytes a second.
    var growthRate = 0
    /// Indicates whether the last readings show next to nothing of that growth.
    var hasGrowthPaused = false
    var millisecondsToLimit: Int?
    /// The same at the growth between the last two readings, which may be a single jump: no reason to raise the level, but
    /// to lose no time over a step.
    var millisecondsAtOnce: Int?
    /// Bytes that registered caches report.
    var purgeableBytes: Int
    /// The part of these bytes that is not expected to come back: of caches that gave what did not, throw, or hang.
    var hollowBytes = 0
    /// Bytes asked of clients that have not answered yet.
    var inFlightBytes: Int
    /// Bytes that were freed and that a trim of the allocator can bring.
    var retainedBytes = 0
    /// The earliest time for a trim.
    var trimsFrom = MonotonicInstant(nanoseconds: .min)

    var now: MonotonicInstant { reading.instant }

    /// Bytes that caches are expected to give.
    var expectedBytes: Int { max(0, purgeableBytes - max(0, hollowBytes)) }

    /// Indicates whether the shortage is at a level that others use too.
    var isShared: Bool {
        vote.rule.type.isShared && reading.unreclaimableBytes > reading.footprintBytes && reading.footprintBytes > 0
    }

    /// By the faster of the two kinds of growth; the greatest number where there is neither.
    var leastMillisecondsToLimit: Int { min(millisecondsToLimit ?? .max, millisecondsAtOnce ?? .max) }

    /// The time at which memory reaches the limit at the growth that there is; nil where there is none.
    ///
    /// - Parameter fastest: What grew faster, in bytes a second, was one jump: the limit is no nearer in time for that.
    func limitAt(fastest: Int) -> MonotonicInstant? {
        let least = Double(max(0, reading.headroomBytes)) / Double(fastest) * 1e3
        let atOnce = millisecondsAtOnce.flatMap { Double($0) >= least ? $0 : nil }
        let milliseconds = min(millisecondsToLimit ?? .max, atOnce ?? .max)
        return milliseconds < .max ? now.advanced(by: .milliseconds(milliseconds)) : nil
    }

    /// Returns whether a trim may be made now that is expected to bring so many bytes.
    func canTrim(atLeast bytes: Int) -> Bool {
        retainedBytes >= max(1, bytes) && now >= trimsFrom
    }
}
