internal import MemoryPressure

/// The input of the rules on one reading: the reading itself and the facts known beside it.
struct RuleContext {
    /// The bytes that leaving needs and does not have, while caches are asked for them.
    struct Leaving {
        var neededBytes: Int
        var deficit: Int
    }

    var reading: MemoryReading
    var thresholds: HeadroomThresholds
    /// Bytes that registered caches report, clamped to the footprint.
    var managedBytes: Int
    var cause: LevelCause
    /// The grade of the PSI trigger that fired, where that is the cause.
    var triggerGrade = PressureLevel.normal
    /// The speed at which caches can give.
    var leadTime = LeadTime()
    /// Nanoseconds that leaving takes; 0 where that is not known or does not matter.
    var leavingNanoseconds: Int64 = 0
    /// The bytes that are expected to come back, of those that caches report; and the bytes that a trim can bring.
    var expectedBytes = 0
    var retainedBytes = 0
    /// The owner of the shortage.
    var shortage = Shortage()
    /// Bytes that caches were asked for and have not answered.
    var inFlightBytes = 0
    /// Caches give, or gave a moment ago.
    var isDisturbed = false

    // The evidence, which is taken before any rule votes.

    var events = EventWatch()
    /// The grade of stall, and the percent of two seconds that it stands for.
    var stall = (level: PressureLevel.normal, percent: 0)
    /// The headroom that caches need to give in time.
    var required = RequiredHeadroom()
    /// Milliseconds until the limit at the present growth; nil where no growth has lasted for long enough to say so. A jump that is
    /// over in a moment says nothing of the next ten seconds.
    var millisecondsToLimit: Int?
    /// Nil where caches are not asked for it.
    var leaving: Leaving?

    var now: MonotonicInstant { reading.instant }

    var roomBytes: Int { reading.roomBytes }
}

extension MemoryReading {
    /// Headroom and what can be swapped out: what stands between the process and the kernel's killer.
    package var roomBytes: Int { headroomBytes.addingSaturating(usableSwapBytes) }
}
